"""Correlation coefficients of many rows at once. Constant predictions give 0."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from rankings.numerics.arrays import FloatArray, IntArray, counts
from rankings.numerics.ranks import average_ranks

COEFFICIENTS = ("spearman", "kendall", "pearson", "kendall_c")
"""Names of the coefficients of a report row."""
_LONGEST_ALL_PAIRS = 400
_CHUNK_ELEMENTS = 1 << 15  # fits into a core's own cache
_LARGEST_CHUNK = 1 << 20
_FEWEST_ROWS = 64
_MOST_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class KendallTaus:
    """Kendall's coefficients of each row, (n_rows,).

    b: tau-b [Kendall1945]. c: Stuart's tau-c, for scales with different numbers of grades [Stuart1953].
    """

    b: FloatArray
    c: FloatArray


def every_coefficient(predicted: FloatArray, human: FloatArray, human_ranks: FloatArray) -> Mapping[str, FloatArray]:
    """Return each of `COEFFICIENTS` for each row, (n_rows,).

    predicted, human: float, (n_rows, n). No row of human scores may be constant, here and below.
    human_ranks: float, (n_rows, n). `average_ranks` of human, which several rankings share.
    """
    ranks = average_ranks(predicted)
    taus = kendall_of_ranks(ranks, human_ranks)
    return {
        "spearman": pearson_rows(ranks, human_ranks),
        "kendall": taus.b,
        "pearson": pearson_rows(predicted, human),
        "kendall_c": taus.c,
    }


def pearson_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Compute Pearson's correlation of each row, (n_rows,)."""
    x = predicted - predicted.mean(axis=1, keepdims=True)
    y = human - human.mean(axis=1, keepdims=True)
    constant = (predicted == predicted[:, :1]).all(axis=1)
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return ratio_or_zero((x * y).sum(axis=1), np.where(constant, 0.0, scale))


def spearman_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Compute Spearman's rank correlation of each row, (n_rows,): Pearson's of ranks, where ties share their mean."""
    return pearson_rows(average_ranks(predicted), average_ranks(human))


def kendall_of_ranks(predicted: FloatArray, human: FloatArray) -> KendallTaus:
    """Compute Kendall's coefficients of each row. predicted, human: float, (n_rows, n), from `average_ranks`."""
    n = predicted.shape[1]
    if n > _LONGEST_ALL_PAIRS:
        taus = [_taus_of_long(x, y) for x, y in zip(predicted, human, strict=True)]
        return KendallTaus(*np.array(taus).reshape(-1, 2).T)
    grades = np.minimum(grades_of_rows(predicted), grades_of_rows(human))
    tau_b, tau_c = np.empty((2, len(predicted)))
    for rows, x, y in _signs_of_pairs(predicted, human):
        surplus = (x * y).sum(axis=1)
        tau_b[rows] = ratio_or_zero(surplus, np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))
        tau_c[rows] = ratio_or_zero(2 * grades[rows] * surplus, n**2 * (grades[rows] - 1))
    return KendallTaus(tau_b, tau_c)


def ratio_or_zero(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the quotients, or 0 where the divisor is 0, which happens for constant predictions."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def grades_of_rows(rows: FloatArray) -> FloatArray:
    """Count the different values of each row, (n_rows,)."""
    ordered = np.sort(rows, axis=1)
    return 1.0 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)


def _signs_of_pairs(predicted: FloatArray, human: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield some of the rows, and the signs of all differences within both, (n_rows, n_pairs)."""
    i, j = np.triu_indices(predicted.shape[1], 1)
    n_pairs = max(1, len(i))
    width = max(1, _CHUNK_ELEMENTS // n_pairs, min(_FEWEST_ROWS, _LARGEST_CHUNK // n_pairs))
    for at in range(0, len(predicted), width):
        rows = slice(at, at + width)
        x, y = (np.sign(values[rows][:, i] - values[rows][:, j]) for values in (predicted, human))
        yield rows, x, y


def _taus_of_long(predicted: FloatArray, human: FloatArray) -> tuple[float, float]:
    """Compute tau-b and tau-c of one long row of ranks."""
    if (predicted == predicted[0]).all():
        return 0.0, 0.0
    table = cross_table(predicted, human, most_cells=_MOST_CELLS)
    if table is not None:
        return taus_of_table(table)
    tau_b, tau_c = (scipy.stats.kendalltau(predicted, human, variant=variant).statistic for variant in "bc")
    return tau_b, tau_c


def cross_table(one: FloatArray, other: FloatArray, *, most_cells: int) -> IntArray | None:
    """Count how often each rank of one list meets each rank of the other, (n_ranks, n_ranks), both rising.

    Returns None if the table would have more than `most_cells` cells. one, other: float, (n,), from `average_ranks`.
    """
    row, column = _grades(one), _grades(other)
    shape = int(row.max()) + 1, int(column.max()) + 1
    n_cells = shape[0] * shape[1]
    return None if n_cells > most_cells else counts(row * shape[1] + column, n_cells).reshape(shape)


def _grades(ranks: FloatArray) -> IntArray:
    """Number the different ranks from 0, rising, (n,). Ranks are whole or half numbers, so this needs no sorting."""
    halves = (2 * ranks).astype(np.intp)
    number = np.cumsum(counts(halves, int(halves.max()) + 1) > 0) - 1
    return np.asarray(number[halves])


def taus_of_table(table: IntArray) -> tuple[float, float]:
    """Compute tau-b and tau-c from a cross table of two lists; neither list may be constant."""
    surplus, pairs, grades = _surplus(table), _pairs(table.sum()), min(table.shape)
    untied = [np.sqrt(pairs - _pairs(table.sum(axis=axis)).sum()) for axis in (1, 0)]
    tau_b = surplus / untied[0] / untied[1]
    tau_c = 2 * surplus / (table.sum() ** 2 * (grades - 1) / grades)
    return float(np.clip(tau_b, -1.0, 1.0)), float(np.clip(tau_c, -1.0, 1.0))  # rounding may exceed the ends


def _surplus(table: IntArray) -> int:
    """Count the pairs of entries in the same order in both lists, minus those in opposite orders."""
    above = np.cumsum(table, axis=0) - table  # of lower rows, by column
    lower = np.cumsum(above, axis=1) - above
    higher = above.sum(axis=1, keepdims=True) - above - lower
    return int((table * (lower - higher)).sum())


def _pairs(n: IntArray) -> IntArray:
    return n * (n - 1) // 2
