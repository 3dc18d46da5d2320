"""Adaptive selection replayed over recorded answers: what `bt-optimal` would have asked, for curves.

After comparisons that connect the candidates, pairs are asked in rounds of as many as there are candidates, each round
resting on the fit of all answers before it, as `select_next` chooses them. Only pairs that have an answer are asked.
"""

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.batches import Batch
from rankings.numerics.eliminations import pair_rows
from rankings.numerics.laplacians import pseudo_inverses
from rankings.numerics.logistic_newton import negative_hessian
from rankings.numerics.stacked_logistic import fit_orders
from rankings.numerics.tallies import Tally, add

_TIE = 1e-9


def replayed_orders(
    batch: Batch, answers: FloatArray, starts: IntArray, connecting: int, rng: np.random.Generator
) -> IntArray:
    """Orders of asking all comparisons of a batch of connected contexts, (n_orders, longest), -1 after the last.

    answers: float, (n,). p_first of each comparison of the batch, inside (0, 1).
    starts: int, (n_orders, longest). Orders of the same comparisons, of which the first `connecting` steps are kept.
    """
    replay = _Replay(batch, answers, starts)
    replay.take(starts[:, :connecting])
    for done in range(connecting, starts.shape[1], batch.size):
        replay.take_round(min(batch.size, starts.shape[1] - done), rng)
    return np.concatenate(replay.steps, axis=1)


class _Replay:
    """Many orders of asking, one round after the other.

    open: int, (size, size, n_orders). The place in `Batch.members` of the comparison that is left of an ordered pair,
    or -1.
    """

    def __init__(self, batch: Batch, answers: FloatArray, starts: IntArray) -> None:
        self.batch, self.answers, self.n_orders = batch, answers, len(starts)
        self.low, self.high = np.triu_indices(batch.size, 1)
        self.tally = Tally(batch, self.n_orders)
        self.favour, self.scores = np.zeros((2, *self.tally.played.shape))
        self.steps: list[IntArray] = []
        self.open = np.full((batch.size, batch.size, self.n_orders), -1)
        order, at = np.nonzero(starts >= 0)
        members = starts[order, at]
        self.open[batch.first[members], batch.second[members], order] = members

    def take(self, steps: IntArray) -> None:
        """Ask some more comparisons of each order, (n_orders, n_steps), and hear their answers."""
        taken = self.tally.take(steps)
        surplus = self.answers[taken.members] - 0.5
        add(self.favour, taken.first, surplus)
        add(self.favour, taken.second, -surplus)
        order = np.nonzero(steps >= 0)[0]
        self.open[self.batch.first[taken.members], self.batch.second[taken.members], order] = -1
        self.steps.append(steps)

    def take_round(self, length: int, rng: np.random.Generator) -> None:
        """The next comparisons, best first, by the fit of the answers so far."""
        self.scores = fit_orders(self.tally.pairs, self.favour, shift=0.0, start=self.scores)
        inverse, weights = self._curvature()
        orders = np.arange(self.n_orders)
        chosen = np.empty((self.n_orders, length), dtype=np.intp)
        for at in range(length):
            pair = self._best(inverse, weights)
            low, high = self.low[pair], self.high[pair]
            _add(inverse, low, high, weights[pair, orders])
            chosen[:, at] = self._close(low, high, rng)
        self.take(chosen)

    def _curvature(self) -> tuple[FloatArray, FloatArray]:
        """The pseudo-inverse, (size, size, n_orders), and the weight that each pair would add, (n_pairs, n_orders)."""
        counts = np.zeros((self.n_orders, self.batch.size, self.batch.size))
        counts[:, self.low, self.high] = self.tally.pairs.T
        inverse = pseudo_inverses(negative_hessian(counts, self.scores.T))
        chance = 1 / (1 + np.exp(self.scores[self.high] - self.scores[self.low]))
        return np.ascontiguousarray(np.moveaxis(inverse, 0, 2)), chance * (1 - chance)

    def _best(self, inverse: FloatArray, weights: FloatArray) -> IntArray:
        """The open pair of each order that adds most, the first of equals, (n_orders,)."""
        gains = np.empty(weights.shape)
        diagonal = inverse[np.arange(self.batch.size), np.arange(self.batch.size)]
        for candidate, row in enumerate(pair_rows(self.batch.size)):
            later = slice(candidate + 1, None)
            gains[row] = diagonal[candidate] + diagonal[later] - 2 * inverse[candidate, later]
        gains *= weights
        gains[~self._is_open()] = -1.0
        best: IntArray = np.argmax(gains >= gains.max(axis=0) * (1 - _TIE), axis=0)
        return best

    def _is_open(self) -> BoolArray:
        """Whether a comparison of the pair is left, (n_pairs, n_orders)."""
        return (self.open[self.low, self.high] >= 0) | (self.open[self.high, self.low] >= 0)

    def _close(self, low: IntArray, high: IntArray, rng: np.random.Generator) -> IntArray:
        """The comparison of each order's pair that is asked, in the order that is left or by a coin; -1 for none."""
        orders = np.arange(self.n_orders)
        rising, falling = self.open[low, high, orders], self.open[high, low, orders]
        take_rising = (falling < 0) | ((rising >= 0) & (rng.random(self.n_orders) < 0.5))
        self.open[np.where(take_rising, low, high), np.where(take_rising, high, low), orders] = -1
        return np.where(take_rising, rising, falling)


def _add(inverse: FloatArray, low: IntArray, high: IntArray, weights: FloatArray) -> None:
    """Sherman-Morrison: the inverses after one more comparison of a pair each, written over."""
    orders = np.arange(len(low))
    difference = inverse[low, :, orders].T - inverse[high, :, orders].T  # (size, n_orders)
    gap = difference[low, orders] - difference[high, orders]
    scaled = difference * (weights / (1 + weights * gap))
    for candidate, row in enumerate(scaled):
        inverse[candidate] -= row * difference
