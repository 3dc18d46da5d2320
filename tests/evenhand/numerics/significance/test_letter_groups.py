from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.numerics.significance.letter_groups import groups_without_difference, letter_names

SIZES = st.integers(1, 7)


def differing(n, pairs):
    different = np.zeros((n, n), dtype=bool)
    for one, other in pairs:
        different[one, other] = different[other, one] = True
    return different


@st.composite
def who_differs(draw):
    n = draw(SIZES)
    pairs = list(combinations(range(n), 2))
    return differing(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def largest_sets_by_trying_all(different):
    n = len(different)
    alike = [
        set(members)
        for size in range(1, n + 1)
        for members in combinations(range(n), size)
        if not different[np.ix_(members, members)].any()
    ]
    return sorted(sorted(group) for group in alike if not any(group < larger for larger in alike))


def members(groups):
    return [np.flatnonzero(group).tolist() for group in groups]


def test_judges_in_a_row_of_which_only_the_ends_differ_have_two_letters():
    assert members(groups_without_difference(differing(3, [(0, 2)]))) == [[0, 1], [1, 2]]


def test_judges_that_all_differ_have_a_letter_each_and_judges_alike_one_together():
    assert members(groups_without_difference(differing(3, [(0, 1), (0, 2), (1, 2)]))) == [[0], [1], [2]]
    assert members(groups_without_difference(differing(3, []))) == [[0, 1, 2]]
    assert groups_without_difference(np.zeros((0, 0), dtype=bool)).shape == (0, 0)


@given(who_differs())
def test_two_judges_share_a_letter_if_and_only_if_they_do_not_differ(different):
    groups = groups_without_difference(different).astype(int)

    assert ((groups.T @ groups > 0) == ~different).all()


@given(who_differs())
def test_groups_are_the_largest_sets_and_each_is_there_once(different):
    assert members(groups_without_difference(different)) == largest_sets_by_trying_all(different)


@pytest.mark.parametrize("wrong", [np.eye(2, dtype=bool), np.array([[False, True], [False, False]])])
def test_differences_that_are_not_mutual_are_refused(wrong):
    with pytest.raises(InvalidComparisons, match="must be symmetric"):
        groups_without_difference(wrong)


def test_letters_go_on_after_z():
    assert letter_names(28)[-3:] == ["z", "aa", "ab"]
    assert letter_names(26 + 26 * 26 + 1)[-2:] == ["zz", "aaa"]
