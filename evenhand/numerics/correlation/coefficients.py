"""Correlation coefficients of many rows at once. Constant predictions give 0."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

import numpy as np
import scipy

from evenhand.numerics.arrays import FloatArray, IntArray, counts
from evenhand.numerics.pairs import column_differences, pair_signs
from evenhand.numerics.ranks import average_ranks

Level = Literal["per_context", "pooled", "system"]
LEVELS: tuple[Level, ...] = ("per_context", "pooled", "system")

COEFFICIENTS = ("spearman", "kendall", "pearson", "kendall_c")
"""Names of the coefficients of a report row."""
_LONGEST_ALL_PAIRS = 128
_CHUNK_ELEMENTS = 1 << 15  # fits into a core's own cache
_LARGEST_CHUNK = 1 << 20
_FEWEST_ROWS = 64
_MOST_CELLS = 1 << 22


class ShortRows:
    """Rows of scores for coefficients. It holds one column for each row, because operations on long arrays are faster.

    signs: float, (n_pairs, n_rows). Of the differences of all pairs. gaps: the differences.
    ranks, values: float, (n, n_rows). Centred; equal values share their mean rank.
    untied: float, (n_rows,). Number of pairs of different values. grades: float, (n_rows,). Number of different values.
    """

    def __init__(self, rows: FloatArray) -> None:
        """rows: float, (n_rows, n)."""
        columns = np.ascontiguousarray(rows.T)
        self.gaps = column_differences(columns)
        self.signs = np.sign(self.gaps)
        self.values = columns - columns.mean(axis=0)
        self.ranks = pair_signs(len(columns)) @ self.signs / 2  # half of: values below less values above
        self.untied = _products(self.signs, self.signs)
        self.grades = np.full(len(rows), float(len(columns)))
        tied = self.untied < len(self.signs)
        self.grades[tied] = grades_of_rows(rows[tied])

    @cached_property
    def sizes(self) -> tuple[FloatArray, FloatArray]:
        """Return the sums of the squares of the ranks and of the values, each (n_rows,)."""
        return _products(self.ranks, self.ranks), _products(self.values, self.values)

    def coefficients(self, predicted: "ShortRows") -> dict[str, FloatArray]:
        """Return each of `COEFFICIENTS`. These rows are human scores.

        predicted: k rows for each of these: those of one ranking for all of these, then those of the next.
        Returns arrays of the shape (k * n_rows,).
        """
        k, n = len(predicted.untied) // len(self.untied), len(self.values)
        surplus = _products(self.signs, predicted.signs)
        grades = np.minimum(np.tile(self.grades, k), predicted.grades)
        in_ranks, in_values = (
            ratio_or_zero(_products(ours, theirs), np.sqrt(size * np.tile(own_size, k)))
            for ours, theirs, size, own_size in zip(
                (self.ranks, self.values), (predicted.ranks, predicted.values), predicted.sizes, self.sizes, strict=True
            )
        )
        return {
            "spearman": in_ranks,
            "kendall": ratio_or_zero(surplus, np.sqrt(predicted.untied * np.tile(self.untied, k))),
            "pearson": np.where(predicted.untied > 0, in_values, 0.0),
            "kendall_c": ratio_or_zero(2 * grades * surplus, n**2 * (grades - 1)),
        }


def every_coefficient(predicted: FloatArray, human: FloatArray) -> Mapping[str, FloatArray]:
    """Return each of `COEFFICIENTS` for each row of each ranking, (n_rankings, n_rows).

    predicted: float, (n_rankings, n_rows, n).
    human: float, (n_rows, n). No row may be constant, here and below.
    """
    if human.shape[1] == 2:  # each is 1, 0 or -1; their formulas would round
        agreement = np.sign(predicted[..., 1] - predicted[..., 0]) * np.sign(human[:, 1] - human[:, 0])
        return dict.fromkeys(COEFFICIENTS, agreement + 0.0)  # no -0.0
    if human.shape[1] > _LONGEST_ALL_PAIRS:
        return _coefficients_of_long(predicted, human)
    n_pairs = max(1, len(predicted) * human.shape[1] * (human.shape[1] - 1) // 2)
    width = max(1, _CHUNK_ELEMENTS // n_pairs, min(_FEWEST_ROWS, _LARGEST_CHUNK // n_pairs))
    found = {name: np.empty(predicted.shape[:2]) for name in COEFFICIENTS}
    for at in range(0, len(human), width):
        rows = predicted[:, at : at + width]
        ours = ShortRows(rows.reshape(-1, human.shape[1]))
        for name, values in ShortRows(human[at : at + width]).coefficients(ours).items():
            found[name][:, at : at + width] = values.reshape(rows.shape[:2])
    return found


def _products(human: FloatArray, predicted: FloatArray) -> FloatArray:
    """Sum the products of each column of `predicted`, (k * n_rows,), and its column of `human`."""
    rows = human.shape[1]
    return np.einsum("ij,ikj->kj", human, predicted.reshape(len(human), -1, rows)).ravel()


def _coefficients_of_long(predicted: FloatArray, human: FloatArray) -> Mapping[str, FloatArray]:
    human_ranks = average_ranks(human)
    found = {name: np.empty(predicted.shape[:2]) for name in COEFFICIENTS}
    for number, (rows, ranks) in enumerate(zip(predicted, average_ranks(predicted), strict=True)):
        found["spearman"][number] = pearson_rows(ranks, human_ranks)
        found["pearson"][number] = pearson_rows(rows, human)
        taus = [_taus_of_long(*lists) for lists in zip(ranks, human_ranks, strict=True)]
        found["kendall"][number], found["kendall_c"][number] = np.array(taus).reshape(-1, 2).T
    return found


def pearson_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Compute Pearson's correlation of each row, (n_rows,). predicted, human: float, (n_rows, n)."""
    x = predicted - predicted.mean(axis=1, keepdims=True)
    y = human - human.mean(axis=1, keepdims=True)
    constant = (predicted == predicted[:, :1]).all(axis=1)
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return ratio_or_zero((x * y).sum(axis=1), np.where(constant, 0.0, scale))


def spearman_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Compute Spearman's rank correlation of each row, (n_rows,): Pearson's of ranks, where ties share their mean."""
    return pearson_rows(average_ranks(predicted), average_ranks(human))


def ratio_or_zero(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the quotients, or 0 where the divisor is 0, which happens for constant predictions."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def grades_of_rows(rows: FloatArray) -> FloatArray:
    """Count the different values of each row, (n_rows,)."""
    ordered = np.sort(rows, axis=1)
    return 1.0 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)


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
    if n_cells > most_cells:
        return None
    if shape[0] > shape[1]:  # the longer axis is contiguous
        return counts(column * shape[0] + row, n_cells).reshape(shape[::-1]).T
    return counts(row * shape[1] + column, n_cells).reshape(shape)


def _grades(ranks: FloatArray) -> IntArray:
    """Number the different ranks from 0, rising, (n,). Ranks are whole or half numbers, so this needs no sorting."""
    halves = (2 * ranks).astype(np.intp)
    number = np.cumsum(counts(halves, int(halves.max()) + 1) > 0) - 1
    return np.asarray(number[halves])


def taus_of_table(table: IntArray) -> tuple[float, float]:
    """Compute tau-b and tau-c from a cross table of two lists; neither list may be constant.

    table: int, (n_grades_of_one, n_grades_of_other). Number of entries with each two grades, in rising order.
    """
    n, grades = table.sum(), min(table.shape)
    pairs, in_both = n * (n - 1) // 2, _pairs_within(table)
    tied = [_pairs_within(table.sum(axis=axis)) for axis in (1, 0)]
    # Every pair is in the same order, in opposite orders, or tied in one list or in both.
    surplus = 2 * _same_order(table) - (pairs - sum(tied) + in_both)
    tau_b = surplus / np.sqrt(pairs - tied[0]) / np.sqrt(pairs - tied[1])
    tau_c = 2 * surplus / (n**2 * (grades - 1) / grades)
    return float(np.clip(tau_b, -1.0, 1.0)), float(np.clip(tau_c, -1.0, 1.0))  # rounding may exceed the ends


def _same_order(table: IntArray) -> int:
    """Count the pairs of entries in the same order in both lists."""
    columns = table if len(table) < table.shape[1] else table.T  # few and long
    earlier, pairs = np.zeros_like(columns[0]), 0
    for column in columns:
        pairs += int(column @ (np.cumsum(earlier) - earlier))
        earlier += column
    return pairs


def _pairs_within(sizes: IntArray) -> int:
    """Count the pairs within groups of these sizes."""
    return int((sizes * sizes).sum() - sizes.sum()) // 2
