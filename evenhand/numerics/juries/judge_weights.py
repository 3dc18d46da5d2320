"""Answers pooled over the judges of a jury; and weights of judges, learned from people's preferences on other contexts.

It is a Bradley-Terry model with a weight and a bias for each judge: people prefer `first` with probability
sigmoid(sum over judges of weight (logit(p_first) - bias)). The weight of a judge is the inverse of the discriminator
of [Qian2026], but it is learned from people. The bias is the judge's position bias: the mean of its logits over both
orders of the same pairs.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit

from evenhand.numerics.accuracy import both_orders
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import NotConverged, Undefined
from evenhand.numerics.intervals import FEWEST_CONTEXTS, Spread, student_quantile
from evenhand.numerics.rankings.product_of_experts import clipped

FOLDS = 5
"""Parts of the contexts. The answers on each part use weights learned on the other parts."""
FOLDING_SEED = 20260220
NO_PREFERENCE = "people prefer no candidate on the comparisons that all judges answered"
TOO_FEW_PREFERENCES = "people prefer a candidate in fewer than two of the contexts that all judges answered"


@dataclass(frozen=True, slots=True, eq=False)
class JudgeWeights:
    """Weights and position biases learned from all contexts given.

    weights: float, (n_judges,). A judge of weight 0 is ignored.
    biases: float, (n_judges,), in nats of the judge's log-odds; 0 without pairs in both orders.
    low, high, bias_low, bias_high: float, (n_judges,). Ends of 95 % intervals, from errors that allow any dependence
    within a context; NaN where there is none.
    comparisons: number of comparisons that they were learned from.
    """

    weights: FloatArray
    low: FloatArray
    high: FloatArray
    biases: FloatArray
    bias_low: FloatArray
    bias_high: FloatArray
    comparisons: int


@dataclass(frozen=True, slots=True, eq=False)
class CrossFitted:
    """Answers by weights that were learned on other contexts.

    logits: float, (n_pairs,). folds: int, (n_contexts,). Part of each context. learned: weights for each part.
    """

    logits: FloatArray
    folds: IntArray
    learned: list[JudgeWeights]


def learn_judge_weights(
    pairs: Comparisons, logits: FloatArray, preferences: FloatArray, chosen: BoolArray | None = None
) -> JudgeWeights:
    """Learn the weights that make people's preferences most likely, with a normal prior around equal weights.

    The prior has mean 1 / n_judges and standard deviation 1, so without data the jury is the product of experts.
    pairs: the comparisons that all judges answered. logits: float, (n_judges, n_pairs).
    preferences: float, (n_pairs,), from `human_preferences`. chosen: bool, (n_contexts,). Contexts to learn from.

    Raises Undefined if people have no preference there.
    """
    of_pair = np.ones(len(pairs), dtype=bool) if chosen is None else chosen[pairs.contexts]
    biases, (bias_low, bias_high) = position_biases(pairs.select(of_pair), logits[:, of_pair])
    known = of_pair & ~np.isnan(preferences)
    if not known.any():
        raise Undefined(NO_PREFERENCE)
    signed = (2 * preferences[known] - 1) * (logits[:, known] - biases[:, None])
    weights, curvature = most_likely_weights(signed)
    errors = _clustered_errors(signed, weights, curvature, pairs.contexts[known], pairs.n_contexts)
    n_contexts = len(np.unique(pairs.contexts[known]))
    margin = (student_quantile(n_contexts - 1) if n_contexts >= FEWEST_CONTEXTS else np.nan) * errors
    return JudgeWeights(weights, weights - margin, weights + margin, biases, bias_low, bias_high, int(known.sum()))


def cross_fitted_logits(pairs: Comparisons, logits: FloatArray, preferences: FloatArray) -> CrossFitted:
    """Combine the judges on each part of the contexts by weights learned on the other parts.

    Raises Undefined if people have a preference in fewer than two contexts.
    """
    folds = _folds(pairs, preferences)
    combined = np.zeros(len(pairs))
    learned = []
    for fold in range(folds.max() + 1):
        one = learn_judge_weights(pairs, logits, preferences, folds != fold)
        here = folds[pairs.contexts] == fold
        combined[here] = one.weights @ (logits[:, here] - one.biases[:, None])
        learned.append(one)
    return CrossFitted(combined, folds, learned)


def _folds(pairs: Comparisons, preferences: FloatArray) -> IntArray:
    """Spread the contexts with a preference, and then the others, evenly over the parts at random, (n_contexts,)."""
    has_preference = np.zeros(pairs.n_contexts, dtype=bool)
    has_preference[pairs.contexts[~np.isnan(preferences)]] = True
    if (number := int(has_preference.sum())) < 2:
        raise Undefined(TOO_FEW_PREFERENCES)
    shuffled = np.random.default_rng(FOLDING_SEED).permutation(pairs.n_contexts)
    ordered = shuffled[np.argsort(~has_preference[shuffled], kind="stable")]
    folds = np.empty(pairs.n_contexts, dtype=np.intp)
    folds[ordered] = np.arange(pairs.n_contexts) % min(FOLDS, number)
    return folds


def position_biases(pairs: Comparisons, logits: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each judge's mean logit over the pairs that were asked in both orders, (n_judges,); 0 without any.

    And the ends of its interval, (2, n_judges); NaN where there is none.
    """
    both = np.concatenate(both_orders(pairs))
    if not len(both):
        return np.zeros(len(logits)), np.full((2, len(logits)), np.nan)
    contexts = pairs.contexts[both]
    totals = np.stack([sums(contexts, row[both], pairs.n_contexts) for row in logits], axis=1)
    sizes = counts(contexts, pairs.n_contexts)[:, None].astype(np.float64)
    spread = Spread.of(totals, np.repeat(sizes, len(logits), axis=1))
    return spread.values, np.array(spread.student(), dtype=np.float64).T  # None becomes NaN


def most_likely_weights(signed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights and the curvature of the loss there. signed: logits towards people's choices, (k, n)."""
    centre = np.full(len(signed), 1 / len(signed))

    def loss(weights: FloatArray) -> float:
        return float(-log_expit(weights @ signed).sum() + ((weights - centre) ** 2).sum() / 2)

    def slope(weights: FloatArray) -> FloatArray:
        return np.asarray(-signed @ expit(-weights @ signed) + weights - centre)

    def curvature(weights: FloatArray) -> FloatArray:
        likely = expit(weights @ signed)
        return np.asarray((signed * (likely * (1 - likely))) @ signed.T + np.eye(len(signed)))

    result = minimize(loss, centre, method="trust-exact", jac=slope, hess=curvature, options={"gtol": 1e-6})
    # far out, rounding of the loss may end the search early although its slope is tiny
    if not np.isfinite(result.x).all() or np.abs(slope(result.x)).max() > 1e-4 * max(1.0, np.abs(signed).sum()):
        raise NotConverged("the weights of the judges do not settle")
    return result.x, curvature(result.x)


def _clustered_errors(
    signed: FloatArray, weights: FloatArray, curvature: FloatArray, contexts: IntArray, n_contexts: int
) -> FloatArray:
    """Return standard errors of the weights, (n_judges,), from slopes summed within each context.

    They are no smaller than those of independent comparisons: few contexts may agree by chance.
    """
    slopes = signed * expit(-weights @ signed)
    totals = np.stack([sums(contexts, row, n_contexts) for row in slopes])
    n, half = max(len(np.unique(contexts)), 2), np.linalg.solve(curvature, totals)
    variances = n / (n - 1) * (half**2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(variances, np.linalg.inv(curvature).diagonal())))


_ROUNDING = 1e-12
"""Sums of judges that cancel out differ from zero by less than this, in any order of the judges."""


def majority_decisions(p_first: FloatArray) -> FloatArray:
    """Return what more judges decide, (n_pairs,): 1 for `first`, 0 for `second`, 1/2 (a tie) for equal numbers.

    A judge that decides for a tie counts for neither side. p_first: float, (n_judges, n_pairs).
    """
    return decide((2 * decide(p_first) - 1).sum(axis=0), threshold=0.0)


def mean_probabilities(p_first: FloatArray) -> FloatArray:
    """Return the mean of the judges' probabilities, (n_pairs,). p_first: float, (n_judges, n_pairs)."""
    return 0.5 + _without_rounding((p_first - 0.5).mean(axis=0))


def weighted_product(logits: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the probabilities whose logit is the weighted sum of the judges' logits, (n_pairs,).

    Each judge is an expert sigmoid(d)^(w p) (1 - sigmoid(d))^(w (1 - p)) on the score difference d [Liusie2024b].
    Equal weights of 1 / n_judges give the mean of the logits.
    logits: float, (n_judges, n_pairs), from `judge_logits`. weights: float, (n_judges,).
    """
    return np.asarray(expit(_without_rounding(weights @ logits)), dtype=np.float64)


def judge_logits(p_first: FloatArray) -> FloatArray:
    """Return the log-odds of the judges' probabilities, in nats, same shape.

    Probabilities are first limited to [1e-6, 1 - 1e-6], as in every ranking that takes a logarithm.
    """
    return np.asarray(logit(clipped(p_first)), dtype=np.float64)


def _without_rounding(values: FloatArray) -> FloatArray:
    """Set values that are zero but for rounding to zero, so that a tie stays an exact tie."""
    return np.where(np.abs(values) < _ROUNDING, 0.0, values)
