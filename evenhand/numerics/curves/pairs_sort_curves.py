"""PairS on ranking curves. PairS chooses its own comparisons, so it has one point per beam width."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.curve_measures import CURVE_MEASURES, BatchMeasure, HumanJudgments
from evenhand.numerics.curves.curve_points import CurvePoint, point_of
from evenhand.numerics.fitting.batches import ContextBatch, batches
from evenhand.numerics.rankings.registry import CURVE_RANKINGS, RANKING_TITLES
from evenhand.numerics.selection.pairs_sort import PAIRS_SORT, merged_orders

CURVE_TITLES: Mapping[str, str] = MappingProxyType(
    {name: title for name, title in RANKING_TITLES.items() if name in CURVE_RANKINGS} | {PAIRS_SORT: "PairS"}
)
"""name -> title on pages, for every ranking with a curve."""
BEAMS = (1, 4, 16)
_CHUNK_CELLS = 1 << 21


def pairs_sort_curve(
    comparisons: Comparisons,
    truth: HumanJudgments,
    *,
    measure: str = "spearman",
    draws: int = 50,
    seed: int = 0,
    beams: Sequence[int] = BEAMS,
    calls: int = 1,
) -> list[CurvePoint]:
    """Compute one point per beam from recorded answers. Draws are random starting orders, the same for all beams.

    A point's comparisons are the mean number per context. If a sort needs an ordered pair without an answer, the point
    is undefined. calls: calls per comparison; 2 for means of both orders.
    """
    totals, rng = np.zeros((len(beams), 5, draws)), np.random.default_rng(seed)
    for part in _parts(comparisons, draws):
        answers = np.full((part.n_contexts, part.size, part.size), np.nan)
        answers[part.rows, part.first, part.second] = comparisons.p_first[part.members]
        shape = (part.n_contexts, draws, part.size)
        starts = rng.permuted(np.broadcast_to(np.arange(part.size), shape), axis=2)
        for numbers in _draws_at_a_time(part, draws):
            measured = CURVE_MEASURES[measure](truth.of_draws(numbers), part)
            for at, beam in enumerate(beams):
                totals[at][:, numbers] += _sums(answers, starts[:, numbers], measured, beam)
    if_skipped = CURVE_MEASURES[measure].if_skipped
    return [_point(total, beam, calls, if_skipped) for total, beam in zip(totals, beams, strict=True)]


def _sums(answers: FloatArray, starts: IntArray, measured: BatchMeasure, beam: int) -> FloatArray:
    """Sort each starting order, and sum over contexts, (5, n_draws).

    The sums are of weighted values and of weights; and over contexts that count, of comparisons, of sorts, and of sorts
    that needed a pair without an answer.

    answers: float, (n_contexts, size, size). P(first better), NaN if unanswered. starts: (n_contexts, n_draws, size).
    """
    n_contexts, n_draws, size = starts.shape
    rows = np.repeat(np.arange(n_contexts), n_draws)
    merged = merged_orders(answers, rows, starts.reshape(-1, size), beam=beam)
    scores = np.empty(merged.orders.shape)
    np.put_along_axis(scores, merged.orders, np.broadcast_to(-np.arange(1.0, size + 1), scores.shape), axis=1)
    weights = np.broadcast_to(measured.weights, (n_contexts, n_draws))
    counted = weights > 0
    values = np.where(counted, measured.values(scores.T.reshape(size, n_contexts, n_draws)), 0.0)
    numbers, unanswered = (array.reshape(weights.shape) for array in (merged.comparisons, merged.unanswered))
    parts = (values * weights, weights, numbers * counted, counted, unanswered & counted)
    return np.array([part.sum(axis=0) for part in parts], dtype=np.float64)


def _point(totals: FloatArray, beam: int, calls: int, if_skipped: str) -> CurvePoint:
    """Return the point of one beam. totals: as in `_sums`."""
    values, weights = totals[:2]
    comparisons, sorts, unanswered = (int(total) for total in totals[2:].sum(axis=1))
    if unanswered:
        reason = f"PairS comes to an ordered pair that the run has no answer to, in {unanswered:,} of {sorts:,} sorts"
        return CurvePoint.missing(reason, beam=beam)
    if not sorts:
        return CurvePoint.missing(if_skipped, beam=beam)
    return point_of(calls * comparisons / sorts, values, weights, if_skipped, beam=beam)


def _parts(comparisons: Comparisons, draws: int) -> Iterator[ContextBatch]:
    """Yield batches of contexts that are small enough for their arrays to fit in memory."""
    for batch in batches(comparisons):
        rows = max(1, _CHUNK_CELLS // (batch.size**2 * draws))
        for start in range(0, batch.n_contexts, rows):
            yield batch.part(start, min(start + rows, batch.n_contexts))


def _draws_at_a_time(batch: ContextBatch, draws: int) -> list[IntArray]:
    """Split draws into parts, so that the arrays of large contexts stay small."""
    return np.array_split(np.arange(draws), min(draws, -(-(batch.size**2 * draws) // (4 * _CHUNK_CELLS))))
