"""Rankings of systems from the comparisons with one of them."""

import numpy as np
import pytest

from evenhand.numerics import Comparisons
from evenhand.numerics.selection.anchored_systems import (
    ALL_SYSTEMS_EQUAL,
    FEWER_THAN_THREE,
    possible_anchors,
    rank_by_anchor,
    rank_correlations,
    ranks_of,
    spread_of_ranks,
    system_means,
)
from evenhand.numerics.selection.pair_selection import pairs_with_anchors

SYSTEMS = np.array([0, 1, 2, 0, 1, 2])  # two contexts of three texts
STARTS = np.array([0, 3])


def compared(*answers):
    """Comparisons of (first, second, p_first)."""
    first, second, p_first = zip(*answers, strict=True)
    return Comparisons(6, np.array(first), np.array(second), np.array(p_first), STARTS)


EVERY_PAIR = compared((0, 1, 0.9), (0, 2, 0.6), (1, 2, 0.2), (3, 4, 0.8), (3, 5, 0.5), (4, 5, 0.1))


def test_pairs_with_anchors_join_every_other_text_with_each_anchor_in_both_orders():
    pairs = pairs_with_anchors(np.array([1]), 3)

    assert sorted(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert len(pairs_with_anchors(np.array([0, 3]), 5)) == 2 * 2 * 3


def test_ranking_by_an_anchor_reads_only_its_comparisons():
    anchored = rank_by_anchor(EVERY_PAIR, SYSTEMS, 3, anchor=0, ranking="average-probability")

    assert (anchored.anchor, anchored.comparisons, anchored.contexts) == (0, 4, 2)
    # system 0 wins with 0.9, 0.6, 0.8 and 0.5 on average; the others with what is left
    assert anchored.scores == pytest.approx([(0.75 + 0.65) / 2, (0.1 + 0.2) / 2, (0.4 + 0.5) / 2])


def test_comparisons_within_the_anchor_are_not_read():
    systems = np.array([0, 0, 1, 0, 1, 2])

    assert rank_by_anchor(EVERY_PAIR, systems, 3, anchor=0, ranking="win-ratio").comparisons == 4


def test_a_possible_anchor_is_compared_with_every_other_compared_system():
    chain = compared((0, 1, 0.9), (4, 5, 0.1))

    assert possible_anchors(EVERY_PAIR, SYSTEMS, 3) == [0, 1, 2]
    assert possible_anchors(chain, SYSTEMS, 3) == [1]
    assert possible_anchors(compared((0, 1, 0.9)), SYSTEMS, 3) == [0, 1]
    assert possible_anchors(EVERY_PAIR, np.full(6, -1), 3) == []


def test_system_means_leave_out_missing_scores_and_unknown_systems():
    values, systems = np.array([1.0, np.nan, 3.0, 5.0]), np.array([0, 0, -1, 1])

    assert system_means(values, systems, 3)[:2] == pytest.approx([1.0, 5.0])
    assert np.isnan(system_means(values, systems, 3)[2])


def test_rank_correlations_are_of_the_systems_in_both_rankings():
    one, other = np.array([1.0, 2.0, 3.0, np.nan, 9.0]), np.array([1.0, 3.0, 2.0, 7.0, np.nan])

    figures = rank_correlations(one, other)

    assert (figures["spearman"].value, figures["spearman"].n) == (pytest.approx(0.5), 3)
    assert figures["kendall"].value == pytest.approx(1 / 3)


def test_rank_correlations_name_why_they_are_undefined():
    assert rank_correlations(np.array([1.0, 2.0]), np.array([1.0, 2.0]))["kendall"].undefined == FEWER_THAN_THREE
    assert rank_correlations(np.arange(3.0), np.ones(3))["spearman"].undefined == ALL_SYSTEMS_EQUAL
    assert rank_correlations(np.ones(3), np.arange(3.0))["spearman"].value == 0


def test_spread_of_ranks_is_over_the_anchors_that_score_a_system():
    anchored = [rank_by_anchor(EVERY_PAIR, SYSTEMS, 3, anchor=number, ranking="win-ratio") for number in range(3)]

    best, worst = spread_of_ranks(anchored)

    rows = np.stack([ranks_of(one.scores) for one in anchored])
    assert best.tolist() == rows.min(axis=0).tolist()
    assert worst.tolist() == rows.max(axis=0).tolist()
    assert ranks_of(np.array([0.2, np.nan, 0.7, 0.7])).tolist()[::2] == [3.0, 1.5]
