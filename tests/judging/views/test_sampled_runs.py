"""Pages of runs whose answers are sampled texts."""

import pytest
from django.urls import reverse

from judging.models import Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans.generation_settings import GenerationSettings
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run, shipped_prompt
from tests.judging.views.new_runs import choices, start

pytestmark = pytest.mark.django_db

SAMPLED = {"samples": "5", "temperature": "0.8"}


def text_of(page):
    return " ".join(page.content.decode().split())


def test_new_run_previews_and_stores_its_sampling(client, researcher, handed_over):
    dataset = make_dataset()

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, **SAMPLED))
    start(client, dataset, **SAMPLED)

    assert (
        "5 sampled texts per answer, at temperature 0.8. p, the probability of the first text, is the share of “ A”"
        in text_of(page)
    )
    assert (Run.objects.get().samples, Run.objects.get().temperature) == (5, 0.8)


def test_new_scoring_run_previews_the_mean_of_samples(client, researcher):
    dataset = make_dataset()
    chosen = choices(dataset, prompts=[shipped_prompt("pointwise-1").pk], **SAMPLED)

    page = client.post(reverse("run-new", args=[dataset.pk]), chosen)

    assert "The score is the mean of the texts that are a whole number from “ 1” to “ 5”." in text_of(page)


@pytest.mark.parametrize(("prompt", "read"), [("comparative-1", "first"), ("pointwise-1", "4")])
def test_answers_are_shown_with_every_sampled_text(client, researcher, prompt, read):
    run = make_run(make_dataset(candidates=(2,)), prompt=prompt, generation=GenerationSettings(2, 1.0))
    texts = iter(["A" if read == "first" else "4", "hm <b>"] * 2)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine(generate=lambda request: next(texts)))

    answers = text_of(client.get(reverse("run-comparisons", args=[run.pk])))
    page = text_of(client.get(run.get_absolute_url()))

    assert f"<strong>{read}</strong>" in answers
    assert f"2 sampled texts: 1 {'first' if read == 'first' else 'with a number'}, 1 unparsed" in answers
    assert 'unparsed</span> <span class="soft">hm &lt;b&gt;</span>' in answers
    assert "2 texts sampled per answer at temperature 1" in page
