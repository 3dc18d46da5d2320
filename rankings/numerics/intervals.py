"""Figures with a 95 % interval: percentile bootstrap over contexts [Efron1993]."""

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray, counts, sums
from rankings.numerics.figure import Figure
from rankings.numerics.hashes import row_hashes
from rankings.numerics.resampling import RESAMPLES, RESAMPLING_SEED
from rankings.numerics.shared_draws import Statistic, percentiles, shared_draws, with_interval

NO_CONTEXT = "no context counts"
ONE_CONTEXT = "an interval needs at least two contexts"
_CONTEXTS_A_KIND = 16  # one multinomial draw of a kind costs as much as 16 contexts


def ratio_figure(numerators: FloatArray, denominators: FloatArray, *, if_empty: str, n: int | None = None) -> Figure:
    """Divide the sum of numerators by the sum of denominators, with a 95 % interval over contexts.

    numerators, denominators: float, (n_contexts,). Contexts with a denominator of 0 are left out.
    if_empty: reason if all denominators are 0. n: number of observations; default: the sum of denominators.
    """
    counted = denominators > 0
    if not counted.any():
        return Figure.missing(if_empty, n=0)
    above, below = numerators[counted], denominators[counted]
    n = round(below.sum()) if n is None else n
    return _over_contexts(float(above.sum() / below.sum()), n, _ratio, np.column_stack([above, below]))


def pooled_mean(contexts: IntArray, values: FloatArray, n_contexts: int, *, if_empty: str) -> Figure:
    """Return the mean of all values, with a 95 % interval over contexts; n is their number.

    contexts: int, (n,). Context of each value. values: float, (n,). if_empty: reason if there are none.
    """
    sizes = counts(contexts, n_contexts).astype(np.float64)
    return ratio_figure(sums(contexts, values, n_contexts), sizes, if_empty=if_empty)


@shared_draws()
def ratio_figures(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> list[Figure]:
    """Return the `ratio_figure` of each column, all from the same resamples.

    Resamples that draw no context of a column are left out for that column.

    numerators, denominators: float, (n_contexts, n_ratios).
    """
    counted = (denominators > 0).any(axis=1)
    above, below = numerators[counted], denominators[counted]
    drawn = _sums_over_kinds(np.hstack([above, below])) if len(above) else None
    columns = range(numerators.shape[1])
    return [
        _one_of_ratios(
            np.column_stack([above[:, column], below[:, column]]),
            None if drawn is None else drawn[:, [column, column + len(columns)]],
            if_empty,
        )
        for column in columns
    ]


def mean_of_ratios(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> Figure:
    """Return the plain mean of the subsets' ratios, with a 95 % interval over contexts.

    n is the sum of all denominators.
    numerators, denominators: float, (n_contexts, n_subsets). Subsets whose denominators are all 0 are left out.
    """
    subsets = denominators.sum(axis=0) > 0
    contexts = denominators.sum(axis=1) > 0
    if not subsets.any():
        return Figure.missing(if_empty, n=0)
    above, below = numerators[contexts][:, subsets], denominators[contexts][:, subsets]
    value = float((above.sum(axis=0) / below.sum(axis=0)).mean())
    return _over_contexts(value, round(below.sum()), _mean_ratio, np.hstack([above, below]))


@shared_draws()
def mean_figures(values: FloatArray) -> list[Figure]:
    """Return the plain mean of each column, with a 95 % interval over contexts; n is the number of contexts.

    values: float, (n_contexts, n_means). NaN for contexts that do not count; they are not resampled.
    """
    figures: dict[bytes, Figure] = {}  # rankings often agree on every context
    contents = [column.tobytes() for column in values.T]
    for content, column in zip(contents, values.T, strict=True):
        if content not in figures:
            figures[content] = _mean_figure(column[~np.isnan(column)])
    return [figures[content] for content in contents]


def _mean_figure(values: FloatArray) -> Figure:
    if not len(values):
        return Figure.missing(NO_CONTEXT, n=0)
    parts = np.stack([values, np.ones(len(values))], axis=1)
    return _over_contexts(float(values.sum() / len(values)), len(values), _ratio, parts)


def statistic_of_sums(statistic: Statistic, parts: FloatArray, *, n: int, if_undefined: str) -> Figure:
    """Compute a statistic of sums over contexts, with a 95 % interval over contexts.

    Resamples in which it is NaN are left out.
    parts: float, (n_contexts, n_parts). Contribution of each context to the sums.
    """
    value = float(statistic(parts.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return Figure.missing(if_undefined, n=n)
    return _over_contexts(value, n, statistic, parts, _sums_over_kinds(parts))


def _over_contexts(
    value: float, n: int, statistic: Statistic, parts: FloatArray, drawn: FloatArray | None = None
) -> Figure:
    """Return a figure with its interval; a single context gives none.

    parts: float, (n_contexts, n_parts). drawn: their sums in the resamples, (n_resamples, n_parts), if known.
    """
    if len(parts) < 2:
        return Figure(value, n=n, undefined=ONE_CONTEXT)
    if drawn is None:
        return with_interval(Figure(value, n=n), statistic, parts)
    samples = statistic(drawn)
    return Figure(value, *percentiles(samples[~np.isnan(samples)]), n)


def _one_of_ratios(parts: FloatArray, drawn: FloatArray | None, if_empty: str) -> Figure:
    """Return one of `ratio_figures`. parts: (n_contexts, 2). drawn: as in `_over_contexts`."""
    above, below = parts.sum(axis=0)
    if not below:
        return Figure.missing(if_empty, n=0)
    if np.count_nonzero(parts[:, 1]) < 2:
        return Figure(float(above / below), n=round(below), undefined=ONE_CONTEXT)
    return _over_contexts(float(above / below), round(below), _ratio, parts, drawn)


def _sums_over_kinds(parts: FloatArray) -> FloatArray | None:
    """Return sums over contexts drawn with replacement, (n_resamples, n_parts); None if there are many kinds.

    Contexts with equal parts are one kind. One multinomial draw gives the count of each kind.
    parts: float, (n_contexts, n_parts).
    """
    _, of_each, sizes = np.unique(row_hashes(parts), return_index=True, return_counts=True)
    if len(sizes) * _CONTEXTS_A_KIND > len(parts):
        return None
    kinds, order = np.unique(parts[of_each], axis=0, return_index=True)  # in the order of the draws
    alike = sizes[order]
    rng = np.random.default_rng(RESAMPLING_SEED)
    return np.asarray(rng.multinomial(len(parts), alike / len(parts), RESAMPLES) @ kinds)


def _ratio(total: FloatArray) -> FloatArray:
    """Divide the sums, (n_samples, 2); NaN where the divisor is 0."""
    above, below = total.T
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def _mean_ratio(total: FloatArray) -> FloatArray:
    """Average the ratios over the subsets that each resample drew; total: numerators and denominators side by side."""
    above, below = np.split(total, 2, axis=1)  # (n_samples, n_subsets)
    drawn = below > 0
    return np.asarray((above / np.where(drawn, below, 1.0)).sum(axis=1) / drawn.sum(axis=1))
