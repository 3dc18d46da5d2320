"""Scores of orders of asking at rising budgets, each fit starting from the one before."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from scipy.special import logit

from rankings.numerics.arrays import FloatArray, IntArray, counts, sums
from rankings.numerics.batches import Batch
from rankings.numerics.comparisons import decide
from rankings.numerics.debiasing import Debiasing, required
from rankings.numerics.exceptions import UnknownRanking
from rankings.numerics.improved_orders import improved_positions
from rankings.numerics.logistic_alone import fit_alone
from rankings.numerics.logistic_newton import fit_stack, solve_stack
from rankings.numerics.product_of_experts import clipped, sparse_gaussian


@dataclass(frozen=True, slots=True)
class PartialScores:
    """A ranking, ready to score the first comparisons of orders of asking.

    answers: float, (n,). What the ranking takes from each comparison of the run.
    model: what it makes of them. shift: of the logistic or the Gaussian model.
    pseudo_wins: whether 1 / (size - 1) wins are added to every ordered pair.
    """

    answers: FloatArray
    model: Literal["mean", "order", "logistic", "gaussian"]
    shift: float = 0.0
    pseudo_wins: bool = False

    @property
    def needs_connection(self) -> bool:
        """Whether the ranking exists only where the comparisons connect the candidates."""
        return self.model in ("logistic", "gaussian")

    def along(self, batch: Batch, steps: IntArray, budgets: Sequence[int]) -> Iterator[FloatArray | None]:
        """Scores at each budget, (n_orders, size), or None where a budget is below that of a connected graph.

        steps: int, (n_orders, longest). Places in `Batch.members`, -1 after the last. budgets: rising.
        """
        answers = self.answers[batch.members]
        totals = _Totals.empty(len(steps), batch.size)
        scores: FloatArray | None = None
        done = 0
        for budget in budgets:
            totals = totals.plus(batch, answers, steps[:, done:budget])
            done = max(done, budget)
            scores = self._of_totals(totals, scores) if self._can_connect(batch, budget) else None
            yield scores

    def along_one(self, batch: Batch, steps: IntArray, budgets: Sequence[int]) -> Iterator[FloatArray | None]:
        """The same for one order, steps (1, longest), of a context too large to be stacked: (1, size) each."""
        answers = self.answers[batch.members]
        scores: FloatArray | None = None
        for budget in budgets:
            asked = steps[0, :budget]
            asked = asked[asked >= 0]
            if not self._can_connect(batch, budget):
                yield None
                continue
            scores = self._of_pairs(batch.first[asked], batch.second[asked], answers[asked], batch.size, scores)
            yield scores[None]

    def _can_connect(self, batch: Batch, budget: int) -> bool:
        return budget >= batch.size - 1 or not self.needs_connection

    def _of_totals(self, totals: "_Totals", start: FloatArray | None) -> FloatArray:
        match self.model:
            case "mean":
                return totals.mean_wins()
            case "order":
                return -1.0 - improved_positions(totals.net_wins()).astype(np.float64)
            case "gaussian":
                return totals.gaussian(self.shift)
            case "logistic":
                return totals.logistic(self.shift, self.pseudo_wins, start)

    def _of_pairs(
        self, first: IntArray, second: IntArray, answers: FloatArray, size: int, start: FloatArray | None
    ) -> FloatArray:
        match self.model:
            case "mean":
                won = sums(first, answers, size) + sums(second, 1 - answers, size)
                return won / np.maximum(counts(first, size) + counts(second, size), 1)
            case "order":
                net = sums(first * size + second, answers, size * size).reshape(1, size, size)
                return -1.0 - improved_positions(net - net.transpose(0, 2, 1))[0].astype(np.float64)
            case "gaussian":
                return sparse_gaussian(first, second, answers - self.shift, size)
            case "logistic":
                extra = 1 / (size - 1) if self.pseudo_wins else 0.0
                fit = fit_alone(first, second, answers, n_candidates=size, shift=self.shift, extra=extra, start=start)
                return fit.scores[:, 0]


def partial_scores(ranking: str, p_first: FloatArray, debiasing: Debiasing | None = None) -> PartialScores:
    """The named ranking over these answers, (n,). Raises UnknownRanking, and Undefined as `score` does."""
    if ranking not in _PREPARED:
        raise UnknownRanking(f'no ranking is called "{ranking}"; there are {", ".join(_PREPARED)}')
    return _PREPARED[ranking](p_first, debiasing)


@dataclass(frozen=True, slots=True)
class _Totals:
    """Counts of comparisons and sums of answers of each ordered pair so far, both (n_orders, size, size)."""

    counts: FloatArray
    wins: FloatArray

    @classmethod
    def empty(cls, n_orders: int, size: int) -> "_Totals":
        shape = (n_orders, size, size)
        return cls(np.zeros(shape), np.zeros(shape))

    def plus(self, batch: Batch, answers: FloatArray, steps: IntArray) -> "_Totals":
        """The totals after some more steps, (n_orders, n_steps)."""
        order, at = np.nonzero(steps >= 0)
        member = steps[order, at]
        cells = (order * batch.size + batch.first[member]) * batch.size + batch.second[member]
        shape, n_cells = self.counts.shape, self.counts.size
        more = counts(cells, n_cells).reshape(shape)
        return replace(
            self, counts=self.counts + more, wins=self.wins + sums(cells, answers[member], n_cells).reshape(shape)
        )

    def net_wins(self) -> FloatArray:
        return self.wins - self.wins.transpose(0, 2, 1)

    def mean_wins(self) -> FloatArray:
        won = self.wins.sum(axis=2) + (self.counts - self.wins).sum(axis=1)
        played: FloatArray = self.counts.sum(axis=2) + self.counts.sum(axis=1)
        return np.divide(won, np.maximum(played, 1.0), dtype=np.float64)

    def gaussian(self, beta: float) -> FloatArray:
        size = self.counts.shape[1]
        surplus = self.wins - beta * self.counts
        right = (surplus.sum(axis=2) - surplus.sum(axis=1)).T  # (size, n_orders)
        both = (self.counts + self.counts.transpose(0, 2, 1)).transpose(1, 2, 0)
        matrices = 1.0 - both  # the Laplacian plus 1 everywhere, which pins the mean
        matrices[np.arange(size), np.arange(size)] = 1.0 + both.sum(axis=1)
        return solve_stack(np.ascontiguousarray(matrices), np.ascontiguousarray(right)).T

    def logistic(self, shift: float, pseudo_wins: bool, start: FloatArray | None) -> FloatArray:
        size = self.counts.shape[1]
        asked, wins = self.counts, self.wins
        if shift:
            first, second = np.nonzero(~np.eye(size, dtype=bool))
        else:
            extra = 1 / (size - 1) if pseudo_wins else 0.0
            first, second = np.triu_indices(size, 1)
            wins = wins + (asked - wins).transpose(0, 2, 1) + extra
            asked = asked + asked.transpose(0, 2, 1) + 2 * extra
        fit = fit_stack(
            first,
            second,
            asked[:, first, second].T,
            wins[:, first, second].T,
            n_candidates=size,
            shift=shift,
            start=None if start is None else start.T,
        )
        return fit.scores.T


def _threshold(debiasing: Debiasing | None) -> float:
    return 0.5 if debiasing is None else required(debiasing.threshold)


def _soft(p_first: FloatArray, debiasing: Debiasing | None) -> FloatArray:
    return p_first if debiasing is None else debiasing.p_first(p_first)


def _win_ratio(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(decide(p_first, _threshold(debiasing)), "mean")


def _average_probability(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(_soft(p_first, debiasing), "mean")


def _bradley_terry(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(decide(p_first, _threshold(debiasing)), "logistic", pseudo_wins=True)


def _poe_bradley_terry(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    gamma = 0.0 if debiasing is None else required(debiasing.gamma)
    return PartialScores(clipped(p_first), "logistic", gamma)


def _poe_gaussian(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(p_first, "gaussian", 0.5 if debiasing is None else required(debiasing.beta))


def _poe_gaussian_hard(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(decide(p_first), "gaussian", 0.5 if debiasing is None else required(debiasing.beta_hard))


def _likelihood(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(logit(clipped(_soft(p_first, debiasing))), "order")


_PREPARED: Mapping[str, Callable[[FloatArray, Debiasing | None], PartialScores]] = MappingProxyType(
    {
        "win-ratio": _win_ratio,
        "average-probability": _average_probability,
        "bradley-terry": _bradley_terry,
        "poe-bt": _poe_bradley_terry,
        "poe-gaussian": _poe_gaussian,
        "poe-gaussian-hard": _poe_gaussian_hard,
        "likelihood": _likelihood,
    }
)
