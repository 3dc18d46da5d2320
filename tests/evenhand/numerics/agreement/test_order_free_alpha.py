import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.agreement.krippendorff import krippendorff_alpha, order_free_alpha
from evenhand.numerics.agreement.rating_tables import MISSING_RATING, RatingTable
from evenhand.numerics.comparisons import Comparisons

PAIRS = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]


def table_of(answers, *, numbers=range(4)):
    """Raters who answered the pairs of four candidates, under other numbers. answers: (n_raters, n_pairs)."""
    first, second = np.array([[numbers[one], numbers[other]] for one, other in PAIRS]).T
    return RatingTable.of_pairs([Comparisons(4, first, second, np.array(given, dtype=float)) for given in answers])


def test_order_free_alpha_is_that_of_all_pairs_in_both_orders():
    """Mirrored units double the number of ratings, which alpha corrects for; here they are many."""
    codes = np.random.default_rng(0).integers(-1, 3, (4, 2_000))
    mirrored = np.where(codes == MISSING_RATING, MISSING_RATING, 2 - codes)
    both = RatingTable(np.concatenate([codes, mirrored], axis=1), np.arange(3.0))

    assert order_free_alpha(RatingTable(codes, np.arange(3.0))).value == pytest.approx(
        krippendorff_alpha(both).value, abs=1e-3
    )


def test_order_free_alpha_of_an_example_worked_by_hand():
    """Two raters, four pairs: both prefer the lower one three times, once they disagree. 8 ratings, 4 a side."""
    table = RatingTable(np.array([[2, 2, 2, 2], [2, 2, 2, 0]]), np.arange(3.0))

    figure = order_free_alpha(table)

    assert (figure.value, figure.n) == (pytest.approx(1 - (2 / 8) / ((64 - 32) / (8 * 7))), 8)


@given(st.lists(st.lists(st.sampled_from([0, 0.5, 1]), min_size=6, max_size=6), min_size=2, max_size=4), st.randoms())
def test_order_free_alpha_does_not_depend_on_how_candidates_are_numbered(answers, random):
    numbers = random.sample(range(4), 4)

    one, other = order_free_alpha(table_of(answers)), order_free_alpha(table_of(answers, numbers=numbers))

    assert one.value == (None if other.value is None else pytest.approx(other.value))


def test_order_free_alpha_of_perfect_agreement_is_one():
    assert order_free_alpha(table_of([[1, 1, 1, 1, 1, 1]] * 2)).value == 1


def test_order_free_alpha_is_undefined_where_nobody_shares_a_pair_or_all_is_tied():
    apart = RatingTable(np.array([[2, MISSING_RATING], [MISSING_RATING, 2]]), np.arange(3.0))
    tied = RatingTable(np.ones((2, 3), dtype=int), np.arange(3.0))

    assert order_free_alpha(apart).undefined == "no unit has two ratings"
    assert order_free_alpha(tied).undefined == "all ratings are of one category, so agreement by chance is certain"
