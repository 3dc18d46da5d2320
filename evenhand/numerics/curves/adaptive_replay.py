"""Replay the adaptive selection `bt-optimal` over recorded answers, for ranking curves.

The first comparisons connect the candidates. Then each round asks as many pairs as there are candidates, chosen as
`select_next_pairs` does by a fit of all answers of earlier rounds. Only pairs with a recorded answer are asked.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import TIE, BoolArray, FloatArray, IntArray
from evenhand.numerics.fitting.batches import ContextBatch
from evenhand.numerics.fitting.laplacian_elimination import eliminate, resistances
from evenhand.numerics.fitting.logistic_newton import LEAST_WEIGHT
from evenhand.numerics.fitting.running_tallies import Tally, add_outcomes, pair_numbers
from evenhand.numerics.fitting.stacked_logistic import fit_stack
from evenhand.numerics.pairs import column_differences

_CHOSEN_TOGETHER = 1_000


def replayed_orders(
    batch: ContextBatch, answers: FloatArray, starts: IntArray, connecting: int, rng: np.random.Generator
) -> IntArray:
    """Return orders of asking all comparisons of connected contexts, (n_orders, longest), -1 after the last.

    answers: float, (n,). p_first of each comparison of the batch, inside (0, 1).
    starts: int, (n_orders, longest). Random orders. Their first `connecting` steps stay.
    """
    replay = _Replay(batch, answers, starts)
    replay.take(starts[:, :connecting])
    for done in range(connecting, starts.shape[1], batch.size):
        replay.take_round(min(batch.size, starts.shape[1] - done), rng)
    return np.concatenate(replay.steps, axis=1)


class _Replay:
    """Many orders of asking, extended round by round.

    open: int32, (size, size, n_orders). Index in `ContextBatch.members` of an ordered pair's unasked comparison, or -1.
    """

    def __init__(self, batch: ContextBatch, answers: FloatArray, starts: IntArray) -> None:
        self.batch, self.answers, self.n_orders = batch, answers, len(starts)
        self.tally = Tally(batch, self.n_orders)
        self.won, self.lost = np.zeros((2, 1, *self.tally.pairs.shape))
        self.scores = np.zeros(self.tally.played.shape)
        self.steps: list[IntArray] = []
        self.open = np.full((batch.size, batch.size, self.n_orders), -1, dtype=np.int32)
        order, at = np.nonzero(starts >= 0)
        members = starts[order, at]
        self.open[batch.first[members], batch.second[members], order] = members

    def take(self, steps: IntArray) -> None:
        """Ask further comparisons of each order, (n_orders, n_steps), and add their answers."""
        counted = self.tally.take(steps)
        add_outcomes(self.won, self.lost, counted.pairs, counted.lower_first, self.answers[counted.members])
        order = np.nonzero(steps >= 0)[0]
        self.open[self.batch.first[counted.members], self.batch.second[counted.members], order] = -1
        self.steps.append(steps)

    def take_round(self, length: int, rng: np.random.Generator) -> None:
        """Ask the next comparisons, best first by the fit of the answers so far."""
        self.scores = fit_stack(self.won, self.lost, start=self.scores).scores
        coins = rng.random((length, self.n_orders)) < 0.5
        chosen = np.empty((self.n_orders, length), dtype=np.intp)
        for at in range(0, self.n_orders, _CHOSEN_TOGETHER):
            some = slice(at, at + _CHOSEN_TOGETHER)
            choice = _Choice(self.tally.pairs[:, some], self.scores[:, some], self.open[:, :, some])
            for step, coin in enumerate(coins[:, some]):
                chosen[some, step] = choice.next(coin)
        self.take(chosen)


class _Choice:
    """The choices of one round for some orders, all by the same fit.

    weights: float, (n_pairs, n_orders). Curvature that a comparison of each pair would add; -1 if none is open.
    resistances: float, (n_pairs + 1, n_orders). A_ii + A_jj - 2 A_ij, where A is the inverse of the curvature. The last
    row is zero, for a candidate with itself.
    """

    def __init__(self, counts: NDArray[Any], scores: FloatArray, unasked: NDArray[np.int32]) -> None:
        """Prepare a round. counts: (n_pairs, n_orders). scores: (size, n_orders). unasked: part of `_Replay.open`."""
        size, n_orders = scores.shape
        self.low, self.high = np.triu_indices(size, 1)
        self.open, self.orders = unasked, np.arange(n_orders)
        self.rows = (pair_numbers(size) + len(counts) * np.eye(size, dtype=np.intp)) * n_orders
        odds = np.exp(-np.abs(scores[self.high] - scores[self.low]))  # odds of the less likely winner
        added = odds / (1 + odds) ** 2
        curvature = counts * np.maximum(added, LEAST_WEIGHT)
        self.resistances = np.concatenate([resistances(eliminate(curvature)), np.zeros((1, n_orders))])
        is_open = (unasked[self.low, self.high] >= 0) | (unasked[self.high, self.low] >= 0)
        self.weights = np.where(is_open, added, -1.0)
        self.gaps = np.empty(counts.shape)
        self.from_last = np.arange(len(counts), 0, -1, dtype=np.int16)[:, None]

    def next(self, coin: BoolArray) -> NDArray[np.int32]:
        """Return the comparison of each order that adds most, (n_orders,), or -1 if none is open.

        If both orders of its pair are open, the coin decides.
        """
        pair = self._best()
        low, high = self.low[pair], self.high[pair]
        rising, falling = self.open[low, high, self.orders], self.open[high, low, self.orders]
        take_rising = (falling < 0) | ((rising >= 0) & coin)
        self.open[np.where(take_rising, low, high), np.where(take_rising, high, low), self.orders] = -1
        self._add(pair)
        self.weights[pair, self.orders] = np.where((rising >= 0) & (falling >= 0), self.weights[pair, self.orders], -1)
        chosen: NDArray[np.int32] = np.where(take_rising, rising, falling)
        return chosen

    def _best(self) -> IntArray:
        """Return the pair of each order that adds most, the first of equals, (n_orders,)."""
        gains = np.multiply(self.resistances[:-1], self.weights, out=self.gaps)
        is_best = gains >= gains.max(axis=0) * (1 - TIE)
        from_last = (is_best * self.from_last).max(axis=0)  # faster than argmax across rows
        return np.minimum(len(gains) - from_last, len(gains) - 1)

    def _add(self, pair: IntArray) -> None:
        """Update the resistances for one more comparison of a pair in each order, by Sherman-Morrison."""
        every = self.resistances.reshape(-1)
        low, high = (every.take(self.rows.take(end[pair], axis=1) + self.orders) for end in (self.low, self.high))
        weight = np.maximum(self.weights[pair, self.orders], 0)
        strength = np.sqrt(weight / (1 + weight * self.resistances[pair, self.orders])) / 2
        moved = (low - high) * strength  # (size, n_orders)
        column_differences(moved, out=self.gaps)
        self.gaps *= self.gaps
        self.resistances[:-1] -= self.gaps
