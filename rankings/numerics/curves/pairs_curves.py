"""PairS beside ranking curves: it chooses its own comparisons, so it has one point for each width of its beam."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.curves.curve_measures import MEASURES, Truth
from rankings.numerics.curves.curve_points import CurvePoint, point_of
from rankings.numerics.curves.pairs_merges import merged_orders
from rankings.numerics.fitting.batches import Batch, batches

PAIRS = "pairs"
"""What the ranking is called, and its selection."""
BEAMS = (1, 4, 16)
_CHUNK_CELLS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class _Study:
    """What orders are sorted by, p_first, (n,), and what they are measured against."""

    p_first: FloatArray
    truth: Truth
    measure: str
    draws: int


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Over the contexts that count: of weighted values and of weights, (n_draws,); comparisons, sorts, and sorts that
    came to a pair without an answer."""

    values: FloatArray
    weights: FloatArray
    comparisons: int
    sorts: int
    unanswered: int

    def __add__(self, other: "_Sums") -> "_Sums":
        return _Sums(
            self.values + other.values,
            self.weights + other.weights,
            self.comparisons + other.comparisons,
            self.sorts + other.sorts,
            self.unanswered + other.unanswered,
        )


def pairs_curve(
    comparisons: Comparisons,
    truth: Truth,
    *,
    measure: str = "spearman",
    draws: int = 50,
    seed: int = 0,
    beams: Sequence[int] = BEAMS,
    calls: int = 1,
) -> list[CurvePoint]:
    """One point for each beam, from recorded answers: draws are random starting orders, the same for all beams.

    A point's comparisons are the mean number that a context was asked for. Where a sort comes to an ordered pair that
    has no answer, the point does not exist. calls: what each comparison counts for; 2 for means of both orders.
    """
    totals = [_Sums(np.zeros(draws), np.zeros(draws), 0, 0, 0) for _ in beams]
    study, rng = _Study(comparisons.p_first, truth, measure, draws), np.random.default_rng(seed)
    for part in _parts(comparisons, draws):
        shape = (part.n_contexts, draws, part.size)
        starts = rng.permuted(np.broadcast_to(np.arange(part.size), shape), axis=2)
        for numbers in _draws_at_a_time(part, draws):
            some = starts[:, numbers]
            found = [_sums(study, part, some, numbers, beam) for beam in beams]
            totals = [total + one for total, one in zip(totals, found, strict=True)]
    return [_point(total, beam, calls, MEASURES[measure].if_skipped) for total, beam in zip(totals, beams, strict=True)]


def _sums(study: _Study, batch: Batch, starts: IntArray, numbers: IntArray, beam: int) -> _Sums:
    """Of some draws, numbers (n,), of starting orders, (n_contexts, n, size)."""
    answers = np.full((batch.n_contexts, batch.size, batch.size), np.nan)
    answers[batch.rows, batch.first, batch.second] = study.p_first[batch.members]
    shape = starts.shape[:2]
    rows = np.repeat(np.arange(batch.n_contexts), len(numbers))
    found = merged_orders(answers, rows, starts.reshape(-1, batch.size), beam=beam)
    scores = np.empty(found.orders.shape)
    np.put_along_axis(scores, found.orders, np.broadcast_to(-np.arange(1.0, batch.size + 1), scores.shape), axis=1)
    measured = MEASURES[study.measure].against(study.truth.of_draws(numbers), batch)
    weights = np.broadcast_to(measured.weights, shape)
    values = np.where(weights > 0, measured.values(scores.T.reshape(batch.size, *shape)), 0.0)
    of_values, of_weights = np.zeros((2, study.draws))
    of_values[numbers], of_weights[numbers] = (values * weights).sum(axis=0), weights.sum(axis=0)
    counted = (weights > 0).ravel()
    return _Sums(
        of_values,
        of_weights,
        int(found.comparisons[counted].sum()),
        int(counted.sum()),
        int(found.unanswered[counted].sum()),
    )


def _point(total: _Sums, beam: int, calls: int, if_skipped: str) -> CurvePoint:
    if total.unanswered:
        how_many = f"{total.unanswered:,} of {total.sorts:,} sorts"
        reason = f"PairS comes to an ordered pair that the run has no answer to, in {how_many}"
        return CurvePoint.missing(reason, beam=beam)
    if not total.sorts:
        return CurvePoint.missing(if_skipped, beam=beam)
    return point_of(calls * total.comparisons / total.sorts, total.values, total.weights, if_skipped, beam=beam)


def _parts(comparisons: Comparisons, draws: int) -> Iterator[Batch]:
    """Contexts with equally many compared candidates, few enough at a time that their arrays stay small."""
    for batch in batches(comparisons, np.ones(comparisons.n_contexts, dtype=bool)):
        rows = max(1, _CHUNK_CELLS // (batch.size**2 * draws))
        for start in range(0, batch.n_contexts, rows):
            yield batch.part(start, min(start + rows, batch.n_contexts))


def _draws_at_a_time(batch: Batch, draws: int) -> list[IntArray]:
    """All draws of small contexts together, those of large ones in parts."""
    return np.array_split(np.arange(draws), min(draws, -(-(batch.size**2 * draws) // (4 * _CHUNK_CELLS))))
