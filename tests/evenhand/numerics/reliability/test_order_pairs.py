"""The answers to each pair in both orders."""

import numpy as np
import pytest

from evenhand.numerics import Comparisons, Undefined
from evenhand.numerics.reliability.pair_means import OrderPairs


def comparisons(*rows, n_contexts=2):
    """Three candidates per context. rows: first, second, p_first."""
    first, second, p_first = zip(*rows, strict=True)
    return Comparisons(
        n_candidates=3 * n_contexts,
        first=np.array(first),
        second=np.array(second),
        p_first=np.array(p_first, dtype=float),
        starts=np.arange(n_contexts) * 3,
    )


def test_both_answers_are_about_the_text_that_stands_first_in_the_dataset():
    pairs = OrderPairs.of(comparisons((0, 1, 0.9), (1, 0, 0.3), (5, 3, 0.2), (3, 5, 0.6), (0, 2, 0.4)))

    assert sorted(zip(pairs.shown_first.tolist(), pairs.shown_second.tolist(), strict=True)) == [(0.6, 0.8), (0.9, 0.7)]
    assert (pairs.mean_first.value, pairs.mean_second.value) == (pytest.approx(0.75), pytest.approx(0.75))
    assert (pairs.lean.value, pairs.lean.n) == (pytest.approx(0.0), 2)


def test_lean_is_twice_the_excess_of_the_mean_p_first():
    rows = [(0, 1, 0.9), (1, 0, 0.6), (3, 4, 0.7), (4, 3, 0.9), (6, 7, 0.5), (7, 6, 0.4)]

    lean = OrderPairs.of(comparisons(*rows, n_contexts=3)).lean

    assert lean.value == pytest.approx(2 * (np.mean([p for *_, p in rows]) - 0.5))
    assert lean.low < lean.high


def test_judge_that_always_says_first_has_a_lean_of_one_and_flips_every_pair():
    pairs = OrderPairs.of(comparisons((0, 1, 1), (1, 0, 1), (3, 5, 1), (5, 3, 1), (6, 7, 1), (7, 6, 1), n_contexts=3))

    assert (pairs.lean.value, pairs.lean.low, pairs.lean.high) == (1, 1, 1)
    assert pairs.flipped.value == 1


def test_law_swapping_both_texts_of_every_comparison_mirrors_the_lean():
    rows = [(0, 1, 0.9), (1, 0, 0.3), (5, 3, 0.2), (3, 5, 0.6)]

    turned = OrderPairs.of(comparisons(*((second, first, 1 - p) for first, second, p in rows)))

    assert turned.lean.value == pytest.approx(-OrderPairs.of(comparisons(*rows)).lean.value)


def test_pairs_in_one_order_are_undefined():
    with pytest.raises(Undefined, match="no pair was decided in both orders"):
        OrderPairs.of(comparisons((0, 1, 0.9), (1, 2, 0.3)))
