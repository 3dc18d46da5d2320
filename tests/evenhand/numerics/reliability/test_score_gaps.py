import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.reliability.score_gaps import NO_SCORE_GAP, NO_SUCH_GAP, accuracy_by_score_gap

SCORES = np.array([0.0, 0.5, 1.0, 2.0, 10.0])


def compared(*pairs):
    """Comparisons of one context. pairs: first, second, p_first."""
    first, second, p_first = zip(*pairs, strict=True)
    return Comparisons(len(SCORES), first, second, p_first)


def values(*pairs, scores=SCORES):
    return [one.value for one in accuracy_by_score_gap(compared(*pairs), scores)]


def test_accuracy_is_split_by_the_difference_as_a_share_of_the_range():
    """The range is 10: differences of 0.5, 2, 10 and 8 are 5, 20, 100 and 80 % of it."""
    right, wrong, tie, sure = (1, 0, 0.9), (0, 3, 0.9), (4, 0, 0.5), (4, 3, 1.0)

    assert values(right, wrong, tie, sure) == [1, 0, None, 0.75]


@pytest.mark.parametrize(("second", "expected"), [(2, [None, 1, None, None]), (1, [1, None, None, None])])
def test_difference_on_an_edge_belongs_to_the_upper_bin(second, expected):
    """A difference of 1 in 10 is the edge at 10 %."""
    assert values((second, 0, 0.9)) == expected


def test_pairs_with_equal_or_missing_scores_do_not_count():
    scores = np.array([1.0, 1.0, np.nan, 2.0, 5.0])

    figures = accuracy_by_score_gap(compared((0, 1, 0.9), (0, 2, 0.9), (4, 0, 0.9)), scores)

    assert [one.n for one in figures] == [0, 0, 0, 1]
    assert figures[0].undefined == NO_SUCH_GAP


@pytest.mark.parametrize("scores", [np.full(5, np.nan), np.full(5, 3.0)])
def test_scores_without_a_range_have_no_accuracy(scores):
    assert {one.undefined for one in accuracy_by_score_gap(compared((0, 1, 0.9)), scores)} == {NO_SCORE_GAP}


def test_bins_together_are_the_accuracy():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=40)
    first, second = rng.integers(0, 20, 300), rng.integers(20, 40, 300)
    comparisons = Comparisons(40, first, second, rng.random(300))
    right = np.where(scores[first] > scores[second], comparisons.p_first > 0.5, comparisons.p_first < 0.5)

    figures = accuracy_by_score_gap(comparisons, scores)

    assert sum(one.value * one.n for one in figures) == pytest.approx(right.sum())
    assert sum(one.n for one in figures) == 300
