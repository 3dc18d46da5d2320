"""Percentile bootstrap over contexts [Efron1993]."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from rankings.numerics.figure import Figure

RESAMPLES = 1_000
COVERAGE = 0.95
SEED = 20240101
NO_CONTEXT = "no context counts"
ONE_CONTEXT = "an interval needs at least two contexts"
_CHUNK_ELEMENTS = 1 << 17
_KEPT_ELEMENTS = 1 << 19  # every figure of a report has the same resamples: 4 MB are kept, not drawn again
_CONTEXTS_A_KIND = 16  # to draw how often a kind comes takes as long as to draw so many contexts


def ratio(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> Figure:
    """Sum of numerators over sum of denominators, with a 95 % interval over contexts; n is the latter sum.

    numerators, denominators: float, (n_contexts,). Contexts whose denominator is 0 take no part.
    if_empty: why there is no figure where all denominators are 0.
    """
    counted = denominators > 0
    if not counted.any():
        return Figure.missing(if_empty, n=0)
    above, below = numerators[counted], denominators[counted]
    value, n = float(above.sum() / below.sum()), round(below.sum())
    if len(above) < 2:
        return Figure(value, n=n, undefined=ONE_CONTEXT)
    ratios = np.concatenate([(times @ above) / (times @ below) for times in resampled_times(len(above))])
    low, high = percentiles(ratios)
    return Figure(value, low, high, n)


def ratios(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> list[Figure]:
    """What `ratio` gives for each column, all from the same resamples; those without a column's context are left out.

    numerators, denominators: float, (n_contexts, n_ratios).
    """
    counted = (denominators > 0).any(axis=1)
    above, below = numerators[counted], denominators[counted]
    if not len(above):
        return [Figure.missing(if_empty, n=0)] * numerators.shape[1]
    totals = np.concatenate(list(_resampled_sums(np.hstack([above, below]))))  # (n_resamples, 2 * n_ratios)
    return [
        _ratio_of(above[:, column], below[:, column], part, whole, if_empty)
        for column, (part, whole) in enumerate(zip(*np.split(totals.T, 2), strict=True))
    ]


def mean_of_ratios(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> Figure:
    """Plain mean over subsets of their ratios, with a 95 % interval over contexts; n is the sum of all denominators.

    numerators, denominators: float, (n_contexts, n_subsets). A subset whose denominators are all 0 takes no part.
    """
    subsets = denominators.sum(axis=0) > 0
    contexts = denominators.sum(axis=1) > 0
    if not subsets.any():
        return Figure.missing(if_empty, n=0)
    above, below = numerators[contexts][:, subsets], denominators[contexts][:, subsets]
    value, n = float((above.sum(axis=0) / below.sum(axis=0)).mean()), round(below.sum())
    if len(above) < 2:
        return Figure(value, n=n, undefined=ONE_CONTEXT)
    means = [_mean_ratio(times, above, below) for times in resampled_times(len(above))]
    low, high = percentiles(np.concatenate(means))
    return Figure(value, low, high, n)


def means(values: FloatArray) -> list[Figure]:
    """The plain mean of each column, with a 95 % interval over contexts; n is the number of contexts that count.

    values: float, (n_contexts, n_means). NaN where a context does not count; such are not drawn.
    """
    counted = ~np.isnan(values)
    figures: list[Figure] = [Figure.missing(NO_CONTEXT, n=0)] * values.shape[1]
    for same in _columns_alike(counted):
        rows = values[counted[:, same[0]]][:, same]
        for column, figure in zip(same.tolist(), _means_of_all(rows), strict=True):
            figures[column] = figure
    return figures


def statistic_of_sums(
    statistic: Callable[[FloatArray], FloatArray], parts: FloatArray, *, n: int, if_undefined: str
) -> Figure:
    """A statistic of sums, with a 95 % interval over contexts.

    statistic: from sums, (n_samples, n_parts), to (n_samples,); NaN where it does not exist. Resamples in which it does
    not exist are left out. parts: float, (n_contexts, n_parts). What each context adds to the sums.
    """
    value = float(statistic(parts.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return Figure.missing(if_undefined, n=n)
    if len(parts) < 2:
        return Figure(value, n=n, undefined=ONE_CONTEXT)
    sampled = np.concatenate([statistic(total) for total in _resampled_sums(parts)])
    low, high = percentiles(sampled[~np.isnan(sampled)])
    return Figure(value, low, high, n)


def resamples(n_contexts: int, *, n_resamples: int = RESAMPLES, seed: int = SEED) -> Iterator[IntArray]:
    """Contexts drawn with replacement, in parts: int, (some of n_resamples, n_contexts). The same at each call."""
    rng = np.random.default_rng(seed)
    rows = max(1, _CHUNK_ELEMENTS // n_contexts)
    for done in range(0, n_resamples, rows):
        yield rng.integers(0, n_contexts, (min(rows, n_resamples - done), n_contexts))


def resampled_times(n_contexts: int) -> Iterator[FloatArray]:
    """How often each context is drawn, in parts: (some of RESAMPLES, n_contexts). The same at each call."""
    if n_contexts * RESAMPLES <= _KEPT_ELEMENTS:
        yield _kept_times(n_contexts)
        return
    for drawn in resamples(n_contexts):
        yield times_drawn(drawn, n_contexts)


@lru_cache(maxsize=4)
def _kept_times(n_contexts: int) -> FloatArray:
    times = np.concatenate([times_drawn(drawn, n_contexts) for drawn in resamples(n_contexts)])
    times.flags.writeable = False
    return times


def times_drawn(drawn: IntArray, n_contexts: int) -> FloatArray:
    """How often each context was drawn, (n_resamples, n_contexts)."""
    cells = drawn + n_contexts * np.arange(len(drawn))[:, None]
    counts = np.bincount(cells.ravel(), minlength=len(drawn) * n_contexts)
    return counts.reshape(len(drawn), n_contexts).astype(np.float64)


def percentiles(values: FloatArray) -> tuple[float, float]:
    """The ends between which the middle 95 % of the values lie."""
    low, high = np.quantile(values, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)


def row_percentiles(rows: FloatArray) -> list[tuple[float, float]]:
    """What `percentiles` gives for each row of numbers, (n_rows, n)."""
    ends = np.quantile(rows, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2], axis=1)
    return [(low, high) for low, high in ends.T.tolist()]


def context_sums(contexts: IntArray, values: FloatArray, n_contexts: int) -> FloatArray:
    """Sum of the values of each context, (n_contexts,)."""
    return sums(contexts, values, n_contexts)


def _columns_alike(counted: BoolArray) -> list[IntArray]:
    """The columns of a table, those that are equal together; of none in which nothing counts."""
    alike: dict[bytes, list[int]] = {}
    for column, rows in enumerate(np.ascontiguousarray(counted.T)):
        if rows.any():
            alike.setdefault(rows.tobytes(), []).append(column)
    return [np.array(columns, dtype=np.intp) for columns in alike.values()]


def _means_of_all(values: FloatArray) -> list[Figure]:
    """The mean of each column; values: float, (n_contexts, n_means), all of which count."""
    n = len(values)
    found = [float(mean) for mean in values.mean(axis=0)]
    if n < 2:
        return [Figure(mean, n=n, undefined=ONE_CONTEXT) for mean in found]
    drawn = np.hstack([values.T @ times.T for times in resampled_times(n)]) / n  # (n_means, n_resamples)
    return [Figure(mean, low, high, n) for mean, (low, high) in zip(found, row_percentiles(drawn), strict=True)]


def _ratio_of(above: FloatArray, below: FloatArray, parts: FloatArray, wholes: FloatArray, if_empty: str) -> Figure:
    """One of `ratios`: above, below (n_contexts,); parts, wholes (n_resamples,)."""
    n = round(below.sum())
    if not n:
        return Figure.missing(if_empty, n=0)
    value = float(above.sum() / n)
    if np.count_nonzero(below) < 2:
        return Figure(value, n=n, undefined=ONE_CONTEXT)
    drawn = wholes > 0
    low, high = percentiles(parts[drawn] / wholes[drawn])
    return Figure(value, low, high, n)


def _resampled_sums(parts: FloatArray) -> Iterator[FloatArray]:
    """Sums over contexts drawn with replacement, (some of RESAMPLES, n_parts); parts: float, (n_contexts, n_parts).

    Contexts that add the same are of one kind. Where there are few kinds for the number of contexts, how
    often each comes is drawn at once.
    """
    kinds, alike = np.unique(parts, axis=0, return_counts=True)
    if len(kinds) * _CONTEXTS_A_KIND <= len(parts):
        yield np.random.default_rng(SEED).multinomial(len(parts), alike / len(parts), RESAMPLES) @ kinds
        return
    for times in resampled_times(len(parts)):
        yield times @ parts


def _mean_ratio(weights: FloatArray, above: FloatArray, below: FloatArray) -> FloatArray:
    """Mean over the subsets that were drawn, (n_resamples,)."""
    parts, wholes = weights @ above, weights @ below  # (n_resamples, n_subsets)
    drawn = wholes > 0
    return (parts / np.where(drawn, wholes, 1.0)).sum(axis=1) / drawn.sum(axis=1)
