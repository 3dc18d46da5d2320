"""Correlation coefficients of many pairs of lists at once. Constant predictions give 0."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np
import scipy

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.cross_tables import cross_table, tau_b, tau_c
from rankings.numerics.ranks import average_ranks

_LONGEST_ALL_PAIRS = 400
_CHUNK_ELEMENTS = 1 << 20
_MOST_CELLS = 1 << 20

Coefficient = Callable[[FloatArray, FloatArray], FloatArray]
"""Predictions and human scores, each (n_rows, n), to (n_rows,); the human scores of no row may be constant."""


def pearson_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Pearson's correlation of each row, (n_rows,)."""
    x = predicted - predicted.mean(axis=1, keepdims=True)
    y = human - human.mean(axis=1, keepdims=True)
    constant = (predicted == predicted[:, :1]).all(axis=1)
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return _ratio((x * y).sum(axis=1), np.where(constant, 0.0, scale))


def spearman_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Spearman's rank correlation of each row, (n_rows,): Pearson's, of ranks in which ties share their mean."""
    return pearson_rows(average_ranks(predicted), average_ranks(human))


def kendall_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Kendall's tau-b of each row, (n_rows,) [Kendall1945]."""
    if predicted.shape[1] > _LONGEST_ALL_PAIRS:
        return _of_long_rows(predicted, human, variant="b")
    taus = np.empty(len(predicted))
    for rows, x, y in _signs_of_pairs(predicted, human):
        taus[rows] = _ratio((x * y).sum(axis=1), np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))
    return taus


def stuart_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Stuart's tau-c of each row, (n_rows,) [Stuart1953]: for scales with different numbers of grades."""
    n = predicted.shape[1]
    if n > _LONGEST_ALL_PAIRS:
        return _of_long_rows(predicted, human, variant="c")
    grades = np.minimum(_grades(predicted), _grades(human))
    taus = np.empty(len(predicted))
    for rows, x, y in _signs_of_pairs(predicted, human):
        taus[rows] = _ratio(2 * grades[rows] * (x * y).sum(axis=1), n**2 * (grades[rows] - 1.0))
    return taus


COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {"spearman": spearman_rows, "kendall": kendall_rows, "pearson": pearson_rows, "kendall_c": stuart_rows}
)
"""The coefficients of a report row, by their names there."""


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def _signs_of_pairs(predicted: FloatArray, human: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Some of the rows, and the signs of all differences within them, both (n_rows, n_pairs)."""
    i, j = np.triu_indices(predicted.shape[1], 1)
    width = max(1, _CHUNK_ELEMENTS // max(1, len(i)))
    for at in range(0, len(predicted), width):
        rows = slice(at, at + width)
        yield (
            rows,
            np.sign(predicted[rows][:, i] - predicted[rows][:, j]),
            np.sign(human[rows][:, i] - human[rows][:, j]),
        )


def _grades(rows: FloatArray) -> IntArray:
    """How many different values each row has, (n_rows,)."""
    ordered = np.sort(rows, axis=1)
    return 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)


def _of_long_rows(predicted: FloatArray, human: FloatArray, *, variant: str) -> FloatArray:
    """Kendall's tau of long rows, (n_rows,); variant: b or c."""
    return np.array([_long_tau(x, y, variant=variant) for x, y in zip(predicted, human, strict=True)])


def _long_tau(predicted: FloatArray, human: FloatArray, *, variant: str) -> float:
    if (predicted == predicted[0]).all():
        return 0.0
    table = cross_table(predicted, human, most_cells=_MOST_CELLS)
    if table is None:
        return float(scipy.stats.kendalltau(predicted, human, variant=variant).statistic)
    return tau_b(table) if variant == "b" else tau_c(table)
