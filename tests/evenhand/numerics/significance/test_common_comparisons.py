import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.numerics.significance.paired_tests import common_comparisons


def test_common_comparisons_are_those_that_both_answered():
    one = Comparisons(3, [0, 1, 2], [1, 2, 0], [0.1, 0.2, 0.3])
    other = Comparisons(3, [2, 1, 0], [0, 0, 1], [0.4, 0.5, 0.6])

    mine, theirs = common_comparisons(one, other)

    assert mine.p_first.tolist() == [0.1, 0.3]
    assert theirs.p_first.tolist() == [0.6, 0.4]


def test_common_comparisons_refuse_other_candidates():
    one, other = Comparisons(2, [0], [1], [1.0]), Comparisons(3, [0], [1], [1.0])

    with pytest.raises(InvalidComparisons, match="not of the same candidates"):
        common_comparisons(one, other)


def test_common_comparisons_refuse_a_pair_asked_twice():
    twice = Comparisons(2, [0, 0], [1, 1], [1.0, 0.0])

    with pytest.raises(InvalidComparisons, match="compared twice"):
        common_comparisons(twice, twice)
