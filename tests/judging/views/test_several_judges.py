"""Starting runs of several judges at once: one preview for all."""

import pytest
from django.urls import reverse

from judging.models import Judge, Run
from tests.factories import answer_run, make_dataset, make_judge, make_run
from tests.judging.views.new_runs import choices, prompts_named, start

pytestmark = pytest.mark.django_db

REMOTE = {"backend": "openai", "base_url": "http://localhost:1/v1"}


@pytest.fixture
def judges():
    return [make_judge("large", **REMOTE), make_judge("small", **REMOTE)]


def preview(client, dataset, judges, button="show", **changes):
    chosen = choices(dataset, judges=[judge.pk for judge in judges], **changes)
    return client.post(reverse("run-new", args=[dataset.pk]), chosen | {button: ""})


def test_one_run_is_started_for_each_judge_prompt_and_attribute(client, researcher, judges, handed_over):
    make_judge("not chosen", **REMOTE)
    dataset = make_dataset(attributes=("coherence", "fluency"))
    attributes = [attribute.pk for attribute in dataset.attributes.all()]
    prompts = prompts_named("comparative-1", "comparative-2")

    start(client, dataset, judges=[judge.pk for judge in judges], prompts=prompts, attributes=attributes)

    runs = Run.objects.order_by("pk")
    assert list(runs.values_list("judge__name", "prompt_name", "attribute__name")) == [
        (judge, prompt, attribute)
        for judge in ("large", "small")
        for attribute in ("coherence", "fluency")
        for prompt in ("comparative-1", "comparative-2")
    ]
    assert handed_over == [run.pk for run in runs]


def test_no_run_is_started_if_one_judge_cannot_be_asked(client, researcher, judges, handed_over):
    dataset = make_dataset()
    metric = make_judge("length", backend="metric", model="length")

    page = preview(client, dataset, [*judges, metric], "start")

    assert len(page.context["form"].non_field_errors()) == 1
    assert "length" in page.context["form"].non_field_errors()[0]
    assert not Run.objects.exists()


def test_preview_counts_the_questions_of_all_judges_and_of_each(client, researcher, judges):
    dataset = make_dataset(candidates=(3,))

    page = preview(client, dataset, judges)

    plan = page.context["preview"]
    assert (plan.runs, plan.totals) == (2, {"comparison": 12})
    assert [(one.judge, one.questions) for one in plan.estimates] == [("large", 6), ("small", 6)]


def test_preview_gives_the_time_of_each_judge_by_its_last_run(client, researcher, judges):
    dataset = make_dataset(candidates=(3,))
    for judge, seconds in zip(judges, (30, 60), strict=True):
        run = answer_run(make_run(dataset, judge=judge, owner=researcher))
        Run.objects.filter(pk=run.pk).update(seconds=seconds)

    page = preview(client, dataset, [*judges, make_judge("new", **REMOTE)], seed="1").content.decode()

    assert "<strong>large:</strong> About 30 s, as in" in page
    assert "<strong>small:</strong> About 1 min 0 s, as in" in page
    assert "<strong>new:</strong> Time, tokens and cost unknown: " in page


def test_judges_in_use_are_offered_with_a_language_model_chosen(client, researcher, judges):
    form = client.get(reverse("run-new", args=[make_dataset().pk])).context["form"]

    assert [judge.name for judge in form.fields["judges"].queryset] == ["demo", "large", "small"]
    assert form["judges"].value() == [Judge.objects.get(name="demo").pk]
