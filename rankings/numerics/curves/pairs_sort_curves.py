"""PairS on ranking curves. PairS chooses its own comparisons, so it has one point per beam width."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.curves.curve_measures import CURVE_MEASURES, HumanJudgments
from rankings.numerics.curves.curve_points import CurvePoint, point_of
from rankings.numerics.curves.pairs_sort_merges import merged_orders
from rankings.numerics.fitting.batches import Batch, batches
from rankings.numerics.rankings.registry import CURVE_RANKINGS, RANKING_TITLES

PAIRS_SORT = "pairs"
"""The name of the ranking and of its selection."""
CURVE_TITLES: Mapping[str, str] = MappingProxyType(
    {name: title for name, title in RANKING_TITLES.items() if name in CURVE_RANKINGS} | {PAIRS_SORT: "PairS"}
)
"""name -> title on pages, of everything that can be drawn as a curve."""
BEAMS = (1, 4, 16)
_CHUNK_CELLS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class _Study:
    """Answers p_first, (n,), that PairS sorts by, and the judgments that its orders are measured against."""

    p_first: FloatArray
    truth: HumanJudgments
    measure: str
    draws: int


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums over the contexts that count.

    values, weights: float, (n_draws,). Weighted values, and weights. comparisons, sorts: their numbers.
    unanswered: number of sorts that needed a pair without an answer.
    """

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
    totals = [_Sums(np.zeros(draws), np.zeros(draws), 0, 0, 0) for _ in beams]
    study, rng = _Study(comparisons.p_first, truth, measure, draws), np.random.default_rng(seed)
    for part in _parts(comparisons, draws):
        shape = (part.n_contexts, draws, part.size)
        starts = rng.permuted(np.broadcast_to(np.arange(part.size), shape), axis=2)
        for numbers in _draws_at_a_time(part, draws):
            some = starts[:, numbers]
            found = [_sums(study, part, some, numbers, beam) for beam in beams]
            totals = [total + one for total, one in zip(totals, found, strict=True)]
    return [
        _point(total, beam, calls, CURVE_MEASURES[measure].if_skipped)
        for total, beam in zip(totals, beams, strict=True)
    ]


def _sums(study: _Study, batch: Batch, starts: IntArray, numbers: IntArray, beam: int) -> _Sums:
    """Sum over the draws with these numbers, (n,). starts: starting orders, (n_contexts, n, size)."""
    answers = np.full((batch.n_contexts, batch.size, batch.size), np.nan)
    answers[batch.rows, batch.first, batch.second] = study.p_first[batch.members]
    shape = starts.shape[:2]
    rows = np.repeat(np.arange(batch.n_contexts), len(numbers))
    found = merged_orders(answers, rows, starts.reshape(-1, batch.size), beam=beam)
    scores = np.empty(found.orders.shape)
    np.put_along_axis(scores, found.orders, np.broadcast_to(-np.arange(1.0, batch.size + 1), scores.shape), axis=1)
    measured = CURVE_MEASURES[study.measure].against(study.truth.of_draws(numbers), batch)
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
    """Yield batches of contexts that are small enough for their arrays to fit in memory."""
    for batch in batches(comparisons, np.ones(comparisons.n_contexts, dtype=bool)):
        rows = max(1, _CHUNK_CELLS // (batch.size**2 * draws))
        for start in range(0, batch.n_contexts, rows):
            yield batch.part(start, min(start + rows, batch.n_contexts))


def _draws_at_a_time(batch: Batch, draws: int) -> list[IntArray]:
    """Split draws into parts, so that the arrays of large contexts stay small."""
    return np.array_split(np.arange(draws), min(draws, -(-(batch.size**2 * draws) // (4 * _CHUNK_CELLS))))
