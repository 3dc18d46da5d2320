"""How well single raters and candidates fit a Bradley-Terry scale, and how reliable the scale is [Wright1982]."""

from dataclasses import dataclass, replace

import numpy as np

from rankings.numerics.arrays import FloatArray
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.decisions import decide
from rankings.numerics.exceptions import Undefined
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import context_sums, ratio_figure
from rankings.numerics.scores import Scores

NO_SCORED_PAIR = "no comparison is of two candidates with a score"


@dataclass(frozen=True, slots=True)
class Misfit:
    """Mean-square misfit of comparisons, with intervals over contexts; 1 is what the model expects, more is noisier.

    infit: squared residuals over their expectation. outfit: plain mean of squared standardised residuals, sensitive to
    surprises in easy pairs. n: how many comparisons have two scores.
    """

    infit: Figure
    outfit: Figure


def misfit(comparisons: Comparisons, scores: Scores) -> Misfit:
    """Infit and outfit of comparisons such as those of one rater; the scores are taken as they are.

    The scores are Bradley-Terry's, in nats. A tie is half a win, whose residual is smaller than the model expects, so
    many ties lower both statistics.
    """
    known = comparisons.select(scores.defined[comparisons.first] & scores.defined[comparisons.second])
    squares, variances = _residuals(known, scores.values)
    squared, expected, standardised, n = (
        context_sums(known.contexts, values, known.n_contexts)
        for values in (squares, variances, squares / variances, np.ones(len(known)))
    )
    infit = replace(ratio_figure(squared, expected, if_empty=NO_SCORED_PAIR), n=len(known))
    return Misfit(infit, ratio_figure(standardised, n, if_empty=NO_SCORED_PAIR))


def separation_reliability(scores: Scores) -> Figure:
    """Share of the variance of the scores that is not error, at most 1; n is the number of candidates [Bramley2007].

    After adaptive selection it is far too high: compare it with `split_half_reliability` then.
    """
    known = scores.defined & scores.errors_defined
    if known.sum() < 2:
        return Figure.missing("fewer than two candidates have a score with a standard error", n=int(known.sum()))
    variance = float(scores.values[known].var(ddof=1))
    if variance == 0:
        return Figure.missing("all scores are equal", n=int(known.sum()))
    return Figure(1 - float((scores.errors[known] ** 2).mean()) / variance, n=int(known.sum()))


def separation_index(reliability: float) -> float:
    """True spread of the scores over their error, sqrt(R / (1 - R)). Raises Undefined unless 0 <= R < 1."""
    if not 0 <= reliability < 1:
        raise Undefined(f"a separation index needs a reliability from 0 to below 1, not {reliability:g}")
    return float(np.sqrt(reliability / (1 - reliability)))


def _residuals(comparisons: Comparisons, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Squared residuals of the decisions and their expectation, both (n,)."""
    chance = 1 / (1 + np.exp(scores[comparisons.second] - scores[comparisons.first]))
    return (decide(comparisons.p_first) - chance) ** 2, chance * (1 - chance)
