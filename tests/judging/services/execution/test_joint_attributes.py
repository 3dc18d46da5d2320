"""Runs of several attributes share calls, and their answers are stored separately."""

import pytest

from evenhand.engine import Batching
from judging.models import Chunk
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.claimed_chunk import LEASE_DURATION
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_lifecycle import cancel
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.judging.workers import assert_each_pair_answered_once

pytestmark = pytest.mark.django_db


class CountingEngine(FakeEngine):
    """An engine for which beginnings count once. calls: how many questions each call had."""

    def __init__(self, **options):
        super().__init__(**{"batching": Batching.TREE} | options)
        self.calls = []

    def p_first(self, questions):
        self.calls.append(len(questions))
        return super().p_first(questions)

    def scores(self, questions):
        self.calls.append(len(questions))
        return super().scores(questions)

    def log_likelihoods(self, questions):
        self.calls.append(len(questions))
        return super().log_likelihoods(questions)


@pytest.fixture
def dataset():
    return make_dataset(candidates=(4,), attributes=("coherence", "fluency"))


def runs_of(dataset, **options):
    return [make_run(dataset, attribute=name, **options) for name in ("coherence", "fluency")]


def judge_chunk_of(run, engine, **options):
    execute_chunk(run.chunks.get().pk, load=lambda settings: engine, **options)


def statuses(runs):
    for run in runs:
        run.refresh_from_db()
    return [run.status for run in runs]


def test_runs_of_two_attributes_are_judged_in_the_same_calls_whose_costs_add_up(dataset):
    runs, engine = runs_of(dataset), CountingEngine()

    judge_chunk_of(runs[0], engine)

    assert statuses(runs) == ["done", "done"]
    assert engine.calls == [6, 18]
    for run, adjective in zip(runs, ("coherent", "fluent"), strict=True):
        assert_each_pair_answered_once(run)
        assert sum(f"more {adjective}," in question.text for question in engine.asked) == run.planned == 12
        assert run.seconds > 0
    asked = sum(len(question.text.split()) for question in engine.asked)
    assert sum(run.prompt_tokens for run in runs) == sum(run.computed_tokens for run in runs) == asked


@pytest.mark.parametrize(
    ("prompt", "metrics"),
    [("scoring-1", ""), ("pointwise-1", "metrics-1"), ("geval-1", ""), ("unieval-2", ""), ("gptscore-1", "")],
)
def test_scoring_runs_of_two_attributes_are_judged_in_the_same_call(dataset, prompt, metrics):
    runs, engine = runs_of(dataset, prompt=prompt, criteria=metrics), CountingEngine()

    judge_chunk_of(runs[0], engine)

    assert statuses(runs) == ["done", "done"]
    assert engine.calls == [8]
    for run, word in zip(runs, ("coheren", "fluen"), strict=True):
        assert sum(word in question.text for question in engine.asked) == 4
        assert run.scores.filter(outcome="answered").count() == run.planned == 4


def test_scores_of_each_attribute_are_those_to_its_own_question(dataset):
    runs = runs_of(dataset, prompt="scoring-2")

    judge_chunk_of(runs[0], CountingEngine(score=lambda question: 7.5 if "coherent" in question.text else 2.25))

    assert [set(run.scores.values_list("value", flat=True)) for run in runs] == [{7.5}, {2.25}]


def test_failed_reasoning_of_one_scoring_run_leaves_the_other_alone(dataset):
    def write(request):
        return "" if "fluen" in request.text else "1. Read."

    runs, engine = runs_of(dataset, prompt="geval-1"), CountingEngine(generate=write)

    judge_chunk_of(runs[0], engine)

    assert (statuses(runs), engine.calls) == (["done", "done"], [4])
    assert set(runs[0].scores.values_list("outcome", flat=True)) == {"answered"}
    assert set(runs[1].scores.values_list("error", flat=True)) == {
        "the judge failed to write its reasoning: the judge wrote nothing"
    }


def test_answers_of_each_attribute_are_those_to_its_own_question(dataset):
    runs = runs_of(dataset)

    judge_chunk_of(runs[0], CountingEngine(answer=lambda question: 0.875 if "coherent" in question.text else 0.25))

    assert [set(run.comparisons.values_list("p_first", flat=True)) for run in runs] == [{0.875}, {0.25}]


@pytest.mark.parametrize(("stopped", "goes_on"), [(0, 1), (1, 0)])
def test_cancelled_run_keeps_its_slice_and_its_sibling_completes(dataset, stopped, goes_on):
    runs = runs_of(dataset)

    judge_chunk_of(runs[0], CountingEngine(), on_slice=lambda: cancel(runs[stopped]))

    assert statuses(runs)[stopped] == "cancelled"
    assert runs[stopped].comparisons.count() == 3
    assert runs[stopped].chunks.get().status == "pending"
    assert runs[goes_on].status == "done"
    assert_each_pair_answered_once(runs[goes_on])


def test_held_sibling_chunk_is_left_alone(dataset):
    runs = runs_of(dataset)
    Chunk.objects.claim(runs[1].chunks.get().pk, duration=LEASE_DURATION)

    judge_chunk_of(runs[0], CountingEngine())

    assert statuses(runs) == ["done", "pending"]
    assert runs[1].comparisons.count() == 0


def test_sibling_with_answers_is_asked_the_rest_only(dataset):
    runs = runs_of(dataset)
    judge_chunk_of(runs[1], CountingEngine(batching=None), on_slice=lambda: cancel(runs[1]))
    there = runs[1].comparisons.count()
    type(runs[1]).objects.filter(pk=runs[1].pk).update(status="pending")
    type(runs[1]).objects.update(environment={})
    engine = CountingEngine()

    judge_chunk_of(runs[0], engine)

    assert statuses(runs) == ["done", "done"]
    assert sum(engine.calls) == 24 - there
    assert_each_pair_answered_once(runs[1])


@pytest.mark.parametrize(
    "change",
    [
        {"selection": SelectionSettings(seed=1)},
        {"selection": SelectionSettings("random", 6)},
        {"prompt": "comparative-2"},
    ],
)
def test_run_with_another_spec_is_judged_alone(dataset, change):
    run, other = make_run(dataset, attribute="coherence"), make_run(dataset, attribute="fluency", **change)

    judge_chunk_of(run, CountingEngine())

    assert statuses([run, other]) == ["done", "pending"]


@pytest.mark.parametrize("batching", [None, Batching.PADDED, Batching.PACKED])
def test_engine_that_shares_no_prefixes_judges_one_run_at_a_time(dataset, batching):
    runs = runs_of(dataset)

    judge_chunk_of(runs[0], CountingEngine(batching=batching))

    assert statuses(runs) == ["done", "pending"]


def test_broken_engine_fails_the_claimed_run_and_frees_its_sibling(dataset):
    def breaks(question):
        raise ZeroDivisionError

    runs = runs_of(dataset)

    judge_chunk_of(runs[0], CountingEngine(answer=breaks))

    assert statuses(runs)[0] == "failed"
    assert [chunk.status for run in runs for chunk in run.chunks.all()] == ["pending", "pending"]
