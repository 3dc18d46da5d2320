"""Estimates from few human labels and many answers of a judge, valid even if the judge is wrong.

This is prediction-powered inference with a weight of the judge tuned to the data [Angelopoulos2023b]. The labelled
comparisons must be a random sample of all comparisons of interest, and so must the others. Comparisons of one context
may be dependent, so errors come from sums over contexts. Intervals are Student's t with one degree of freedom less than
there are contexts with labels.
"""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray, sums
from evenhand.numerics.exceptions import NotConverged, Undefined
from evenhand.numerics.fitting.laplacians import pseudo_inverses
from evenhand.numerics.fitting.logistic_newton import MAX_ITERATIONS, spread, trusted_share
from evenhand.numerics.intervals import FEWEST_CONTEXTS, least_contexts, student_quantile
from evenhand.numerics.selection.pair_selection import OrderedPairs

_TOLERANCE = 1e-10
_WIDEST = 20.0
"""Scores that differ by more, in nats, diverge."""


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Answers of people and the judge on the same comparisons.

    human, judge: float, (n,), in [0, 1]. contexts: int, (n,). Context of each comparison.
    """

    human: FloatArray
    judge: FloatArray
    contexts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Unlabelled:
    """Answers of the judge on other comparisons. judge: float, (n,), in [0, 1]. contexts: int, (n,)."""

    judge: FloatArray
    contexts: IntArray


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """A mean with its 95 % interval. weight: weight of the judge, from 0 (human labels alone) to 1."""

    value: float
    low: float
    high: float
    standard_error: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class PoweredScores:
    """Bradley-Terry scores, mean zero, with their 95 % intervals and standard errors, in nats, all (n_candidates,)."""

    values: FloatArray
    low: FloatArray
    high: FloatArray
    errors: FloatArray
    weight: float


def powered_mean(labelled: Labelled, unlabelled: Unlabelled, *, weight: float | None = None) -> PoweredMean:
    """Estimate the mean of people's answers, such as a system's win rate.

    weight: weight of the judge. Default: the one with the smallest error.

    Raises Undefined if fewer than two contexts have labels, or if there are no unlabelled comparisons.
    """
    clusters = _Clusters.of(labelled, unlabelled)
    human, judge = (
        clusters.deviations(clusters.labelled, answers[:, None]) for answers in (labelled.human, labelled.judge)
    )
    elsewhere = clusters.deviations(clusters.unlabelled, unlabelled.judge[:, None]) - judge
    trust = _best_weight(human, elsewhere) if weight is None else weight
    value = float(trust * unlabelled.judge.mean() + (labelled.human - trust * labelled.judge).mean())
    error = float(np.sqrt(((human + trust * elsewhere) ** 2).sum()))
    half = clusters.quantile * error
    return PoweredMean(value, value - half, value + half, error, trust)


def mean_of_people(labelled: Labelled) -> PoweredMean:
    """Estimate the same mean from the human labels alone. Raises Undefined as `powered_mean` does."""
    return powered_mean(labelled, Unlabelled(labelled.judge, labelled.contexts), weight=0.0)


@dataclass(frozen=True, slots=True)
class ContextsForWidth:
    """Contexts with labels that give a wanted width, by people alone and with the judge."""

    people: int
    powered: int


def contexts_for_width(labelled: Labelled, unlabelled: Unlabelled, *, width: float) -> ContextsForWidth:
    """Return the least numbers of contexts with labels like these whose 95 % interval of the mean has a width.

    The pairs of further contexts come from the unlabelled ones; where these do not suffice, people answer alone.
    Raises Undefined as `powered_mean` does.
    """
    clusters = _Clusters.of(labelled, unlabelled)
    human, judge = (clusters.deviations(clusters.labelled, one[:, None]) for one in (labelled.human, labelled.judge))
    other = clusters.deviations(clusters.unlabelled, unlabelled.judge[:, None])
    n, others = len(np.unique(clusters.labelled)), len(np.unique(clusters.unlabelled))
    alone, shared = n * float((human**2).sum()), n * float((human * judge).sum())
    of_judge, elsewhere = n * float((judge**2).sum()), others * float((other**2).sum())
    per_context = len(labelled.human) / n

    def is_enough(contexts: int) -> bool:
        left = (len(labelled.human) + len(unlabelled.judge) - per_context * contexts) / len(unlabelled.judge)
        spread = of_judge / contexts + elsewhere / (others * left) if left > 0 else np.inf
        trust = np.clip(shared / contexts / spread, 0, 1) if spread > 0 else 0.0
        variance = (alone - 2 * trust * shared) / contexts + (trust**2 * spread if trust > 0 else 0.0)
        return bool(student_quantile(contexts - 1) * np.sqrt(max(variance, 0.0)) < width / 2)

    people = least_contexts(width / 2, alone) or FEWEST_CONTEXTS
    few = range(FEWEST_CONTEXTS, people)
    return ContextsForWidth(people, FEWEST_CONTEXTS + bisect_left(few, True, key=is_enough))


def powered_scores(
    labelled: Labelled,
    unlabelled: Unlabelled,
    here: OrderedPairs,
    there: OrderedPairs,
    *,
    n_candidates: int,
    weight: float | None = None,
) -> PoweredScores:
    """Estimate people's Bradley-Terry scores; errors are from the sandwich covariance.

    Answers are shares of a win of the first. here, there: systems, or candidates of one context, that are compared in
    the labelled and in the unlabelled comparisons.
    weight: weight of the judge. Default: the one with the smallest sum of variances.

    Raises Undefined as `powered_mean` does, and if the labelled comparisons do not connect all candidates. Raises
    NotConverged if the scores diverge.
    """
    clusters = _Clusters.of(labelled, unlabelled)
    problem = _Problem(_design(here, n_candidates), labelled, _design(there, n_candidates), unlabelled, clusters)
    if np.linalg.matrix_rank(problem.here) < n_candidates - 1:
        raise Undefined("the comparisons that people answered do not connect all of them")
    trust = _best_weight(*problem.influences(problem.solve(0.0), 0.0)) if weight is None else weight
    scores = problem.solve(trust)
    human, elsewhere = problem.influences(scores, trust)
    errors = np.sqrt(((human + trust * elsewhere) ** 2).sum(axis=0))
    half = clusters.quantile * errors
    return PoweredScores(scores, scores - half, scores + half, errors, trust)


def scores_of_people(labelled: Labelled, here: OrderedPairs, *, n_candidates: int) -> PoweredScores:
    """Estimate the same scores from the human labels alone. Raises Undefined and NotConverged as above."""
    unused = Unlabelled(labelled.judge, labelled.contexts)
    return powered_scores(labelled, unused, here, here, n_candidates=n_candidates, weight=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Clusters:
    """Contexts of the labelled and unlabelled comparisons, int, (n,), numbered from 0 to size - 1."""

    labelled: IntArray
    unlabelled: IntArray
    size: int

    @classmethod
    def of(cls, labelled: Labelled, unlabelled: Unlabelled) -> "_Clusters":
        n = len(np.unique(labelled.contexts))
        if n < 2:
            raise Undefined(f"an estimate needs human labels of at least two contexts, not {n}")
        if not len(unlabelled.judge):
            raise Undefined("there are no comparisons that only the judge answered")
        both = np.concatenate([labelled.contexts, unlabelled.contexts])
        contexts, numbers = np.unique(both, return_inverse=True)
        return cls(numbers[: len(labelled.contexts)], numbers[len(labelled.contexts) :], len(contexts))

    @property
    def quantile(self) -> float:
        """Half width of an interval, in standard errors."""
        return float(student_quantile(len(np.unique(self.labelled)) - 1))

    def deviations(self, contexts: IntArray, values: FloatArray) -> FloatArray:
        """Return each context's contribution to the mean of values beyond its expectation, (size, k).

        contexts: int, (n,). values: float, (n, k).
        """
        n_contexts = len(np.unique(contexts))
        centred = (values - values.mean(axis=0)) / len(values)
        totals = np.stack([sums(contexts, column, self.size) for column in centred.T], axis=1)
        return totals * np.sqrt(n_contexts / (n_contexts - 1)) if n_contexts > 1 else totals


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """The equations of the scores.

    here, there: float, (n, n_candidates). Labelled and unlabelled pairs: 1 for the first, -1 for the second.
    """

    here: FloatArray
    labelled: Labelled
    there: FloatArray
    unlabelled: Unlabelled
    clusters: _Clusters

    def solve(self, weight: float) -> FloatArray:
        """Find the scores at which the mean gradient of people, corrected by the judge, is zero."""
        here, there, n = self.here, self.there, self.here.shape[1]
        scores = np.zeros(n)
        people = self.labelled.human - weight * self.labelled.judge
        pull = here.T @ people / len(here) + weight * there.T @ self.unlabelled.judge / len(there)
        for iteration in range(MAX_ITERATIONS):
            own, others = self._chances(scores)
            expected = (1 - weight) * here.T @ own / len(here) + weight * there.T @ others / len(there)
            if np.abs(pull - expected).max() <= _TOLERANCE or np.ptp(scores) > _WIDEST:
                break
            step = np.linalg.solve(self._curvature(scores, weight) + 1 / n, pull - expected)
            scores = scores + trusted_share(spread(step), iteration) * step
        if np.abs(pull - expected).max() > _TOLERANCE or np.ptp(scores) > _WIDEST:
            raise NotConverged("the prediction-powered scores have no end: some won or lost everything")
        return scores - scores.mean()

    def influences(self, scores: FloatArray, weight: float) -> tuple[FloatArray, FloatArray]:
        """Return each context's contribution to the scores: by people, and by the judge per unit of weight.

        Both are (n_contexts, n_candidates).
        """
        inverse = pseudo_inverses(self._curvature(scores, weight)[None])[0]
        own, others = self._chances(scores)
        human, judge = (
            self.clusters.deviations(self.clusters.labelled, self.here * (answers - own)[:, None])
            for answers in (self.labelled.human, self.labelled.judge)
        )
        surplus = self.there * (self.unlabelled.judge - others)[:, None]
        elsewhere = self.clusters.deviations(self.clusters.unlabelled, surplus)
        return human @ inverse, (elsewhere - judge) @ inverse

    def _curvature(self, scores: FloatArray, weight: float) -> FloatArray:
        here, there = self.here, self.there
        own, others = self._chances(scores)
        mine = here.T @ (here * (own * (1 - own))[:, None]) / len(here)
        return (1 - weight) * mine + weight * there.T @ (there * (others * (1 - others))[:, None]) / len(there)

    def _chances(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the model's probability that the first wins, for labelled and unlabelled comparisons."""
        return 1 / (1 + np.exp(-(self.here @ scores))), 1 / (1 + np.exp(-(self.there @ scores)))


def _best_weight(human: FloatArray, elsewhere: FloatArray) -> float:
    """Return the weight in [0, 1] at which human + weight * elsewhere has the smallest sum of squares."""
    spread = float((elsewhere**2).sum())
    return float(np.clip(-(human * elsewhere).sum() / spread, 0, 1)) if spread > 0 else 0.0


def _design(sides: OrderedPairs, n_candidates: int) -> FloatArray:
    rows = np.arange(len(sides.first))
    design = np.zeros((len(rows), n_candidates))
    design[rows, sides.first] = 1.0
    design[rows, sides.second] = -1.0
    return design
