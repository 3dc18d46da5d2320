"""A Bradley-Terry model with a weight and a bias for each judge, fitted to the judges' answers alone.

It follows the idea of BT-sigma [Qian2026], with the inverse discriminator of a judge as its weight. Judge k prefers
candidate i, shown before j, with probability sigmoid(weight_k (score_i - score_j) + bias_k). Weights, biases and scores
minimise the cross-entropy between these probabilities and the judges' answers. Each judge's log-odds are first divided
by their own standard deviation, so a judge gains no weight by confidence alone.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import splu
from scipy.special import expit

from evenhand.numerics.accuracy import both_orders
from evenhand.numerics.arrays import FloatArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import NotConverged, Undefined
from evenhand.numerics.intervals import FEWEST_CONTEXTS, student_quantile
from evenhand.numerics.juries.judge_weights import JudgeWeights

FEWEST_JUDGES = 3
PRIOR_DEVIATION = 3.0
"""Standard deviation of the normal prior on scores, in nats of a judge with weight 1. It keeps scores finite."""
TOO_FEW_JUDGES = "two judges cannot show which of them errs"
NO_SPREAD = "no judge's answers differ between comparisons"
_HALVINGS = 50
_LARGEST_GAP = 60.0
_SMALLEST_SPREAD = 1e-9
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class BtSigma:
    """The fitted model.

    judges: weights with mean square 1, and biases in nats of the judge's own log-odds.
    logits: float, (n_pairs,). Log-odds of the jury's answer: the score gap that best explains the answers on this pair.
    """

    judges: JudgeWeights
    logits: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """The answers to explain. p_first: float, (n_judges, n_pairs). has_biases: False sets all biases to 0."""

    pairs: Comparisons
    p_first: FloatArray
    has_biases: bool

    @property
    def n_judges(self) -> int:
        return len(self.p_first)


@dataclass(frozen=True, slots=True, eq=False)
class _Parameters:
    """weights, biases: float, (n_judges,). scores: float, (n_candidates,)."""

    weights: FloatArray
    biases: FloatArray
    scores: FloatArray

    @property
    def scale(self) -> float:
        """Return the mean square of the weights."""
        return float((self.weights**2).mean())

    def normalised(self) -> "_Parameters":
        """Scale the weights to mean square 1 and a positive sum. The probabilities stay the same."""
        factor = np.sqrt(self.scale) * (-1 if self.weights.sum() < 0 else 1)
        return _Parameters(self.weights / factor, self.biases, self.scores * factor)


def fit_bt_sigma(pairs: Comparisons, logits: FloatArray) -> BtSigma:
    """Fit weights, biases and scores, and answer each comparison with them.

    A bias needs pairs that were asked in both orders; without any, all biases are 0.
    pairs: the comparisons that all judges answered. logits: float, (n_judges, n_pairs).

    Raises Undefined with fewer than three judges, or if no judge's answers differ. Raises NotConverged.
    """
    if len(logits) < FEWEST_JUDGES:
        raise Undefined(TOO_FEW_JUDGES)
    spreads = logits.std(axis=1)
    differs = spreads > _SMALLEST_SPREAD
    if not differs.any():
        raise Undefined(NO_SPREAD)
    spreads = np.where(differs, spreads, 1.0)
    data = _Data(pairs, expit(logits / spreads[:, None]), bool(len(both_orders(pairs)[0])))
    fitted = _most_likely(data)
    typical = float(np.exp(np.log(spreads[differs]).mean()))
    return BtSigma(_judge_weights(data, fitted, spreads), typical * _local_gaps(data, fitted))


def _most_likely(data: _Data) -> _Parameters:
    """Minimise the loss from equal weights and the judges' mean log-odds."""
    pairs, number = data.pairs, data.n_judges
    means = (data.p_first - 0.5).mean(axis=0)
    compared = sums(pairs.first, np.ones(len(pairs)), pairs.n_candidates)
    start = 4 * _by_candidate(pairs, means) / np.maximum(1, 2 * compared)
    x = np.concatenate([np.ones(number), np.zeros(number), start])
    options = {"maxiter": 5_000, "maxfun": 10_000, "maxcor": 30, "ftol": 1e-13, "gtol": 1e-6}
    result = minimize(lambda values: _loss(data, values), x, jac=True, method="L-BFGS-B", options=options)
    if not result.success or not np.isfinite(result.x).all():
        raise NotConverged("the weights of the judges do not settle")
    return _unpacked(result.x, number).normalised()


def _unpacked(values: FloatArray, n_judges: int) -> _Parameters:
    return _Parameters(values[:n_judges], values[n_judges : 2 * n_judges], values[2 * n_judges :])


def _loss(data: _Data, values: FloatArray) -> tuple[float, FloatArray]:
    """Return the penalised cross-entropy and its slope. The penalty is the prior, free of the scale of the weights."""
    at, pairs = _unpacked(values, data.n_judges), data.pairs
    gaps = at.scores[pairs.first] - at.scores[pairs.second]
    log_odds = at.weights[:, None] * gaps + at.biases[:, None]
    size = float((at.scores**2).sum()) / PRIOR_DEVIATION**2
    loss = float((np.logaddexp(0, log_odds) - data.p_first * log_odds).sum()) + at.scale * size / 2
    excess = expit(log_odds) - data.p_first  # (n_judges, n_pairs)
    for_weights = excess @ gaps + at.weights * size / data.n_judges
    for_biases = excess.sum(axis=1) * data.has_biases
    for_scores = _by_candidate(pairs, at.weights @ excess) + at.scale * at.scores / PRIOR_DEVIATION**2
    return loss, np.concatenate([for_weights, for_biases, for_scores])


def _by_candidate(pairs: Comparisons, values: FloatArray) -> FloatArray:
    """Sum the values of each candidate's comparisons, negative where it stands second, (n_candidates,)."""
    return sums(pairs.first, values, pairs.n_candidates) - sums(pairs.second, values, pairs.n_candidates)


def _judge_weights(data: _Data, fitted: _Parameters, spreads: FloatArray) -> JudgeWeights:
    """Return weights and biases with 95 % intervals, which are NaN with fewer than three contexts."""
    weight_margins, bias_margins = np.split(_margins(data, fitted), 2)
    biases = fitted.biases * spreads
    return JudgeWeights(
        fitted.weights,
        fitted.weights - weight_margins,
        fitted.weights + weight_margins,
        biases,
        biases - bias_margins * spreads,
        biases + bias_margins * spreads,
        len(data.pairs),
    )


def _margins(data: _Data, fitted: _Parameters) -> FloatArray:
    """Return half the intervals of weights and biases, (2 n_judges,), from slopes summed within each context.

    The scores follow the weights: the curvature is that of the loss at the best scores for each choice of weights.
    """
    slopes = _context_slopes(data, fitted)  # (2 n_judges, n_contexts)
    n_contexts = int((np.abs(slopes).sum(axis=0) > 0).sum())
    if n_contexts < FEWEST_CONTEXTS:
        return np.full(2 * data.n_judges, np.nan)
    fixed = _without_scale(fitted)
    half = np.linalg.pinv(fixed @ _profile_curvature(data, fitted) @ fixed, rcond=1e-9, hermitian=True) @ slopes
    errors = np.sqrt((half**2).sum(axis=1))
    if not data.has_biases:
        errors = np.concatenate([errors[: data.n_judges], np.full(data.n_judges, np.nan)])
    return student_quantile(n_contexts - 1) * errors


def _without_scale(fitted: _Parameters) -> FloatArray:
    """Return the projection that takes the common scale out of the weights, (2 n_judges, 2 n_judges)."""
    scale = np.concatenate([fitted.weights, np.zeros_like(fitted.biases)])
    return np.eye(len(scale)) - np.outer(scale, scale) / (scale @ scale)


def _context_slopes(data: _Data, fitted: _Parameters) -> FloatArray:
    pairs, number = data.pairs, data.pairs.n_contexts
    gaps, excess, _ = _residuals(data, fitted)
    sizes = sums(pairs.candidate_contexts, fitted.scores**2, number) / PRIOR_DEVIATION**2
    for_weights = np.stack([sums(pairs.contexts, row * gaps, number) for row in excess])
    for_biases = np.stack([sums(pairs.contexts, row, number) for row in excess]) * data.has_biases
    return np.concatenate([for_weights + np.outer(fitted.weights, sizes) / data.n_judges, for_biases])


def _residuals(data: _Data, fitted: _Parameters) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the score gaps, (n_pairs,), and the excesses and variances of the probabilities, (n_judges, n_pairs)."""
    gaps = fitted.scores[data.pairs.first] - fitted.scores[data.pairs.second]
    likely = expit(fitted.weights[:, None] * gaps + fitted.biases[:, None])
    return gaps, likely - data.p_first, likely * (1 - likely)


def _profile_curvature(data: _Data, fitted: _Parameters) -> FloatArray:
    """Return the second derivatives by weights and biases, with the scores at their best, (2 n_judges, 2 n_judges)."""
    pairs, number, weights = data.pairs, data.n_judges, fitted.weights
    gaps, excess, variances = _residuals(data, fitted)
    prior = 1 / PRIOR_DEVIATION**2
    mixed = np.stack(
        [
            *(_by_candidate(pairs, row) for row in excess + weights[:, None] * variances * gaps),
            *(_by_candidate(pairs, row) * data.has_biases for row in weights[:, None] * variances),
        ],
        axis=1,
    )  # (n_candidates, 2 n_judges)
    mixed[:, :number] += 2 * prior / number * np.outer(fitted.scores, weights)
    laplacian = _laplacian(pairs, weights**2 @ variances) + fitted.scale * prior * diags_array(
        np.ones(pairs.n_candidates)
    )
    own = np.diag((variances @ gaps**2) + prior * float((fitted.scores**2).sum()) / number)
    crossed = np.diag(variances @ gaps) * data.has_biases
    direct = np.block([[own, crossed], [crossed, np.diag(variances.sum(axis=1)) * data.has_biases]])
    return np.asarray(direct - mixed.T @ splu(csc_array(laplacian)).solve(mixed))


def _laplacian(pairs: Comparisons, values: FloatArray) -> csc_array:
    """Return the weighted graph Laplacian of the comparisons, (n_candidates, n_candidates), sparse."""
    number = np.arange(len(pairs))
    ones = np.ones(len(pairs))
    incidence = csc_array(
        (np.concatenate([ones, -ones]), (np.tile(number, 2), np.concatenate([pairs.first, pairs.second]))),
        shape=(len(pairs), pairs.n_candidates),
    )
    return csc_array(incidence.T @ diags_array(values) @ incidence)


def _local_gaps(data: _Data, fitted: _Parameters) -> FloatArray:
    """Return the score gap that makes the answers on each comparison most likely by itself, (n_pairs,).

    It solves sum over judges of weight (p_first - sigmoid(weight gap + bias)) = 0 by bisection.
    """
    weights, biases = fitted.weights[:, None], fitted.biases[:, None]
    wanted = fitted.weights @ data.p_first
    low, high = np.full(len(data.pairs), -_LARGEST_GAP), np.full(len(data.pairs), _LARGEST_GAP)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = (weights * expit(weights * middle + biases)).sum(axis=0) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    at_zero = (weights * expit(biases)).sum(axis=0) - wanted
    return np.where(np.abs(at_zero) < _ROUNDING, 0.0, (low + high) / 2)
