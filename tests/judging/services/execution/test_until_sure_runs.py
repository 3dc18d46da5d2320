"""Runs of the selection `until-sure`, which end once asking the rest would hardly change the ranking."""

from collections import Counter

import numpy as np
import pytest

from evenhand.engine import Answer
from evenhand.numerics.selection.until_sure import replay_until_sure
from evenhand.refusals import Refused
from judging.services.plans.run_plan import plan_size
from judging.services.plans.selection_settings import SelectionSettings, selection_of
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.judged_runs import answers_in_context, judge_all

pytestmark = pytest.mark.django_db

SURE = SelectionSettings("until-sure", seed=5)
N = 12


@pytest.fixture
def dataset():
    """Two contexts of 12 candidates, so 132 ordered pairs each."""
    return make_dataset(candidates=(N, N))


def test_run_asks_what_a_replay_of_the_full_run_asks(dataset):
    recorded, live = make_run(dataset), make_run(dataset, selection=SURE)
    judge_all(recorded)

    judge_all(live)

    for position, context in enumerate(("c0", "c1")):
        replayed = replay_until_sure(answers_in_context(recorded, context), bounds=[0.05], seed=(SURE.seed, position))
        asked = set(zip(*np.nonzero(~np.isnan(answers_in_context(live, context))), strict=True))
        assert asked == set(zip(replayed.first, replayed.second, strict=True))
    assert live.status == "done"
    assert live.planned == live.comparisons.count() == live.chunks.get().planned


def test_a_decided_judge_is_asked_far_less_than_everything(dataset):
    run = make_run(dataset, selection=SURE)

    judge_all(run, FakeEngine(lambda question: by_letter(question.text)))

    asked = Counter(run.comparisons.values_list("context__key", flat=True))
    assert all(N <= number < N * (N - 1) / 2 for number in asked.values())


def by_letter(text):
    """Prefer the earlier letter clearly: p_first is linear in the distance."""
    first, second = (text.split(f"Summary {label}: Summary ")[1][0] for label in "AB")
    return 0.5 + 0.04 * (ord(second) - ord(first))


def test_a_limit_on_comparisons_holds_for_each_context(dataset):
    run = make_run(dataset, selection=SelectionSettings("until-sure", comparisons=15, bound=0.001))

    judge_all(run)

    assert set(Counter(run.comparisons.values_list("context__key", flat=True)).values()) == {15}


def test_run_goes_on_after_answers_that_cannot_be_parsed(dataset):
    run = make_run(dataset, selection=SURE)

    def answer(question):
        return Answer(text="?", unparsed=True) if "Summary a " in question.text else by_letter(question.text)

    judge_all(run, FakeEngine(answer))

    assert run.status == "done"
    assert run.comparisons.filter(outcome="unparsed").count() > 0
    assert run.comparisons.count() == run.planned


def test_run_is_planned_by_every_pair_and_keeps_its_bound(dataset):
    run = make_run(dataset, selection=SelectionSettings("until-sure", bound=0.02))

    assert plan_size(dataset, selection=SURE).comparisons == run.planned == 2 * N * (N - 1)
    assert (run.bound, run.hold_out, selection_of(run).bound) == (0.02, 0.0, 0.02)


@pytest.mark.parametrize(
    ("selection", "problem"),
    [
        (
            SelectionSettings("until-sure", bound=0.0),
            "bound: 0 — give a share of reordered pairs above 0 and below 0.5",
        ),
        (
            SelectionSettings("until-sure", bound=0.5),
            "bound: 0.5 — give a share of reordered pairs above 0 and below 0.5",
        ),
        (SelectionSettings("full", bound=0.1), "bound: 0.1 — only selection until-sure stops at a bound; leave it out"),
        (
            SelectionSettings("until-sure", hold_out=0.1),
            "hold-out: 0.1 — only selection bt-optimal holds comparisons out; leave it out",
        ),
    ],
)
def test_impossible_settings_are_refused(dataset, selection, problem):
    with pytest.raises(Refused) as refused:
        make_run(dataset, selection=selection)

    assert refused.value.problems == (problem,)


def test_large_contexts_are_refused():
    with pytest.raises(Refused, match="it takes up to 200 candidates a context, and the largest has 201"):
        plan_size(make_dataset(candidates=(201,)), selection=SURE)
