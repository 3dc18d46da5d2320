"""Every 95 % interval over contexts. docs/reference/report.md, "Intervals", has the rules and their measured coverage.

Contexts are independent, the answers of one context are not. So the variance of a ratio of sums R = Σx / Σn is that of
contexts, with Student's quantile for few of them [Cochran1977]. Shares have Wilson's interval [Wilson1927] for as many
answers as would vary so much. Where all contexts agree, a guard stands for the contradictions that were not seen.
Figures that are no such ratio are drawn again, context by context [Efron1993].
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtrit

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.resampling import resampled_counts
from evenhand.numerics.shared_draws import Statistic, percentiles, with_drawn_sums

COVERAGE = 0.95
FEWEST_CONTEXTS, FEWEST_DRAWN = 3, 10
NO_CONTEXT = "no context counts"
TOO_FEW_CONTEXTS = "an interval needs at least three contexts"
TOO_FEW_TO_DRAW = "an interval of this figure needs at least ten contexts"
ONE_OUTWEIGHS = "one context has so much of the weight that there is no interval over contexts"
GUARD_OF_DIFFERENCES = 0.5
"""The squares of the two smallest contradictions to a difference of shares: half an answer for each side."""
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Ratios of sums over contexts, and how much they vary with other contexts. All are (n_ratios,).

    values: R = Σx / Σn; NaN where Σn is 0. totals: Σn. contexts: number of contexts with n > 0. effective: (Σn)² / Σn²,
    the number of contexts that would tell as much, if they weighed alike. variances: of R.
    """

    values: FloatArray
    totals: FloatArray
    contexts: IntArray
    effective: FloatArray
    variances: FloatArray

    @classmethod
    def of(cls, numerators: FloatArray, denominators: FloatArray, guard: FloatArray | float = 0.0) -> "Spread":
        """Measure ratios. numerators, denominators: float, (n_contexts, n_ratios). guard: added to the squares."""
        totals = denominators.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = numerators.sum(axis=0) / totals
            effective = totals**2 / (denominators**2).sum(axis=0)
            squares = ((numerators - values * denominators) ** 2).sum(axis=0) + guard
            variances = effective / (effective - 1) * squares / totals**2
        return cls(values, totals, np.count_nonzero(denominators > 0, axis=0), effective, variances)

    @property
    def is_known(self) -> BoolArray:
        """Where there is an interval."""
        return (self.contexts >= FEWEST_CONTEXTS) & (self.effective >= 2)

    def why_not(self) -> list[str | None]:
        """Return the reason why a ratio has no interval; None where it has one."""
        return [
            None if known else TOO_FEW_CONTEXTS if contexts < FEWEST_CONTEXTS else ONE_OUTWEIGHS
            for known, contexts in zip(self.is_known, self.contexts, strict=True)
        ]

    def student(self, low: FloatArray | float = -np.inf, high: FloatArray | float = np.inf) -> "list[Ends]":
        """Return R ± t√v, cut to low and high."""
        half = student_quantile(self.effective - 1) * np.sqrt(self.variances)
        return self._ends(np.maximum(self.values - half, low), np.minimum(self.values + half, high))

    def wilson(self) -> "list[Ends]":
        """Return Wilson's interval with Student's quantile, for as many answers as would vary so much, at most Σn."""
        share, squared = self.values, student_quantile(self.effective - 1) ** 2
        binomial = share * (1 - share)
        with np.errstate(invalid="ignore", divide="ignore"):
            answers = np.where(
                self.variances < _NOTHING, self.totals, np.minimum(binomial / self.variances, self.totals)
            )
            answers = np.where(binomial < _NOTHING, self.effective, answers)
            centre = (share + squared / (2 * answers)) / (1 + squared / answers)
            half = np.sqrt(squared * (binomial / answers + squared / (4 * answers**2))) / (1 + squared / answers)
        low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
        return self._ends(np.minimum(low, share), np.maximum(high, share))  # rounding may leave out 0 or 1

    def _ends(self, low: FloatArray, high: FloatArray) -> "list[Ends]":
        ends = zip(low.tolist(), high.tolist(), strict=True)
        return [two if known else (None, None) for two, known in zip(ends, self.is_known, strict=True)]


Ends = tuple[float | None, float | None]


def student_quantile(degrees_of_freedom: FloatArray | float, tests: int = 1) -> FloatArray:
    """Return how many standard errors a 95 % interval reaches to either side. tests: that share the other 5 %."""
    return np.asarray(stdtrit(degrees_of_freedom, 1 - (1 - COVERAGE) / (2 * tests)))


def contexts_needed(spread: Spread) -> int | None:
    """Return the least number of contexts like these, three or more, whose interval would leave out 0.

    spread: of one ratio. None where it is not above 0, or where its variance is unknown.
    """
    return least_contexts(float(spread.values[0]), float(spread.variances[0] * spread.effective[0]))


def least_contexts(value: float, variance: float, tests: int = 1) -> int | None:
    """Return the least number of contexts, three or more, whose mean would have an interval that leaves out 0.

    value: of the mean. variance: of one context. tests: as in `student_quantile`.
    None where the value is not above 0, or the variance is unknown.
    """
    if value <= 0 or not np.isfinite(variance):
        return None
    contexts = max(FEWEST_CONTEXTS, int(student_quantile(np.inf, tests) ** 2 * variance / value**2))
    while student_quantile(contexts - 1, tests) * np.sqrt(variance / contexts) >= value:
        contexts += 1
    return contexts


def share_figure(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> Figure:
    """Return the share that the sum of numerators has of the sum of denominators, with its interval; n is that sum.

    numerators, denominators: float, (n_contexts,). Counts, a tie ½. Contexts with a denominator of 0 are left out.
    if_empty: reason if all are 0.
    """
    return share_figures(numerators[:, None], denominators[:, None], if_empty=if_empty)[0]


def share_figures(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> list[Figure]:
    """Return the `share_figure` of each column. numerators, denominators: float, (n_contexts, n_shares)."""
    spread = Spread.of(numerators, denominators)
    return _figures(spread, spread.wilson(), if_empty)


def pooled_share(contexts: IntArray, values: FloatArray, n_contexts: int, *, if_empty: str) -> Figure:
    """Return the share of values of 1, where ½ is half a one, without NaN. contexts: int, values: float, (n,)."""
    return share_figure(*_of_contexts(contexts, values, n_contexts), if_empty=if_empty)


def pooled_mean(contexts: IntArray, values: FloatArray, n_contexts: int, *, if_empty: str) -> Figure:
    """Return the mean of all values without NaN; n is their number. contexts: int, values: float, (n,)."""
    totals, sizes = _of_contexts(contexts, values, n_contexts)
    spread = Spread.of(totals[:, None], sizes[:, None])
    return _figures(spread, spread.student(), if_empty)[0]


def macro_share(numerators: FloatArray, denominators: FloatArray, *, if_empty: str) -> Figure:
    """Return the plain mean of the subsets' shares, with its interval; n is the sum of all denominators.

    numerators, denominators: float, (n_contexts, n_subsets). Subsets whose denominators are all 0 are left out.
    """
    subsets = denominators.sum(axis=0) > 0
    if not subsets.any():
        return Figure.missing(if_empty, n=0)
    spread = Spread.of(numerators[:, subsets], denominators[:, subsets], GUARD_OF_DIFFERENCES)
    value, n = float(spread.values.mean()), round(spread.totals.sum())
    if why := next(filter(None, spread.why_not()), None):
        return Figure(value, n=n, undefined=f"in a subset, {why}")
    variance = spread.variances.sum()
    degrees = variance**2 / (spread.variances**2 / (spread.effective - 1)).sum()
    half = float(student_quantile(degrees) * np.sqrt(variance)) / int(subsets.sum())
    return Figure(value, max(value - half, 0.0), min(value + half, 1.0), n)


def mean_figures(
    values: FloatArray, guards: FloatArray | float = 0.0, *, lowest: FloatArray | float = -1.0
) -> list[Figure]:
    """Return the plain mean over contexts of each column, with its interval up to 1; n is the number of contexts.

    values: float, (n_contexts, n_means). NaN for contexts that do not count.
    guards: of each column, from `coefficient_guard` or `pairs_guard`. lowest: the least possible value.
    """
    known = ~np.isnan(values)
    spread = Spread.of(np.where(known, values, 0.0), known.astype(np.float64), guards)
    return _figures(spread, spread.student(lowest, 1.0), NO_CONTEXT)


def mean_coefficient(values: FloatArray, candidates: FloatArray, *, if_empty: str) -> Figure:
    """Return the mean of one correlation coefficient. values: float, (n_contexts,). NaN for contexts that do not count.

    candidates: float, (n_contexts,). Number in each context.
    """
    known = ~np.isnan(values)
    if not known.any():
        return Figure.missing(if_empty, n=0)
    return mean_figures(values[:, None], coefficient_guard(float(candidates[known].mean())))[0]


def coefficient_guard(candidates: float) -> float:
    """Return the guard of a mean of correlation coefficients. candidates: their mean number in a context, above 1."""
    return 2 / (candidates - 1) ** 2


def pairs_guard(pairs: float) -> float:
    """Return the guard of a mean of shares of the pairs within contexts. pairs: their mean number in a context."""
    return 1 / (2 * pairs**2)


def statistic_of_sums(statistic: Statistic, parts: FloatArray, *, n: int, if_undefined: str) -> Figure:
    """Compute a statistic of sums over contexts, with an interval from contexts drawn with replacement.

    In a block of `shared_draws`, the interval follows later. Draws in which the statistic is NaN are left out.
    parts: float, (n_contexts, n_parts). Contribution of each context to the sums.
    """
    value = float(statistic(parts.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return Figure.missing(if_undefined, n=n)
    if len(parts) < FEWEST_DRAWN:
        return Figure(value, n=n, undefined=TOO_FEW_TO_DRAW)
    figure = Figure(value, n=n)
    with_drawn_sums(parts, partial(_complete, figure, statistic))
    return figure


def _complete(figure: Figure, statistic: Statistic, totals: FloatArray) -> None:
    samples = statistic(totals)
    figure.complete(*percentiles(samples[~np.isnan(samples)]))


def _of_contexts(contexts: IntArray, values: FloatArray, n_contexts: int) -> tuple[FloatArray, FloatArray]:
    """Return the sum and the number of the values of each context, (n_contexts,), without NaN."""
    known = ~np.isnan(values)
    return sums(contexts[known], values[known], n_contexts), counts(contexts[known], n_contexts).astype(np.float64)


def _figures(spread: Spread, ends: list[Ends], if_empty: str) -> list[Figure]:
    rows = zip(spread.values.tolist(), ends, spread.totals.tolist(), spread.why_not(), strict=True)
    return [
        Figure(value, low, high, round(n), why) if n else Figure.missing(if_empty, n=0)
        for value, (low, high), n, why in rows
    ]


FEWEST_CANDIDATES = 3
FEW_CANDIDATES = f"an interval over candidates needs at least {FEWEST_CANDIDATES} of them"


def mean_over_candidates(comparisons: Comparisons, values: FloatArray, *, if_empty: str) -> Figure:
    """Return the mean of values of comparisons, with a 95 % interval over candidates drawn with replacement.

    It shows how the mean of a single context would vary with other candidates.

    A comparison counts as often as its first candidate was drawn, times as often as its second was. Resamples without
    any comparison are left out.

    values: float, (n,). NaN for comparisons that do not count. if_empty: reason if none counts.
    """
    counted = ~np.isnan(values)
    known = values[counted]
    if not len(known):
        return Figure.missing(if_empty, n=0)
    ends = np.stack([comparisons.first[counted], comparisons.second[counted]])
    candidates, (first, second) = np.unique(ends, return_inverse=True)
    if len(candidates) < FEWEST_CANDIDATES:
        return Figure(float(known.mean()), n=len(known), undefined=FEW_CANDIDATES)
    shape = len(candidates), len(candidates)
    totals, sizes = (csr_array((each, (first, second)), shape=shape) for each in (known, np.ones(len(known))))
    samples = []
    for times in resampled_counts(len(candidates)):
        above, below = (((times @ table) * times).sum(axis=1) for table in (totals, sizes))
        samples.append(above[below > 0] / below[below > 0])
    return Figure(float(known.mean()), *percentiles(np.concatenate(samples)), n=len(known))
