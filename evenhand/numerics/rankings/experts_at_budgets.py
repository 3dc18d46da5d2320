"""Scores by an expert that is written as an expression, along orders of asking at rising budgets."""

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.fitting.batches import connected_contexts
from evenhand.numerics.fitting.running_tallies import Counted, Tally
from evenhand.numerics.fitting.stacked_experts import ExpertProblems, fit_experts
from evenhand.numerics.rankings.custom_experts import tie_near
from evenhand.numerics.rankings.expert_expressions import ExpertExpression
from evenhand.numerics.rankings.large_scores_at_budgets import AskedPairs, OrderTally
from evenhand.numerics.rankings.product_of_experts import clipped

_CANDIDATES_OF_ONE_FIT = 16
"""The fit of a larger context counts as several fits."""


class PartialExpert:
    """An expert, ready to score the first comparisons of orders of asking.

    Contexts are fitted together, and one by one where the log-density has no curvature, such as that of `abs`.
    problem: the reason why its line is undefined, once more than `most_single_fits` contexts were fitted one by one.
    """

    def __init__(
        self, expert: ExpertExpression, p_first: FloatArray, debiasing: Debiasing | None, most_single_fits: int | None
    ) -> None:
        """p_first: float, (n,). The answers of all comparisons. Raises Undefined if no shift removes the bias."""
        self.expert, self.answers, self.most_single_fits = expert, clipped(p_first), most_single_fits
        self.shift = 0.0 if debiasing is None else expert.shift_of(debiasing)
        self._single_fits = 0

    @property
    def problem(self) -> str | None:
        if self.most_single_fits is None or self._single_fits <= self.most_single_fits:
            return None
        return (
            f'the expert "{self.expert.name}" is fitted one context at a time, because its log-density is not curved '
            f"everywhere; that is more than {self.most_single_fits:,} fits, so only the command curve draws it"
        )

    def along(self, tally: Tally) -> "_ExpertAlong":
        """Prepare the scores along the orders of a tally that has counted nothing yet."""
        return _ExpertAlong(self, tally)

    def along_one_order(self, tally: OrderTally) -> "_ExpertAlongOneOrder":
        """Prepare the scores along one order of a context with too many candidates to be stacked."""
        return _ExpertAlongOneOrder(self, tally)

    def fit_one_by_one(self, comparisons: Comparisons, size: int) -> FloatArray:
        """Return the scores of each context, (n_candidates,). NaN if it does not converge or has too many fits."""
        n_fits = int(np.count_nonzero(connected_contexts(comparisons)))
        self._single_fits += n_fits * max(1, size // _CANDIDATES_OF_ONE_FIT)
        if self.problem:
            return np.full(comparisons.n_candidates, np.nan)
        scores = self.expert.score(comparisons, shift=self.shift)
        return np.where(scores.defined, scores.values, np.nan)

    def log_density(self, difference: FloatArray, p_first: FloatArray) -> FloatArray:
        return self.expert.log_density(difference + self.shift, p_first)


class _ExpertAlong:
    """The scores of an expert along orders of asking. Each fit starts from the previous one."""

    def __init__(self, ranking: PartialExpert, tally: Tally) -> None:
        self.ranking, self.tally = ranking, tally
        self.answers = ranking.answers[tally.batch.members]
        self.fitted = np.zeros(tally.played.shape)
        self._counted: list[Counted] = []

    def take(self, counted: Counted) -> None:
        self._counted.append(counted)

    def scores(self) -> FloatArray:
        if self.ranking.problem:
            return np.full(self.fitted.shape, np.nan)
        fit = fit_experts(self._problems(), self.fitted)
        self.fitted = np.where(fit.converged, fit.scores, 0.0)
        scores = tie_near(fit.scores)
        single = np.flatnonzero(~fit.converged)
        if len(single):
            one_by_one = self.ranking.fit_one_by_one(self._comparisons(single), self.tally.batch.size)
            scores[:, single] = one_by_one.reshape(len(single), -1).T
        return scores

    def _problems(self) -> ExpertProblems:
        members, pairs, first, second = (
            np.concatenate([getattr(counted, name) for counted in self._counted])
            for name in ("members", "pairs", "first", "second")
        )
        size, n_orders = self.tally.played.shape
        return ExpertProblems(size, n_orders, first, second, pairs, self.answers[members], self.ranking.log_density)

    def _comparisons(self, orders: IntArray) -> Comparisons:
        return self.tally.comparisons(orders, self.ranking.answers)


class _ExpertAlongOneOrder:
    """The scores of an expert along one order of asking, fitted one by one."""

    def __init__(self, ranking: PartialExpert, tally: OrderTally) -> None:
        self.ranking, self.tally = ranking, tally

    def take(self, asked: AskedPairs) -> None:
        """Do nothing: the tally holds all comparisons so far."""

    def scores(self) -> FloatArray:
        asked, size = self.tally.so_far, self.tally.size
        comparisons = Comparisons(size, asked.first, asked.second, self.ranking.answers[asked.members])
        return self.ranking.fit_one_by_one(comparisons, size)[:, None]
