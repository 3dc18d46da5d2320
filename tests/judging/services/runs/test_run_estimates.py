"""Estimates of runs, by the last run of the same kind."""

import pytest

from judging.models import Dataset, Run, Visibility
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_estimates import NO_PILOT, dry_run, estimates_by_judge
from judging.services.runs.run_request import RunRequest
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user, shipped_prompt

pytestmark = pytest.mark.django_db

REMOTE = {"backend": "openai", "base_url": "http://127.0.0.1:9/v1"}
PILOT = SelectionSettings(contexts=1)


@pytest.fixture
def dataset():
    """Two contexts of three candidates: 12 comparisons, 6 of them in the first context."""
    return make_dataset(candidates=(3, 3))


@pytest.fixture
def judge():
    """An endpoint that takes 2 for a million tokens and 10 for a million that it writes."""
    return make_judge("remote", **REMOTE, price_input=2.0, price_output=10.0)


def finished(dataset, judge, *, seconds=3.0, tokens=600, **settings):
    run = make_run(dataset, judge=judge, **settings)
    Run.objects.filter(pk=run.pk).update(status="done", seconds=seconds, prompt_tokens=tokens)
    return run


def asked(dataset, judge, **settings):
    return RunRequest(dataset, dataset.attributes.first(), judge, shipped_prompt(), **settings)


def estimate(*requests, known=None):
    return estimates_by_judge(
        [(request, request.size().comparisons) for request in requests],
        known=Run.objects.all() if known is None else known,
    )


def test_pilot_on_one_context_gives_time_tokens_and_cost_of_a_run_on_two(dataset, judge):
    finished(dataset, judge, selection=PILOT)

    [found] = estimate(asked(dataset, judge))

    written = 12 * 8  # each answer at its longest
    assert (found.runs, found.questions, found.seconds.value, found.tokens.value) == (1, 12, 6, 1_200)
    assert found.cost.value == pytest.approx((1_200 * 2 + written * 10) / 1_000_000)
    assert found.sentence == (
        "About 6 s, 1,200 tokens, and at most 0.0034 at the judge's prices, as in this judge's last run of this kind."
    )


def test_last_run_counts(dataset, judge):
    for seconds in (100, 3):
        finished(dataset, judge, seconds=seconds)

    assert estimate(asked(dataset, judge))[0].seconds.value == 3


def test_run_that_the_person_may_not_see_tells_nothing(dataset, judge):
    Dataset.objects.update(visibility=Visibility.OPEN)
    sam, sue = make_user("sam", "researcher"), make_user("sue", "researcher")
    finished(dataset, judge, owner=sam)
    request = asked(dataset, judge)

    assert estimate(request, known=Run.objects.visible_to(sam))[0].seconds.value == 3
    assert estimate(request, known=Run.objects.visible_to(sue))[0].seconds.undefined == NO_PILOT


@pytest.mark.parametrize("other", ["judge", "dataset", "method", "samples", "unfinished"])
def test_run_of_another_kind_tells_nothing(dataset, judge, other):
    run = finished(make_dataset("Others") if other == "dataset" else dataset, judge)
    if other == "unfinished":
        Run.objects.filter(pk=run.pk).update(status="cancelled")
    if other == "method":
        Run.objects.filter(pk=run.pk).update(method="cot")
    generation = GenerationSettings(samples=2, temperature=1.0) if other == "samples" else GenerationSettings()

    [found] = estimate(
        asked(dataset, make_judge("another", **REMOTE) if other == "judge" else judge, generation=generation)
    )

    assert (found.seconds.value, found.seconds.undefined, found.tokens.value) == (None, NO_PILOT, None)
    assert found.sentence == (
        "Time, tokens and cost unknown: this judge has finished no run of this kind on this dataset. "
        "Run a pilot on a few contexts to know."
    )


def test_local_run_of_which_no_question_reached_the_model_tells_nothing(dataset):
    local = make_judge()
    finished(dataset, local, tokens=0)

    assert estimate(asked(dataset, local))[0].seconds.value is None


def test_batches_cost_half(dataset, judge):
    finished(dataset, judge)

    direct, batched = (estimate(asked(dataset, judge, in_batches=batches))[0].cost.value for batches in (False, True))

    assert batched == pytest.approx(direct / 2)


def test_pilot_in_batches_gives_the_full_price_of_a_direct_run(dataset, judge):
    direct = finished(dataset, judge)
    full = estimate(asked(dataset, judge))[0].cost.value
    Run.objects.filter(pk=direct.pk).update(in_batches=True)

    assert estimate(asked(dataset, judge))[0].cost.value == pytest.approx(full)


def test_runs_of_a_judge_are_added_up_and_judges_stand_apart(dataset, judge):
    free = make_judge("free", **REMOTE)
    finished(dataset, judge)
    finished(dataset, free, seconds=0.3)
    half = asked(dataset, judge, selection=PILOT)

    of_judge, of_free = estimate(asked(dataset, judge), asked(dataset, free), half)

    assert (of_judge.judge, of_judge.runs, of_judge.questions, of_judge.seconds.value) == ("remote", 2, 18, 4.5)
    assert (of_free.runs, of_free.cost.value, of_free.cost.undefined) == (1, None, "the judge has no prices")
    assert of_free.sentence == "About less than a second, 600 tokens, as in this judge's last run of this kind."


def test_metric_has_a_time_and_no_tokens():
    dataset, metric = make_dataset(candidates=(2, 1)), make_judge("length", backend="metric", model="length")
    text_alone = shipped_prompt("text-alone")
    finished(dataset, metric, prompt=text_alone, tokens=0, seconds=6)

    [found] = estimate(RunRequest(dataset, dataset.attributes.get(), metric, text_alone))

    assert (found.seconds.value, found.tokens.undefined) == (6, "a metric reads no prompt")


def test_dry_run_asks_only_what_a_continued_run_lacks(dataset, judge):
    finished(dataset, judge)
    begun = answer_run(make_run(dataset, judge=judge))
    begun.comparisons.filter(pk__in=begun.comparisons.values("pk")[:4]).delete()
    Run.objects.filter(pk=begun.pk).update(status="cancelled")

    known = Run.objects.all()
    (new,), (continued,) = (dry_run([asked(dataset, judge)], known=known, continues=one) for one in (False, True))

    assert (new["comparisons"], new["reused"], new["seconds"]) == (12, 0, {"value": 3.0})
    assert (continued["comparisons"], continued["reused"], continued["seconds"]) == (12, 8, {"value": 1.0})
