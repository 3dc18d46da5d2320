import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.correlations import spearman_within_contexts
from evenhand.numerics.correlation.human_scores import HumanScores
from evenhand.numerics.curves.draws import CURVE_SELECTIONS
from evenhand.numerics.curves.ranking_curves import budget_grid, drawn_orders
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.exceptions import UnknownRanking, UnknownSelection
from evenhand.numerics.rankings.registry import CURVE_RANKINGS, score
from tests.evenhand.numerics.simulation import ranking_curve, run_with_people, simulated_run


def crossed(rankings):
    """Each ranking with one selection, and each selection with one ranking: neither depends on the other."""
    return [*((ranking, "random") for ranking in rankings), *(("poe-bt", one) for one in CURVE_SELECTIONS[1:])]


@pytest.mark.parametrize("ranking", CURVE_RANKINGS)
@pytest.mark.parametrize("debiased", [False, True])
def test_curve_ends_at_the_correlation_of_the_whole_run(ranking, debiased):
    comparisons, people = run_with_people(bias=0.8)
    debiasing = Debiasing.of_run(comparisons) if debiased else None

    last = ranking_curve(ranking, comparisons, people, debiasing=debiasing, draws=3)[-1]

    whole = np.nanmean(
        spearman_within_contexts(score(ranking, comparisons, debiasing), people, np.ones(12, dtype=bool))
    )
    assert (last.comparisons, last.draws) == (30, 3)
    assert last.mean == pytest.approx(whole, abs=1e-12)
    assert last.low == last.high


@pytest.mark.parametrize("n_candidates", [5, 20])
def test_curve_of_likely_orders_ends_as_the_report_where_many_orders_are_equally_likely(n_candidates):
    comparisons, people = run_with_people(n_candidates=n_candidates, bias=1.5, noise=2)
    hard = comparisons.with_p_first(np.round(comparisons.p_first))

    last = ranking_curve("likelihood", hard, people, draws=2)[-1]

    whole = np.nanmean(spearman_within_contexts(score("likelihood", hard), people, np.ones(12, dtype=bool)))
    assert last.mean == pytest.approx(whole, abs=1e-12)


def test_curve_ends_at_the_correlation_of_an_incomplete_run_with_gaps_in_the_people():
    comparisons, people = run_with_people(n_candidates=7)
    rng = np.random.default_rng(1)
    comparisons = comparisons.select(rng.random(len(comparisons)) < 0.6)
    gaps = HumanScores(
        np.where(rng.random(len(people.scores)) < 0.2, np.nan, people.scores), people.contexts, people.systems
    )

    last = ranking_curve("poe-bt", comparisons, gaps, draws=2)[-1]

    whole = np.nanmean(spearman_within_contexts(score("poe-bt", comparisons), gaps, np.ones(12, dtype=bool)))
    assert last.mean == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize(("ranking", "selection"), crossed(["win-ratio", "poe-bt"]))
def test_curve_rises_with_the_number_of_comparisons(selection, ranking):
    comparisons, people = run_with_people(n_candidates=8, n_contexts=30)

    points = ranking_curve(ranking, comparisons, people, selection=selection, draws=10)

    assert all(point.low <= point.mean <= point.high for point in points)
    assert points[0].mean < points[len(points) // 2].mean < points[-1].mean


@pytest.mark.parametrize(
    ("ranking", "selection"), crossed(["win-ratio", "bradley-terry", "poe-bt", "poe-gaussian", "likelihood"])
)
def test_curve_is_the_mean_over_draws_of_the_correlation_of_the_comparisons_asked_so_far(ranking, selection):
    comparisons, people = run_with_people(n_contexts=3, n_candidates=5, bias=0.5)
    debiasing = Debiasing.of_run(comparisons)

    [_, point] = ranking_curve(
        ranking, comparisons, people, selection=selection, debiasing=debiasing, draws=3, budgets=[6, 8]
    )

    [drawn] = drawn_orders(comparisons, selection, draws=3, seed=0)
    asked = [drawn.batch.members[drawn.draws.steps[:, number, :8].ravel()] for number in range(3)]
    every = np.ones(3, dtype=bool)
    of_draws = [
        np.nanmean(spearman_within_contexts(score(ranking, comparisons.select(some), debiasing), people, every))
        for some in asked
    ]
    assert point.mean == pytest.approx(np.mean(of_draws), abs=1e-12)


@pytest.mark.parametrize("debiased", [False, True])
def test_curve_after_few_certain_answers_ties_what_the_report_ties(debiased):
    comparisons, people = run_with_people(n_contexts=40, n_candidates=7)
    hard = comparisons.with_p_first(np.round(comparisons.p_first))
    debiasing = Debiasing.of_run(hard) if debiased else None

    [point] = ranking_curve("poe-bt", hard, people, debiasing=debiasing, draws=3, budgets=[7])

    [drawn] = drawn_orders(hard, "random", draws=3, seed=0)
    assert drawn.draws.covering.max() <= 7
    asked = [np.sort(drawn.batch.members[drawn.draws.steps[:, number, :7].ravel()]) for number in range(3)]
    every = np.ones(40, dtype=bool)
    of_draws = [
        np.nanmean(spearman_within_contexts(score("poe-bt", hard.select(some), debiasing), people, every))
        for some in asked
    ]
    assert point.mean == pytest.approx(np.mean(of_draws), abs=1e-12)


def test_curve_is_the_same_for_the_same_seed():
    comparisons, people = run_with_people()

    once, again, other = (ranking_curve("poe-gaussian", comparisons, people, draws=5, seed=seed) for seed in (1, 1, 2))

    assert once == again
    assert once != other


def test_curve_counts_no_context_below_the_budget_that_connects_it():
    comparisons, people = run_with_people()

    below, at = ranking_curve("win-ratio", comparisons, people, draws=4, budgets=[4, 5])

    assert (below.mean, below.draws) == (None, 0)
    assert below.undefined == "no context has two candidates with both scores whose human scores differ"
    assert (at.undefined, at.draws) == (None, 4)


def test_curve_needs_pairs_in_both_orders_if_symmetric_and_a_threshold_if_debiased():
    comparisons, people = run_with_people()
    single = comparisons.select(comparisons.first < comparisons.second)

    [point] = ranking_curve("win-ratio", single, people, selection="symmetric")

    assert (point.mean, point.undefined) == (None, 'no comparison can be drawn for selection "symmetric"')

    hard = comparisons.with_p_first(np.round(comparisons.p_first))

    [point] = ranking_curve("win-ratio", hard, people, debiasing=Debiasing.of_run(hard))

    assert point.undefined == "every p_first is 0, 1/2 or 1, so no threshold can be set"


def test_curve_refuses_what_does_not_exist():
    comparisons, people = run_with_people()

    with pytest.raises(UnknownRanking, match='ranking: "no-such" is unknown'):
        ranking_curve("no-such", comparisons, people)
    with pytest.raises(UnknownSelection, match='no curve is drawn for selection "full"'):
        ranking_curve("win-ratio", comparisons, people, selection="full")


@pytest.mark.parametrize(
    ("n_candidates", "selection", "expected"),
    [
        (16, "random", [*range(16, 240, 16), 240]),
        (16, "symmetric", [*range(32, 240, 16), 240]),
        (16, "no-repeat", [*range(16, 120, 16), 120]),
        (6, "random", [*range(6, 30, 2), 30]),
        (2, "random", [1, 2]),
        (2, "symmetric", [2]),
    ],
)
def test_budget_grid_rises_from_a_connected_graph_to_all_answers(n_candidates, selection, expected):
    comparisons, _ = simulated_run(np.random.default_rng(0), n_candidates=n_candidates, n_contexts=2)

    assert budget_grid(comparisons, selection) == expected


def test_budget_grid_has_few_points_for_large_contexts():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_candidates=60, n_contexts=1)

    grid = budget_grid(comparisons, "random")

    assert len(grid) <= 20
    assert (grid[0], grid[-1]) == (60, 60 * 59)


def test_no_repeat_draws_take_whichever_order_was_answered():
    comparisons = Comparisons(3, [0, 1, 2], [1, 2, 1], [0.9, 0.8, 0.3])
    people = HumanScores(np.array([3.0, 2.0, 1.0]), np.zeros(3, dtype=int), np.full(3, -1))

    points = ranking_curve("poe-bt", comparisons, people, selection="no-repeat", draws=5, budgets=[2])

    assert points[0].mean == 1


@pytest.mark.parametrize(("ranking", "selection"), crossed(CURVE_RANKINGS))
def test_curves_of_large_contexts_are_those_of_small_ones(monkeypatch, ranking, selection):
    """The routes for large contexts, taken by small ones, end at the same correlation."""
    comparisons, people = run_with_people(n_contexts=2, n_candidates=7, bias=0.5)
    debiasing = Debiasing.of_run(comparisons)
    small = ranking_curve(ranking, comparisons, people, selection=selection, debiasing=debiasing, draws=2)

    monkeypatch.setattr("evenhand.numerics.curves.ranking_curves.LARGEST_STACKED", 3)
    monkeypatch.setattr("evenhand.numerics.curves.draws._LARGEST_PLANNED", 3)
    monkeypatch.setattr("evenhand.numerics.curves.draws._PLANNED_PER_CANDIDATE", 2)
    large = ranking_curve(ranking, comparisons, people, selection=selection, debiasing=debiasing, draws=2)

    assert [point.comparisons for point in large] == [point.comparisons for point in small]
    if selection != "no-repeat":  # it ends with one order of each pair, drawn at random
        assert large[-1].mean == pytest.approx(small[-1].mean, abs=1e-9)
