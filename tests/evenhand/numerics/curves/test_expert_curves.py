"""Curves of experts that are written as expressions."""

import numpy as np
import pytest

from evenhand.numerics.correlation.correlations import spearman_within_contexts
from evenhand.numerics.curves.curve_measures import HumanJudgments
from evenhand.numerics.curves.draws import CURVE_SELECTIONS
from evenhand.numerics.curves.ranking_curves import CurveLine, drawn_orders, ranking_curves
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.rankings.expert_expressions import ExpertExpression
from tests.evenhand.numerics.simulation import ranking_curve, run_with_people

BT = "own-bt=p*d - logaddexp(0, d)"
GAUSSIAN = "own-gaussian=-(d - (p - 0.5))**2 / 2"
SMOOTH = "robust=-sqrt(1 + ((d - (p - 0.5)) / 0.1)**2)"
LAPLACE = "laplace=-abs(d - (p - 0.5))"
HUBER = "huber=-where(abs(d - (p - 0.5)) < 0.2, (d - (p - 0.5))**2 / 2, 0.2 * (abs(d - (p - 0.5)) - 0.1))"


def curve_of(named, comparisons, people, *, debiasing=None, most_single_fits=None, **options):
    expert = ExpertExpression.parse(named)
    line = CurveLine(expert.name, debiasing, expert, most_single_fits)
    return ranking_curves([line], comparisons, HumanJudgments(people.scores[None]), **options)[0]


@pytest.mark.parametrize(("named", "ranking"), [(BT, "poe-bt"), (GAUSSIAN, "poe-gaussian")])
@pytest.mark.parametrize("debiased", [False, True])
def test_curve_of_a_known_expert_is_the_curve_of_its_ranking(named, ranking, debiased):
    comparisons, people = run_with_people(n_contexts=5, bias=0.8)
    debiasing = Debiasing.of_run(comparisons) if debiased else None

    points = curve_of(named, comparisons, people, debiasing=debiasing, draws=6)

    expected = ranking_curve(ranking, comparisons, people, debiasing=debiasing, draws=6)
    assert [point.comparisons for point in points] == [point.comparisons for point in expected]
    assert [point.mean for point in points] == pytest.approx([point.mean for point in expected], abs=1e-12)


@pytest.mark.parametrize("selection", CURVE_SELECTIONS)
@pytest.mark.parametrize("named", [BT, SMOOTH, LAPLACE, HUBER])
def test_curve_of_an_expert_is_the_mean_of_its_scores_of_the_comparisons_asked_so_far(named, selection):
    comparisons, people = run_with_people(n_contexts=3, n_candidates=5, bias=0.5)
    debiasing = Debiasing.of_run(comparisons)

    [_, point] = curve_of(named, comparisons, people, selection=selection, debiasing=debiasing, draws=3, budgets=[6, 8])

    [drawn] = drawn_orders(comparisons, selection, draws=3, seed=0)
    asked = [drawn.batch.members[drawn.draws.steps[:, number, :8].ravel()] for number in range(3)]
    every, expert = np.ones(3, dtype=bool), ExpertExpression.parse(named)
    of_draws = [
        np.nanmean(spearman_within_contexts(expert.debiased(comparisons.select(some), debiasing), people, every))
        for some in asked
    ]
    assert point.mean == pytest.approx(np.mean(of_draws), abs=1e-12)


def test_curve_of_an_expert_ends_at_the_correlation_of_the_whole_run():
    comparisons, people = run_with_people()

    last = curve_of(SMOOTH, comparisons, people, draws=2)[-1]

    scores = ExpertExpression.parse(SMOOTH).score(comparisons)
    assert last.mean == pytest.approx(
        np.nanmean(spearman_within_contexts(scores, people, np.ones(12, dtype=bool))), abs=1e-12
    )


def test_curve_of_an_expert_over_more_candidates_than_are_stacked():
    comparisons, people = run_with_people(n_contexts=1, n_candidates=70)

    points = curve_of(BT, comparisons, people, draws=2, budgets=[140, 400])

    expected = ranking_curve("poe-bt", comparisons, people, draws=2, budgets=[140, 400])
    assert [point.mean for point in points] == pytest.approx([point.mean for point in expected], abs=1e-4)


@pytest.mark.parametrize(("named", "is_defined"), [(LAPLACE, False), (BT, True)])
def test_curve_of_an_expert_without_curvature_is_undefined_above_a_number_of_fits(named, is_defined):
    comparisons, people = run_with_people(n_contexts=4)

    points = curve_of(named, comparisons, people, draws=4, most_single_fits=50)

    assert (points[0].mean is not None) == is_defined
    if not is_defined:
        assert "more than 50 fits, so only the command curve draws it" in points[0].undefined
