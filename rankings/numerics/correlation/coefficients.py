"""Correlation coefficients of many pairs of lists at once. Constant predictions give 0."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import scipy

from rankings.numerics.arrays import FloatArray
from rankings.numerics.correlation.kendall_cross_tables import cross_table, taus_of
from rankings.numerics.ranks import average_ranks

_LONGEST_ALL_PAIRS = 400
_CHUNK_ELEMENTS = 1 << 15  # what stays in a core's own cache
_LARGEST_CHUNK = 1 << 20
_FEWEST_ROWS = 64
_MOST_CELLS = 1 << 20

RowCoefficient = Callable[[FloatArray, FloatArray], FloatArray]
"""Predictions and human scores, each (n_rows, n), to (n_rows,); the human scores of no row may be constant."""


def pearson_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Pearson's correlation of each row, (n_rows,)."""
    x = predicted - predicted.mean(axis=1, keepdims=True)
    y = human - human.mean(axis=1, keepdims=True)
    constant = (predicted == predicted[:, :1]).all(axis=1)
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return ratio_or_zero((x * y).sum(axis=1), np.where(constant, 0.0, scale))


def spearman_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Spearman's rank correlation of each row, (n_rows,): Pearson's, of ranks in which ties share their mean."""
    return pearson_rows(average_ranks(predicted), average_ranks(human))


def kendall_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Kendall's tau-b of each row, (n_rows,) [Kendall1945]."""
    return _taus(predicted, human, "b")["b"]


def stuart_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Stuart's tau-c of each row, (n_rows,) [Stuart1953]: for scales with different numbers of grades."""
    return _taus(predicted, human, "c")["c"]


@dataclass(frozen=True, eq=False)
class HumanRows:
    """Human scores, (n_rows, n), that predictions of several rankings are set against. No row is constant."""

    values: FloatArray

    @cached_property
    def ranks(self) -> FloatArray:
        """(n_rows, n). Equal scores share their mean rank."""
        return average_ranks(self.values)


def every_coefficient(predicted: FloatArray, human: HumanRows) -> Mapping[str, FloatArray]:
    """What each of `COEFFICIENTS` gives, by name; what they share is computed once. predicted: float, (n_rows, n)."""
    taus = _taus(predicted, human.values, "b", "c")
    return {
        "spearman": pearson_rows(average_ranks(predicted), human.ranks),
        "kendall": taus["b"],
        "pearson": pearson_rows(predicted, human.values),
        "kendall_c": taus["c"],
    }


COEFFICIENTS: Mapping[str, RowCoefficient] = MappingProxyType(
    {"spearman": spearman_rows, "kendall": kendall_rows, "pearson": pearson_rows, "kendall_c": stuart_rows}
)
"""The coefficients of a report row, by their names there."""


def ratio_or_zero(above: FloatArray, below: FloatArray) -> FloatArray:
    """Quotients; 0 where the divisor is 0, as it is for constant predictions."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def _taus(predicted: FloatArray, human: FloatArray, *variants: str) -> dict[str, FloatArray]:
    """Kendall's tau of each row, (n_rows,), by variant: b or c."""
    n = predicted.shape[1]
    if n > _LONGEST_ALL_PAIRS:
        long = [_long_taus(x, y, *variants) for x, y in zip(predicted, human, strict=True)]
        return {variant: np.array([taus[variant] for taus in long]) for variant in variants}
    grades = np.minimum(grades_of_rows(predicted), grades_of_rows(human)) if "c" in variants else np.zeros(0)
    taus = {variant: np.empty(len(predicted)) for variant in variants}
    for rows, x, y in _signs_of_pairs(predicted, human):
        surplus = (x * y).sum(axis=1)
        if "b" in variants:
            taus["b"][rows] = ratio_or_zero(surplus, np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))
        if "c" in variants:
            taus["c"][rows] = ratio_or_zero(2 * grades[rows] * surplus, n**2 * (grades[rows] - 1))
    return taus


def _signs_of_pairs(predicted: FloatArray, human: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Some of the rows, and the signs of all differences within them, both (n_rows, n_pairs)."""
    i, j = np.triu_indices(predicted.shape[1], 1)
    n_pairs = max(1, len(i))
    width = max(1, _CHUNK_ELEMENTS // n_pairs, min(_FEWEST_ROWS, _LARGEST_CHUNK // n_pairs))
    for at in range(0, len(predicted), width):
        rows = slice(at, at + width)
        yield (
            rows,
            np.sign(predicted[rows][:, i] - predicted[rows][:, j]),
            np.sign(human[rows][:, i] - human[rows][:, j]),
        )


def grades_of_rows(rows: FloatArray) -> FloatArray:
    """How many different values each row has, (n_rows,)."""
    ordered = np.sort(rows, axis=1)
    return 1.0 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)


def _long_taus(predicted: FloatArray, human: FloatArray, *variants: str) -> dict[str, float]:
    if (predicted == predicted[0]).all():
        return dict.fromkeys(variants, 0.0)
    table = cross_table(predicted, human, most_cells=_MOST_CELLS)
    if table is None:
        return {name: float(scipy.stats.kendalltau(predicted, human, variant=name).statistic) for name in variants}
    return taus_of(table, *variants)
