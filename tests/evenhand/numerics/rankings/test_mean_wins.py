import numpy as np
import pytest
from hypothesis import given
from scipy.stats import spearmanr

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.rankings.mean_wins import average_probability, win_ratio
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, mirrored, simulated_run


def test_win_ratio_counts_a_tie_as_half_a_win():
    scores = win_ratio(Comparisons(3, [0, 1, 2], [1, 2, 0], [0.9, 0.5, 0.2]))

    assert scores.complete().tolist() == [1.0, 0.25, 0.25]


def test_win_ratio_turns_at_the_threshold():
    scores = win_ratio(Comparisons(2, [0, 1], [1, 0], [0.7, 0.6]), threshold=0.65)

    assert scores.complete().tolist() == [1.0, 0.0]


def test_average_probability_takes_one_minus_p_for_the_second():
    scores = average_probability(Comparisons(2, [0, 1], [1, 0], [0.75, 0.5]))

    assert scores.complete().tolist() == [0.625, 0.375]


@pytest.mark.parametrize("ranking", [win_ratio, average_probability])
@given(comparisons=connected_contexts_of_comparisons())
def test_ratios_do_not_depend_on_which_side_a_candidate_is_shown(ranking, comparisons):
    assert ranking(mirrored(comparisons)).complete() == pytest.approx(ranking(comparisons).complete())


@pytest.mark.parametrize("ranking", [win_ratio, average_probability])
def test_ratios_recover_the_order_of_the_truth(ranking):
    comparisons, truth = simulated_run(np.random.default_rng(1), n_contexts=1, n_candidates=30, noise=0.3)

    assert spearmanr(ranking(comparisons).complete(), truth).statistic > 0.95


def test_ratios_have_no_score_for_a_candidate_that_was_not_compared():
    scores = win_ratio(Comparisons(3, [0], [2], [1.0]))

    assert scores.defined.tolist() == [True, False, True]
    assert scores.why(1) == "the candidate has no answered comparison"
    with pytest.raises(Undefined, match="candidate 1 has no score"):
        scores.complete()


def test_ratios_have_no_standard_error():
    scores = average_probability(Comparisons(2, [0], [1], [0.7]))

    assert not scores.errors_defined.any()
    assert scores.why_no_error(0) == "this ranking has no standard error"
