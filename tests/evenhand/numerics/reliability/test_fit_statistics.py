import numpy as np
import pytest
from hypothesis import given

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons, Undefined, UnknownRanking
from evenhand.numerics.rankings.bradley_terry import bradley_terry
from evenhand.numerics.rankings.mean_wins import win_ratio
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.reliability.fit_statistics import (
    misfit,
    separation_index,
    separation_reliability,
    split_half_reliabilities,
)
from evenhand.numerics.scores import Reason, Scores, StandardErrors
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, mirrored, simulated_run


def fixed(values):
    return Scores.of_values(np.array(values, dtype=float))


def split_half_reliability(ranking, *arguments, **options):
    return split_half_reliabilities([ranking], *arguments, **options)[ranking]


def decided_run(seed, **options):
    """Hard answers drawn from the Bradley-Terry model."""
    rng = np.random.default_rng(seed)
    soft, truth = simulated_run(rng, noise=0, **options)
    return soft.with_p_first((rng.random(len(soft)) < soft.p_first).astype(float)), truth


@pytest.mark.parametrize(("answers", "expected"), [([1.0], 1 / 3), ([0.0], 3), ([1.0, 0.0], 10 / 6)])
def test_misfit_matches_an_example_worked_by_hand(answers, expected):
    """A win at odds of 3 to 1 and a loss at the same odds: squared residuals 1/16 and 9/16, variance 3/16 each."""
    comparisons = Comparisons(2, [0] * len(answers), [1] * len(answers), answers)

    own = misfit(comparisons, fixed([np.log(3), 0.0]))

    assert (own.outfit.value, own.infit.value) == (pytest.approx(expected), pytest.approx(expected))
    assert (own.outfit.n, own.infit.n) == (len(answers), len(answers))


def test_misfit_of_a_faithful_rater_is_one_and_of_a_guessing_one_more():
    comparisons, truth = decided_run(0, n_candidates=12, n_contexts=12)
    guesses = np.random.default_rng(1).integers(0, 2, len(comparisons))

    faithful, guessing = (misfit(run, fixed(truth)) for run in (comparisons, comparisons.with_p_first(guesses)))

    assert faithful.outfit.value == pytest.approx(1, abs=0.1)
    assert faithful.infit.value == pytest.approx(1, abs=0.1)
    assert guessing.infit.low > 1.2
    assert guessing.outfit.low > 1.5


def test_misfit_leaves_out_candidates_without_a_score():
    own = misfit(Comparisons(3, [0, 1], [1, 2], [1.0, 1.0]), fixed([0.0, 0.0, np.nan]))

    assert (own.infit.value, own.infit.n) == (1, 1)


@given(comparisons=connected_contexts_of_comparisons())
def test_misfit_does_not_depend_on_the_sides(comparisons):
    scores = bradley_terry(comparisons)

    there, back = misfit(comparisons, scores), misfit(mirrored(comparisons), scores)

    assert there.outfit.value == pytest.approx(back.outfit.value)
    assert there.infit.value == pytest.approx(back.infit.value)


def test_misfit_without_scores_says_why():
    own = misfit(Comparisons(2, [0], [1], [1.0]), fixed([np.nan, np.nan]))

    assert (own.infit.undefined, own.infit.n) == ("no comparison is of two candidates with a score", 0)


def test_separation_reliability_is_the_share_of_variance_that_is_not_error():
    none = np.zeros(3, dtype=int)
    scores = Scores(np.array([-1.0, 0.0, 1.0]), none, lambda: StandardErrors(np.full(3, 0.5), none))

    figure = separation_reliability(scores)

    assert (figure.value, figure.n) == (0.75, 3)
    assert separation_index(0.75) == pytest.approx(np.sqrt(3))


def test_separation_reliability_recovers_the_squared_correlation_with_the_truth():
    comparisons, truth = decided_run(2, n_candidates=60, n_contexts=1)
    some = comparisons.select(np.random.default_rng(3).random(len(comparisons)) < 0.2)

    scores = bradley_terry(some)

    squared = np.corrcoef(scores.complete(), truth)[0, 1] ** 2
    assert separation_reliability(scores).value == pytest.approx(squared, abs=0.05)


def test_separation_reliability_needs_errors_and_spread():
    assert separation_reliability(win_ratio(Comparisons(2, [0], [1], [1.0]))).undefined == (
        "fewer than two candidates have a score with a standard error"
    )
    equal = bradley_terry(Comparisons(2, [0, 1], [1, 0], [0.5, 0.5]))
    assert separation_reliability(equal).undefined == "all scores are equal"


def test_separation_reliability_is_undefined_if_errors_exceed_the_spread():
    none = np.zeros(2, dtype=int)
    scores = Scores(np.array([0.0, 1e-3]), none, lambda: StandardErrors(np.full(2, 2.0), none))

    assert separation_reliability(scores).undefined == "the mean squared error of the scores exceeds their variance"
    with pytest.raises(Undefined, match="from 0 to below 1, not 1"):
        separation_index(1.0)


def test_split_half_reliability_recovers_the_squared_correlation_with_the_truth():
    comparisons, truth = simulated_run(np.random.default_rng(4), n_candidates=40, n_contexts=1, noise=4)

    figure = split_half_reliability("poe-bt", comparisons, np.random.default_rng(5), splits=20)

    squared = np.corrcoef(score("poe-bt", comparisons).complete(), truth)[0, 1] ** 2
    assert figure.value == pytest.approx(squared, abs=0.05)
    assert figure.low < figure.value < figure.high
    assert figure.n == 20


def test_split_half_reliability_of_answers_without_a_truth_is_near_zero():
    comparisons, _ = simulated_run(np.random.default_rng(6), n_candidates=40, n_contexts=1)
    random = comparisons.with_p_first(np.random.default_rng(7).random(len(comparisons)))

    figure = split_half_reliability("average-probability", random, np.random.default_rng(8), splits=20)

    assert abs(figure.value) < 0.4


def test_split_half_reliability_of_halves_that_contradict_each_other_is_their_correlation():
    """One order in a cycle of four says the contrary of its other half: stepped up, -0.9 would be -18."""
    first, second = np.array([0, 1, 2, 3, 0, 1]), np.array([1, 2, 3, 0, 2, 3])
    answers = np.array([0.9, 0.8, 0.9, 0.7, 0.2, 0.4])

    figure = split_half_reliability(
        "average-probability", Comparisons(4, first, second, answers), np.random.default_rng(0)
    )

    assert figure.value < 0
    assert -1 <= figure.low < figure.value < figure.high <= 1


@pytest.mark.parametrize("p_first", [[0.9], [0.5] * 3])
def test_split_half_reliability_says_when_no_half_can_be_scored(p_first):
    """One pair has no halves; ties give equal scores."""
    first, second = [0, 1, 2], [1, 2, 0]
    comparisons = Comparisons(3, first[: len(p_first)], second[: len(p_first)], p_first)

    assert split_half_reliability("poe-bt", comparisons, np.random.default_rng(0), splits=3).undefined == (
        "no split of the comparisons leaves both halves with two scored candidates in common whose scores differ"
    )


def test_split_half_reliability_refuses_no_split_and_no_ranking():
    comparisons = Comparisons(2, [0], [1], [0.9])

    with pytest.raises(InvalidComparisons, match="splits is 0"):
        split_half_reliability("poe-bt", comparisons, np.random.default_rng(0), splits=0)
    with pytest.raises(UnknownRanking):
        split_half_reliability("elo", comparisons, np.random.default_rng(0))


def test_split_half_reliabilities_of_several_rankings_are_those_of_each_alone():
    comparisons, _ = decided_run(4)
    rankings = ["win-ratio", "poe-bt"]

    assert split_half_reliabilities(rankings, comparisons, np.random.default_rng(1), splits=3) == {
        ranking: split_half_reliability(ranking, comparisons, np.random.default_rng(1), splits=3)
        for ranking in rankings
    }


def test_scores_without_reason_are_defined():
    assert fixed([1.0, np.nan]).reasons.tolist() == [Reason.NONE, Reason.NO_SCORE]
