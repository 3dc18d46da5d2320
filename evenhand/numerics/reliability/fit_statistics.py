"""Fit of raters to a Bradley-Terry scale, and the reliability of the scale [Wright1982]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.coefficients import pearson_rows
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import InvalidComparisons, Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_mean, statistic_of_sums
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.scores import Scores, rounded
from evenhand.numerics.shared_draws import percentiles

NO_SCORED_PAIR = "no comparison is of two candidates with a score"
NO_HALVES = "no split of the comparisons leaves both halves with two scored candidates in common whose scores differ"


@dataclass(frozen=True, slots=True)
class Misfit:
    """Mean-square misfit of comparisons, with intervals over contexts. The model expects 1; noisier answers give more.

    infit: sum of squared residuals over the sum of their expectations.
    outfit: mean of squared standardised residuals, sensitive to surprises in easy pairs.
    n of both: number of comparisons with two scores.
    """

    infit: Figure
    outfit: Figure


def misfit(comparisons: Comparisons, scores: Scores) -> Misfit:
    """Compute infit and outfit of comparisons, for example those of one rater, to fixed Bradley-Terry scores in nats.

    A tie is half a win. Its residual is smaller than the model expects, so many ties lower both statistics.
    """
    known = comparisons.select(scores.defined[comparisons.first] & scores.defined[comparisons.second])
    squares, variances = _residuals(known, scores.values)
    squared, expected = (sums(known.contexts, values, known.n_contexts) for values in (squares, variances))
    parts = np.column_stack([squared, expected])[expected > 0]
    infit = (
        statistic_of_sums(lambda total: total[:, 0] / total[:, 1], parts, n=len(known), if_undefined=NO_SCORED_PAIR)
        if len(parts)
        else Figure.missing(NO_SCORED_PAIR, n=0)
    )
    outfit = pooled_mean(known.contexts, squares / variances, known.n_contexts, if_empty=NO_SCORED_PAIR)
    return Misfit(infit, outfit)


def _residuals(comparisons: Comparisons, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the squared residuals of the decisions and their expectations, both (n,)."""
    chance = 1 / (1 + np.exp(scores[comparisons.second] - scores[comparisons.first]))
    return (decide(comparisons.p_first) - chance) ** 2, chance * (1 - chance)


def separation_reliability(scores: Scores) -> Figure:
    """Return the share of the variance of the scores that is not error, from 0 to 1 [Bramley2007]; n counts candidates.

    It is far too high after adaptive selection. Compare it with `split_half_reliabilities` then.
    """
    known = scores.defined & scores.errors_defined
    if known.sum() < 2:
        return Figure.missing("fewer than two candidates have a score with a standard error", n=int(known.sum()))
    variance = float(scores.values[known].var(ddof=1))
    if variance == 0:
        return Figure.missing("all scores are equal", n=int(known.sum()))
    error = float((scores.errors[known] ** 2).mean())
    if error > variance:
        return Figure.missing("the mean squared error of the scores exceeds their variance", n=int(known.sum()))
    return Figure(1 - error / variance, n=int(known.sum()))


def separation_index(reliability: float) -> float:
    """Return the true spread of the scores over their error, sqrt(R / (1 - R)). Raises Undefined unless 0 <= R < 1."""
    if not 0 <= reliability < 1:
        raise Undefined(f"a separation index needs a reliability from 0 to below 1, not {reliability:g}")
    return float(np.sqrt(reliability / (1 - reliability)))


def split_half_reliabilities(
    rankings: Sequence[str], comparisons: Comparisons, rng: np.random.Generator, *, splits: int = 50
) -> dict[str, Figure]:
    """Correlate the scores of random halves by Pearson, step up by Spearman-Brown, and average; n counts splits.

    Returns the figure of each ranking, all from the same halves. Unordered pairs are split, so that both orders of a
    pair are in the same half. The mean of each context is subtracted first. low and high are the middle 95 % of the
    splits. A negative correlation is not stepped up, because the formula would go to minus infinity.

    Raises UnknownRanking, and InvalidComparisons if splits is below 1.
    """
    if splits < 1:
        raise InvalidComparisons(f"splits is {splits}; give 1 or more")
    keys, pair = comparisons.unordered_pairs
    values: dict[str, list[float | None]] = {ranking: [] for ranking in rankings}
    for _ in range(splits):
        in_one = rng.permutation(len(keys))[pair] % 2 == 0
        halves = comparisons.select(in_one), comparisons.select(~in_one)
        for ranking in rankings:
            values[ranking].append(_stepped_up(ranking, *halves))
    return {ranking: _mean_of_splits(of_splits) for ranking, of_splits in values.items()}


def _mean_of_splits(values: Sequence[float | None]) -> Figure:
    known = np.array([value for value in values if value is not None])
    if not len(known):
        return Figure.missing(NO_HALVES, n=0)
    low, high = percentiles(known)
    return Figure(float(known.mean()), low, high, n=len(known))


def _stepped_up(ranking: str, *halves: Comparisons) -> float | None:
    """Correlate the scores of two halves and step up; None if a half has no differences."""
    one, other = (score(ranking, half) for half in halves)
    both, n_contexts = one.defined & other.defined, halves[0].n_contexts
    contexts = halves[0].candidate_contexts[both]
    sizes = np.maximum(counts(contexts, n_contexts), 1)
    centred = [
        rounded(scores.values[both] - (sums(contexts, scores.values[both], n_contexts) / sizes)[contexts])
        for scores in (one, other)
    ]
    if any(len(half_scores) < 2 or np.ptp(half_scores) == 0 for half_scores in centred):
        return None
    correlation = float(pearson_rows(centred[0][None], centred[1][None])[0])
    return 2 * correlation / (1 + correlation) if correlation > 0 else correlation
