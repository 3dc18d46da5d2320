"""Runs of the selection `pairs`: a merge sort that asks only for what it needs."""

from collections import Counter

import numpy as np
import pytest

from evenhand.engine import Answer
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.selection.pairs_sort import merged_orders
from evenhand.refusals import Refused
from judging.services.plans.run_plan import plan_size
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_lifecycle import cancel, resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.judged_runs import answers_in_context, judge_all

pytestmark = pytest.mark.django_db

SORT = SelectionSettings("pairs", seed=5)
N = 16


@pytest.fixture
def dataset():
    """Two contexts of 16 candidates, so 240 ordered pairs each."""
    return make_dataset(candidates=(N, N))


def test_sort_of_16_candidates_asks_few_pairs_and_is_the_sort_of_recorded_comparisons(dataset):
    recorded, live = make_run(dataset), make_run(dataset, selection=SORT)
    judge_all(recorded)

    judge_all(live)

    asked = Counter(live.comparisons.values_list("context__key", flat=True))
    assert live.status == "done"
    assert all(32 <= number <= 49 for number in asked.values())
    assert sum(asked.values()) == live.planned == live.chunks.get().planned
    for position, context in enumerate(("c0", "c1")):
        start = np.random.default_rng((SORT.seed, position)).permutation(N)
        replay = merged_orders(answers_in_context(recorded, context)[None], np.array([0]), start[None], beam=1)
        answers = answers_in_context(live, context)
        first, second = np.nonzero(~np.isnan(answers))
        assert len(first) == replay.comparisons[0]
        scores = score("likelihood-hard", Comparisons(N, first, second, answers[first, second])).complete()
        assert np.argsort(-scores).tolist() == replay.orders[0].tolist()


@pytest.mark.parametrize("selection", [SORT, SelectionSettings("until-sure", seed=5)], ids=lambda one: one.rule)
def test_stopped_run_continues_with_the_same_pairs(selection):
    dataset = make_dataset(candidates=(9, 9))
    whole, stopped = (make_run(dataset, selection=selection) for _ in range(2))
    judge_all(whole)

    slices = iter(range(100))
    judge_all(stopped, on_slice=lambda: next(slices) == 2 and cancel(stopped))
    before = stopped.comparisons.count()
    judge_all(resume(stopped))

    assert 0 < before < whole.comparisons.count()
    for context in ("c0", "c1"):
        assert np.array_equal(answers_in_context(stopped, context), answers_in_context(whole, context), equal_nan=True)


def test_sort_goes_on_after_an_answer_that_cannot_be_parsed():
    run = make_run(make_dataset(candidates=(6, 6)), selection=SORT)

    def answer(question):
        return Answer(text="?", unparsed=True) if "Summary a " in question.text else 0.9

    judge_all(run, FakeEngine(answer))

    assert run.status == "done"
    assert run.comparisons.filter(outcome="unparsed").count() > 0
    assert run.comparisons.count() == run.planned


def test_sort_is_planned_by_the_most_comparisons_that_it_can_need(dataset):
    assert plan_size(dataset, selection=SORT).comparisons == 2 * 49


@pytest.mark.parametrize(
    ("selection", "problem"),
    [
        (SelectionSettings("pairs", comparisons=30), "selection pairs asks what its sort needs"),
        (SelectionSettings("pairs", hold_out=0.1), "only selection bt-optimal holds comparisons out"),
    ],
)
def test_sort_takes_no_number_and_holds_nothing_out(dataset, selection, problem):
    with pytest.raises(Refused, match=problem):
        plan_size(dataset, selection=selection)
