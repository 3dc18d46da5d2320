"""Scores of many orders of asking at rising budgets, each fit starting from the one before."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.batches import Batch
from rankings.numerics.comparisons import decide
from rankings.numerics.debiasing import Debiasing, required
from rankings.numerics.exceptions import UnknownRanking
from rankings.numerics.improved_orders import improved_positions
from rankings.numerics.logistic_newton import fit_stack, solve_stack
from rankings.numerics.product_of_experts import clipped


@dataclass(frozen=True, slots=True)
class PartialScores:
    """A ranking, ready to score prefixes of orders of asking.

    answers: float, (n,). What the ranking takes from each comparison of the run.
    """

    answers: FloatArray
    needs_connection: bool
    score: Callable[["_Totals", FloatArray | None], FloatArray]
    """Totals and the scores at the budget before, (n_orders, size), to scores, (n_orders, size)."""

    def along(self, batch: Batch, steps: IntArray, budgets: Sequence[int]) -> Iterator[FloatArray | None]:
        """Scores at each budget, (n_orders, size), or None where a budget is below that of a connected graph.

        steps: int, (n_orders, longest). Places in `Batch.members`, -1 after the last. budgets: rising.
        """
        totals = _Totals.empty(len(steps), batch.size)
        scores: FloatArray | None = None
        done = 0
        for budget in budgets:
            totals = totals.plus(batch, self.answers[batch.members], steps[:, done:budget])
            done = max(done, budget)
            connectable = budget >= batch.size - 1 or not self.needs_connection
            scores = self.score(totals, scores) if connectable else None
            yield scores


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
        counts = np.bincount(cells, minlength=n_cells).reshape(shape)
        wins = np.bincount(cells, answers[member], n_cells).reshape(shape)
        return _Totals(self.counts + counts, self.wins + wins)


def _mean_wins(totals: _Totals, _: FloatArray | None) -> FloatArray:
    won: FloatArray = totals.wins.sum(axis=2) + (totals.counts - totals.wins).sum(axis=1)
    played = totals.counts.sum(axis=2) + totals.counts.sum(axis=1)
    return won / np.maximum(played, 1.0)


def _orders(totals: _Totals, _: FloatArray | None) -> FloatArray:
    return -1.0 - improved_positions(totals.wins - totals.wins.transpose(0, 2, 1)).astype(np.float64)


def _logistic(shift: float, pseudo_wins: bool) -> Callable[[_Totals, FloatArray | None], FloatArray]:
    def score(totals: _Totals, start: FloatArray | None) -> FloatArray:
        size = totals.counts.shape[1]
        extra = 1 / (size - 1) if pseudo_wins else 0.0
        counts, wins = totals.counts, totals.wins
        if shift:
            first, second = np.nonzero(~np.eye(size, dtype=bool))
        else:
            first, second = np.triu_indices(size, 1)
            wins = wins + (counts - wins).transpose(0, 2, 1) + extra
            counts = counts + counts.transpose(0, 2, 1) + 2 * extra
        fit = fit_stack(
            first,
            second,
            counts[:, first, second].T,
            wins[:, first, second].T,
            n_candidates=size,
            shift=shift,
            start=None if start is None else start.T,
        )
        return fit.scores.T

    return score


def _gaussian(beta: float) -> Callable[[_Totals, FloatArray | None], FloatArray]:
    def score(totals: _Totals, _: FloatArray | None) -> FloatArray:
        size = totals.counts.shape[1]
        surplus = totals.wins - beta * totals.counts
        right = (surplus.sum(axis=2) - surplus.sum(axis=1)).T  # (size, n_orders)
        both = (totals.counts + totals.counts.transpose(0, 2, 1)).transpose(1, 2, 0)
        matrices = 1.0 - both  # the Laplacian plus 1 everywhere, which pins the mean
        matrices[np.arange(size), np.arange(size)] = 1.0 + both.sum(axis=1)
        return solve_stack(np.ascontiguousarray(matrices), np.ascontiguousarray(right)).T

    return score


def _threshold(debiasing: Debiasing | None) -> float:
    return 0.5 if debiasing is None else required(debiasing.threshold)


def _soft(p_first: FloatArray, debiasing: Debiasing | None) -> FloatArray:
    return p_first if debiasing is None else debiasing.p_first(p_first)


def _win_ratio(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(decide(p_first, _threshold(debiasing)), False, _mean_wins)


def _average_probability(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(_soft(p_first, debiasing), False, _mean_wins)


def _bradley_terry(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(decide(p_first, _threshold(debiasing)), True, _logistic(0.0, True))


def _poe_bradley_terry(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    gamma = 0.0 if debiasing is None else required(debiasing.gamma)
    return PartialScores(clipped(p_first), True, _logistic(gamma, False))


def _poe_gaussian(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(p_first, True, _gaussian(0.5 if debiasing is None else required(debiasing.beta)))


def _poe_gaussian_hard(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    return PartialScores(decide(p_first), True, _gaussian(0.5 if debiasing is None else required(debiasing.beta_hard)))


def _likelihood(p_first: FloatArray, debiasing: Debiasing | None) -> PartialScores:
    p = clipped(_soft(p_first, debiasing))
    return PartialScores(np.log(p) - np.log1p(-p), False, _orders)


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
