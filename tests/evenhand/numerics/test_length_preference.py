import numpy as np
import pytest

from evenhand.numerics.accuracy import accuracy, human_preferences
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import share_figure
from evenhand.numerics.preferences import (
    accuracy_by_length,
    favoured_share,
    longer_first,
    own_kind_first,
)
from tests.evenhand.numerics.simulation import simulated_run

NAN = np.nan
LENGTHS = np.array([100, 95, 80, 60, 20, 100])
STAR = Comparisons(6, [0, 2, 0, 0, 0], [1, 0, 3, 4, 5], [0.9, 0.9, 0.5, 0.9, 0.9])  # all against candidate 0


def test_longer_tells_where_the_longer_text_stands():
    assert longer_first(STAR, LENGTHS).tolist() == pytest.approx([1, 0, 1, 1, NAN], nan_ok=True)


def test_own_tells_where_the_only_own_text_stands():
    comparisons = Comparisons(4, [0, 2, 0, 2], [2, 0, 1, 3], [0.9] * 4)

    assert own_kind_first(comparisons, np.array([True, True, False, False])).tolist() == pytest.approx(
        [1, 0, NAN, NAN], nan_ok=True
    )


def test_preference_counts_a_tie_half():
    share = favoured_share(STAR, longer_first(STAR, LENGTHS), if_empty="none")

    assert (share.value, share.n) == (2.5 / 4, 4)


def test_preference_of_others_counts_where_they_decide():
    right = np.array([1.0, 0.0, NAN, 0.0, 1.0])

    share = favoured_share(STAR, longer_first(STAR, LENGTHS), right, if_empty="none")

    assert (share.value, share.n) == (2 / 3, 3)


def test_preference_without_a_side_says_why():
    assert favoured_share(STAR, np.full(5, NAN), if_empty="no such pair") == Figure.missing("no such pair", n=0)


def test_a_judge_that_counts_characters_always_prefers_the_longer_text():
    comparisons, _ = simulated_run(np.random.default_rng(1), n_contexts=4)
    lengths = np.random.default_rng(2).permutation(comparisons.n_candidates)
    by_length = comparisons.with_p_first(longer_first(comparisons, lengths))

    share = favoured_share(by_length, longer_first(by_length, lengths), if_empty="none")

    assert share.value == share.high == 1
    assert share.low < 1  # four contexts


def test_accuracy_is_split_by_which_text_is_right():
    right = np.array([1.0, 1.0, 0.0, 0.0, 1.0])  # people prefer 0, 2, 3, 4, and 0 of the equally long

    split = accuracy_by_length(STAR, right, LENGTHS)

    assert (split.longer_right.value, split.longer_right.n) == (1, 1)
    assert (split.shorter_right.value, split.shorter_right.n) == (1.5 / 3, 3)


def test_accuracy_is_split_by_the_gap_as_a_share_of_the_longer_text():
    right = np.array([1.0, 1.0, 1.0, 0.0, 1.0])  # gaps 5 %, 20 %, 40 %, 80 % and 0 %

    split = accuracy_by_length(STAR, right, LENGTHS)

    assert [(share.value, share.n) for share in split.by_gap] == [(1, 2), (1, 1), (0.5, 1), (0, 1)]


@pytest.mark.parametrize(("other", "place"), [(90, 1), (75, 2), (50, 3), (0, 3)])
def test_a_gap_on_an_edge_is_in_the_upper_bin(other, place):
    split = accuracy_by_length(Comparisons(2, [0], [1], [0.9]), np.array([1.0]), np.array([100, other]))

    assert [share.n for share in split.by_gap].index(1) == place


def test_two_empty_texts_have_no_gap():
    split = accuracy_by_length(Comparisons(2, [0], [1], [0.9]), np.array([1.0]), np.array([0, 0]))

    assert split.by_gap[0].n == 1


def test_split_accuracies_are_those_of_the_comparisons_apart():
    rng = np.random.default_rng(3)
    comparisons, scores = simulated_run(rng, n_contexts=6)
    right, lengths = human_preferences(comparisons, np.round(scores)), rng.integers(10, 99, comparisons.n_candidates)
    long = longer_first(comparisons, lengths)

    split = accuracy_by_length(comparisons, right, lengths)

    for share, chosen in ((split.longer_right, right == long), (split.shorter_right, right == 1 - long)):
        apart = accuracy(comparisons.select(chosen), right[chosen])
        assert (share.value, share.n) == (pytest.approx(apart.value), apart.n)
        assert (share.low, share.high) == pytest.approx((apart.low, apart.high), abs=0.03)
    assert sum(share.n for share in split.by_gap) == int((~np.isnan(right)).sum())


def test_without_a_truth_every_split_says_why():
    split = accuracy_by_length(STAR, np.full(5, NAN), LENGTHS)

    missing = share_figure(np.zeros(1), np.zeros(1), if_empty=split.longer_right.undefined)
    assert [split.longer_right, split.shorter_right, *split.by_gap] == [missing] * 6
    assert split.longer_right.undefined == "no comparison of texts with such lengths has a human preference"
