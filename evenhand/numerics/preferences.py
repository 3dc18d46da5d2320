"""Preferences of a judge: for longer texts, its own model family and systems; and how thinking moves its answers."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.accuracy import context_credits
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_mean, pooled_share, share_figure, share_figures

GAP_EDGES = (0.0, 0.1, 0.25, 0.5, 1.0)
"""Edges of the bins of the relative length difference. A difference on an edge belongs to the upper bin."""
NO_SUCH_LENGTHS = "no comparison of texts with such lengths has a human preference"
_N_BINS = len(GAP_EDGES) - 1
_EQUAL, _LONGER, _SHORTER = range(3)


@dataclass(frozen=True, slots=True)
class LengthAccuracy:
    """Accuracy if people prefer the longer text, if they prefer the shorter, and by length difference.

    by_gap: one figure for each bin of `GAP_EDGES`.
    """

    longer_right: Figure
    shorter_right: Figure
    by_gap: tuple[Figure, ...]


def longer_first(comparisons: Comparisons, lengths: IntArray) -> FloatArray:
    """Return the position of the longer text, (n,): 1 for `first`, 0 for `second`, NaN for equal lengths.

    lengths: int, (n_candidates,). Characters.
    """
    first, second = lengths[comparisons.first], lengths[comparisons.second]
    return np.where(first > second, 1.0, np.where(first < second, 0.0, np.nan))


def own_kind_first(comparisons: Comparisons, is_own: BoolArray) -> FloatArray:
    """Return the position of the text of the judge's own kind, (n,): 1 for `first`, 0 for `second`.

    NaN if both or neither are of its kind.

    is_own: bool, (n_candidates,).
    """
    first, second = is_own[comparisons.first], is_own[comparisons.second]
    return np.where(first == second, np.nan, first.astype(np.float64))


def favoured_share(
    comparisons: Comparisons, favoured: FloatArray, decisions: FloatArray | None = None, *, if_empty: str
) -> Figure:
    """Return the share of decisions for the favoured side; a tie counts 1/2.

    favoured: float, (n,). 1 for `first`, 0 for `second`, NaN for comparisons that do not count.
    decisions: float, (n,), 0, 1/2, 1, or NaN if missing. Default: p_first against 1/2.
    """
    counted = favoured if decisions is None else np.where(np.isnan(decisions), np.nan, favoured)
    for_favoured, total = context_credits(comparisons, counted, decisions)
    return share_figure(for_favoured, total, if_empty=if_empty)


def accuracy_by_length(comparisons: Comparisons, right: FloatArray, lengths: IntArray) -> LengthAccuracy:
    """Split accuracy by the lengths of both texts. right: float, (n,), from `human_preferences`."""
    known = ~np.isnan(right)
    compared, truths = comparisons.select(known), right[known]
    credits = 1 - np.abs(decide(compared.p_first) - truths)
    long = longer_first(compared, lengths)
    side = np.where(np.isnan(long), _EQUAL, np.where(long == truths, _LONGER, _SHORTER))
    cells = (compared.contexts * 3 + side) * _N_BINS + _gap_bins(compared, lengths)
    shape = (comparisons.n_contexts, 3, _N_BINS)
    correct, counted = (
        np.bincount(cells, weights, int(np.prod(shape))).astype(np.float64).reshape(shape)
        for weights in (credits, None)
    )
    shares = share_figures(_by_group(correct), _by_group(counted), if_empty=NO_SUCH_LENGTHS)
    return LengthAccuracy(shares[0], shares[1], tuple(shares[2:]))


def _gap_bins(comparisons: Comparisons, lengths: IntArray) -> IntArray:
    """Return the bin of each length difference, as a share of the longer text, (n,)."""
    first, second = lengths[comparisons.first], lengths[comparisons.second]
    gaps = np.abs(first - second) / np.maximum(np.maximum(first, second), 1)
    return np.searchsorted(GAP_EDGES[1:-1], gaps, side="right")


def _by_group(cells: FloatArray) -> FloatArray:
    """Sum cells, (n_contexts, 3, _N_BINS), to longer right, shorter right and each bin: (n_contexts, 2 + _N_BINS)."""
    by_side, by_bin = cells.sum(axis=2), cells.sum(axis=1)
    return np.hstack([by_side[:, [_LONGER, _SHORTER]], by_bin])


NOT_KNOWN_BEFORE = "no comparison has a p_first both with and without thinking"
NO_SCORE_BEFORE = "no candidate has a score both with and without thinking"


def thinking_shift(comparisons: Comparisons, before: FloatArray) -> Figure:
    """Return the mean absolute difference between p_first after thinking and without it.

    before: float, (n,). p_first without thinking; NaN where it is not known.
    """
    shift = np.abs(comparisons.p_first - before)
    known = shift if comparisons.bounded is None else np.where(comparisons.bounded, np.nan, shift)
    return pooled_mean(comparisons.contexts, known, comparisons.n_contexts, if_empty=NOT_KNOWN_BEFORE)


def thinking_flips(comparisons: Comparisons, before: FloatArray) -> Figure:
    """Return the share of comparisons that thinking decides differently. A tie differs from both sides.

    before: as for `thinking_shift`.
    """
    flipped = np.where(np.isnan(before), np.nan, np.sign(comparisons.p_first - 0.5) != np.sign(before - 0.5))
    return pooled_share(comparisons.contexts, flipped, comparisons.n_contexts, if_empty=NOT_KNOWN_BEFORE)


def score_shift(contexts: IntArray, scores: FloatArray, before: FloatArray, n_contexts: int) -> Figure:
    """Return the mean absolute difference between scores after thinking and without it, in points of their scale.

    contexts: int, (n,). Context of each candidate. scores, before: float, (n,). NaN where missing.
    """
    return pooled_mean(contexts, np.abs(scores - before), n_contexts, if_empty=NO_SCORE_BEFORE)


NO_OTHER_SYSTEM = "no comparison of this system with another one has an answer"


def win_rates(comparisons: Comparisons, decisions: FloatArray, systems: IntArray) -> list[Figure]:
    """Return the win rate of each system, with its interval over contexts. n counts its comparisons; a tie is one half.

    decisions: float, (n_comparisons,). 0, 1/2 or 1 for the first. systems: int, (n_candidates,), from 0; -1: unknown.
    """
    first, second = systems[comparisons.first], systems[comparisons.second]
    counted = (first != second) & (first >= 0) & (second >= 0)
    contexts = comparisons.contexts[counted]
    shape = (comparisons.n_contexts, int(systems.max(initial=-1)) + 1)
    wins, played = np.zeros(shape), np.zeros(shape)
    for side, credits in ((first, decisions), (second, 1 - decisions)):
        np.add.at(wins, (contexts, side[counted]), credits[counted])
        np.add.at(played, (contexts, side[counted]), 1)
    return share_figures(wins, played, if_empty=NO_OTHER_SYSTEM)
