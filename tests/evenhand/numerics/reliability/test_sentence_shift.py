"""The shift by an added sentence, on the same ordered pairs."""

import numpy as np
import pytest

from evenhand.numerics import Comparisons
from evenhand.numerics.reliability.sentence_shift import SentencePairs, flips_in_both_orders, shift_figures


def pairs_of(without, with_it, is_first):
    """Both orders of one pair in each of two contexts: 0-1, 1-0, 2-3, 3-2."""
    comparisons = [Comparisons(4, [0, 1, 2, 3], [1, 0, 3, 2], p_first, starts=[0, 2]) for p_first in (without, with_it)]
    return SentencePairs(*comparisons, np.array(is_first))


def test_shift_is_the_mean_change_of_the_preference_for_the_text_with_the_sentence_also_of_a_part():
    pairs = pairs_of([0.4, 0.7, 0.5, 0.5], [0.6, 0.4, 0.9, 0.3], [True, False, False, True])

    figures = shift_figures(pairs)

    assert figures.without_it.value == pytest.approx(np.mean([0.4, 0.3, 0.5, 0.5]))
    assert figures.with_it.value == pytest.approx(np.mean([0.6, 0.6, 0.1, 0.3]))
    assert figures.shift.value == pytest.approx(np.mean([0.2, 0.3, -0.4, -0.2]))
    assert (figures.to_it.value, figures.from_it.value, figures.shift.n) == (0.5, 0.5, 4)

    figures = shift_figures(pairs, pairs.is_first)

    assert (figures.shift.value, figures.shift.n) == (pytest.approx((0.2 - 0.2) / 2), 2)


def test_figures_of_a_shift_have_intervals_over_contexts():
    rng = np.random.default_rng(1)
    first = 2 * np.repeat(np.arange(5), 4)
    runs = [Comparisons(10, first, first + 1, rng.random(20), starts=2 * np.arange(5)) for _ in range(2)]

    figures = shift_figures(SentencePairs(*runs, np.ones(20, dtype=bool)))

    for figure in (figures.with_it, figures.shift, figures.to_it):
        assert figure.low < figure.value < figure.high


def test_no_pair_gives_no_shift():
    pairs = pairs_of([0.4, 0.7, 0.5, 0.5], [0.6, 0.4, 0.9, 0.3], [True] * 4)

    assert shift_figures(pairs, ~pairs.is_first).shift.undefined == "no ordered pair has an answer in both runs"


def test_both_orders_must_turn_to_the_text_with_the_sentence():
    turned = pairs_of([0.4, 0.7, 0.5, 0.5], [0.6, 0.4, 0.9, 0.3], [True, False, False, True])
    half = pairs_of([0.4, 0.7, 0.5, 0.5], [0.6, 0.6, 0.9, 0.3], [True, False, False, True])

    assert (flips_in_both_orders(turned).value, flips_in_both_orders(turned).n) == (0.5, 2)
    assert flips_in_both_orders(half).value == 0


def test_pairs_in_one_order_have_no_flips_in_both():
    one_order = Comparisons(2, [0], [1], [0.4])

    figure = flips_in_both_orders(SentencePairs(one_order, one_order, np.array([True])))

    assert figure.undefined == "no pair has answers in both orders in both runs"
