"""Correlation coefficients of many pairs of lists at once. Constant predictions give 0."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import scipy

from rankings.numerics.arrays import FloatArray
from rankings.numerics.ranks import average_ranks

_LONGEST_ALL_PAIRS = 400
_CHUNK_ELEMENTS = 1 << 20

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
    n = predicted.shape[1]
    if n > _LONGEST_ALL_PAIRS:
        return np.array([_long_kendall(x, y) for x, y in zip(predicted, human, strict=True)])
    i, j = np.triu_indices(n, 1)
    width = max(1, _CHUNK_ELEMENTS // max(1, len(i)))
    taus = np.empty(len(predicted))
    for at in range(0, len(predicted), width):
        part = slice(at, at + width)
        x = np.sign(predicted[part][:, i] - predicted[part][:, j])  # (n_rows, n_pairs)
        y = np.sign(human[part][:, i] - human[part][:, j])
        taus[part] = _ratio((x * y).sum(axis=1), np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))
    return taus


def stuart_rows(predicted: FloatArray, human: FloatArray) -> FloatArray:
    """Stuart's tau-c of each row, (n_rows,) [Stuart1953]: for scales with different numbers of grades."""
    n = predicted.shape[1]
    i, j = np.triu_indices(n, 1)
    taus = np.empty(len(predicted))
    for row, (x, y) in enumerate(zip(predicted, human, strict=True)):
        grades = min(len(np.unique(x)), len(np.unique(y)))
        agreement = (np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])).sum()
        taus[row] = 2 * grades * agreement / (n**2 * (grades - 1)) if grades > 1 else 0.0
    return taus


COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType({"spearman": spearman_rows, "kendall": kendall_rows})


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def _long_kendall(predicted: FloatArray, human: FloatArray) -> float:
    if (predicted == predicted[0]).all():
        return 0.0
    return float(scipy.stats.kendalltau(predicted, human).statistic)
