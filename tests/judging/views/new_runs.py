"""Choices of a new run, and starting exactly what was shown."""

from django.urls import reverse

from judging.models import Judge, Prompt


def choices(dataset, **changes) -> dict[str, object]:
    usual = {
        "attributes": [dataset.attributes.first().pk],
        "judges": [Judge.objects.get(name="demo").pk],
        "prompts": prompts_named("comparative-1"),
        "selection": "full",
        "comparisons": "",
        "contexts": "",
        "seed": "0",
    }
    return usual | changes


def prompts_named(*names) -> list[int]:
    return [prompt.pk for prompt in Prompt.objects.filter(name__in=names)]


def start(client, dataset, **changes):
    """Preview run, then start exactly that."""
    address, chosen = reverse("run-new", args=[dataset.pk]), choices(dataset, **changes)
    shown = client.post(address, chosen).context["shown"]
    return client.post(address, chosen | {"shown": shown, "start": ""})
