"""Pairs of a run: both orders side by side, people's preference, and the kinds that the page filters."""

import numpy as np
import pytest

from judging.models import Candidate, Comparison, HumanScore, Run
from rankings.pair_answers.answered_pairs import AnsweredPairs, answered_pairs
from rankings.pair_answers.pair_choice import KINDS, PairChoice
from rankings.report.report_rows import report_rows
from tests.factories import answer_run, make_dataset, make_run, note_answers

pytestmark = pytest.mark.django_db

A_BETTER, B_BETTER, NEITHER = 1.0, 0.0, np.nan


def pairs_of(*answers: tuple[float, float, float], length_gap: float = 0.5) -> AnsweredPairs:
    """Pairs by P(first) with A first, P(first) with B first, and people's preference. NaN: asked without an answer."""
    p_given, p_swapped, preferred = np.array(answers, dtype=float).T
    n = len(answers)
    return AnsweredPairs(
        given=np.arange(n) + 1,
        swapped=np.arange(n) + 101,
        p_given=p_given,
        p_swapped=p_swapped,
        preferred=preferred,
        score_gap=np.arange(n, dtype=float),
        length_gap=np.full(n, length_gap),
        contexts=np.arange(n),
        systems=np.array([(0, 1)] * n),
        candidates=np.array([(number % 2, 2) for number in range(n)]),
        steering=np.arange(n) == 2,
        context_keys=[f"c{number}" for number in range(n)],
        system_names=["gpt", "t5"],
        candidate_keys=["a", "b", "c"],
        parts=["development", "test"] * (n // 2) + ["development"] * (n % 2),
    )


@pytest.mark.parametrize(
    ("pair", "kinds"),
    [
        ((0.9, 0.2, A_BETTER), {"right", "longer"}),
        ((0.9, 0.2, B_BETTER), {"wrong", "longer"}),
        ((0.9, 0.7, A_BETTER), {"wrong", "flipped", "longer"}),
        ((0.9, 0.85, NEITHER), {"flipped", "uncertain", "longer"}),
        ((0.5, 0.5, A_BETTER), {"uncertain"}),
        ((0.1, np.nan, B_BETTER), {"right", "unanswered"}),
        ((np.nan, np.nan, A_BETTER), {"unanswered"}),
    ],
)
def test_pair_is_of_the_kinds_that_its_answers_make(pair, kinds):
    pairs = pairs_of(pair)

    assert {name for name, kind in KINDS.items() if kind.chosen(pairs)[0]} == kinds


def test_longer_text_is_b_where_a_is_shorter():
    pairs = pairs_of((0.9, 0.2, A_BETTER), (0.1, 0.8, A_BETTER), length_gap=-0.5)

    assert pairs.prefers_longer.tolist() == [False, True]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("dataset", [0, 1, 2, 3]),
        ("error", [2, 1, 0, 3]),
        ("uncertain", [1, 0, 2, 3]),
        ("order_effect", [1, 2, 0, 3]),
        ("score_gap", [3, 2, 1, 0]),
    ],
)
def test_pairs_are_sorted_and_those_without_the_value_come_last(sort, order):
    pairs = pairs_of((0.9, 0.1, A_BETTER), (0.9, 0.8, A_BETTER), (0.95, 0.1, B_BETTER), (np.nan, np.nan, A_BETTER))

    assert PairChoice(sort=sort).indices(pairs).tolist() == order


@pytest.mark.parametrize(
    ("choice", "chosen"),
    [
        (PairChoice(), [0, 1, 2]),
        (PairChoice(kind=("wrong",)), [1, 2]),
        (PairChoice(kind=("wrong", "flipped")), [2]),
        (PairChoice(context="c1"), [1]),
        (PairChoice(context="nowhere"), []),
        (PairChoice(part="test"), [1]),
        (PairChoice(part="development", kind=("wrong",)), [2]),
        (PairChoice(system="t5"), [0, 1, 2]),
        (PairChoice(candidate="b"), [1]),
        (PairChoice(candidate="c", other="a"), [0, 2]),
        (PairChoice(candidate="a", other="b"), []),
        (PairChoice(score_gap_from=1), [1, 2]),
        (PairChoice(score_gap_from=1, score_gap_to=1), [1]),
        (PairChoice(length_gap_from=0.6), []),
    ],
)
def test_choice_leaves_pairs_that_match_every_filter(choice, chosen):
    pairs = pairs_of((0.9, 0.2, A_BETTER), (0.9, 0.2, B_BETTER), (0.9, 0.7, A_BETTER))

    assert choice.indices(pairs).tolist() == chosen


def test_counts_are_of_the_pairs_that_the_other_filters_leave():
    pairs = pairs_of((0.9, 0.2, A_BETTER), (0.9, 0.2, B_BETTER), (0.9, 0.7, A_BETTER))

    assert PairChoice(kind=("right",), score_gap_from=1).counts(pairs) == {
        "wrong": 2,
        "right": 0,
        "flipped": 1,
        "uncertain": 0,
        "longer": 2,
        "unanswered": 0,
        "steering": 1,
    }


@pytest.fixture
def run(researcher) -> Run:
    """Nine candidates in three contexts with human scores; a second run of the dataset answers otherwise."""
    dataset = make_dataset(candidates=(4, 3, 2), owner=researcher)
    rng = np.random.default_rng(0)
    attribute = dataset.attributes.get()
    HumanScore.objects.filter(attribute=attribute).delete()
    HumanScore.objects.bulk_create(
        HumanScore(candidate=one, attribute=attribute, value=value)
        for one, value in zip(Candidate.objects.all(), rng.integers(1, 4, 9).tolist(), strict=True)
    )
    run = answer_run(make_run(dataset, owner=researcher))
    for one in run.comparisons.all():
        Comparison.objects.filter(pk=one.pk).update(p_first=round(rng.random(), 1))
    answer_run(make_run(dataset, owner=researcher, prompt="pairwise-1"))
    return run


def test_pairs_agree_with_the_figures_of_the_report(run):
    row = report_rows(run.dataset, runs=[run])[0]

    pairs = answered_pairs(run)

    decided = ~np.isnan(pairs.decisions) & ~np.isnan(pairs.preferred)
    right = np.where(pairs.decisions == 0.5, 0.5, pairs.decisions == pairs.preferred)[decided]
    assert right.mean() == pytest.approx(row.accuracy.value)
    assert len(right) == row.accuracy.n
    assert 1 - pairs.orders_disagree.mean() == pytest.approx(row.order_agreement.value)
    assert len(pairs) == row.order_agreement.n


def test_pairs_change_with_the_answers(run):
    before = answered_pairs(run)
    Comparison.objects.filter(pk=before.given[0]).delete()
    note_answers(run)

    after = answered_pairs(run)

    assert (before.given[0] > 0, after.given[0]) == (True, 0)
    assert np.isnan(after.p_given[0])
