"""Kendall's coefficients of two long lists of which one has few different values, from their cross table."""

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray


def cross_table(one: FloatArray, other: FloatArray, *, most_cells: int) -> IntArray | None:
    """How often each value of one list meets each of the other, (n_values, n_values), both rising.

    None where that takes more than `most_cells` numbers.
    """
    rows, row = np.unique(one, return_inverse=True)
    columns, column = np.unique(other, return_inverse=True)
    n_cells = len(rows) * len(columns)
    if n_cells > most_cells:
        return None
    return np.bincount(row * len(columns) + column, minlength=n_cells).reshape(len(rows), len(columns))


def taus_of(table: IntArray, *variants: str) -> dict[str, float]:
    """Tau by variant: b or c; neither list may be constant."""
    surplus = _surplus(table)
    return {variant: _TAUS[variant](table, surplus) for variant in variants}


def _tau_b(table: IntArray, surplus: int) -> float:
    """Kendall's tau-b [Kendall1945]."""
    pairs = _pairs(table.sum())
    untied = [np.sqrt(pairs - _pairs(table.sum(axis=axis)).sum()) for axis in (1, 0)]
    return _clipped(surplus / untied[0] / untied[1])


def _tau_c(table: IntArray, surplus: int) -> float:
    """Stuart's tau-c [Stuart1953]."""
    grades = min(table.shape)
    return _clipped(2 * surplus / (table.sum() ** 2 * (grades - 1) / grades))


_TAUS = {"b": _tau_b, "c": _tau_c}


def _surplus(table: IntArray) -> int:
    """How many more pairs of entries are in the same order in both lists than in opposite orders."""
    above = np.cumsum(table, axis=0) - table  # of lower rows, by column
    lower = np.cumsum(above, axis=1) - above
    higher = above.sum(axis=1, keepdims=True) - above - lower
    return int((table * (lower - higher)).sum())


def _pairs(n: IntArray) -> IntArray:
    return n * (n - 1) // 2


def _clipped(tau: float) -> float:
    """Without what rounding added beyond the ends."""
    return float(min(1.0, max(-1.0, tau)))
