"""Running counts and sums of many orders of asking, one problem per order. Problems lie along the last axis."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.fitting.batches import ContextBatch
from evenhand.numerics.fitting.laplacian_elimination import eliminate, solve

_SOLVED_TOGETHER = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Comparisons that a tally has just counted, all (n,).

    members: index in `ContextBatch.members`.
    pairs: index of the pair and the order in a flattened (n_pairs, n_orders).
    first, second: index of the candidate and the order in a flattened (size, n_orders).
    lower_first: True if the lower-numbered candidate came first.
    """

    members: IntArray
    pairs: IntArray
    first: IntArray
    second: IntArray
    lower_first: BoolArray

    def __len__(self) -> int:
        return len(self.members)


class Tally:
    """Running counts of the comparisons of each pair and of each candidate.

    pairs: float, (n_pairs, n_orders), in the order of `np.triu_indices`. played: float, (size, n_orders).
    """

    def __init__(self, batch: ContextBatch, n_orders: int) -> None:
        self.batch, self.n_orders = batch, n_orders
        self.pairs = np.zeros((batch.size * (batch.size - 1) // 2, n_orders))
        self.played = np.zeros((batch.size, n_orders))
        self._steps: list[IntArray] = []

    def take(self, steps: IntArray) -> Counted:
        """Count further steps, (n_orders, n_steps), indices in `ContextBatch.members` or -1."""
        self._steps.append(steps)
        order, step = np.nonzero(steps >= 0)
        members = steps[order, step]
        first, second = self.batch.first[members], self.batch.second[members]
        counted = Counted(
            members,
            pair_numbers(self.batch.size)[first, second] * self.n_orders + order,
            first * self.n_orders + order,
            second * self.n_orders + order,
            first < second,
        )
        for totals, cells in ((self.pairs, counted.pairs), (self.played, counted.first), (self.played, counted.second)):
            add(totals, cells, np.float64(1))
        return counted

    def comparisons(self, orders: IntArray, answers: FloatArray) -> Comparisons:
        """Return the comparisons asked so far, each of these orders as a context. answers: of the whole run."""
        steps = np.concatenate([steps[orders] for steps in self._steps], axis=1)
        order, step = np.nonzero(steps >= 0)
        members, size = steps[order, step], self.batch.size
        first, second = order * size + self.batch.first[members], order * size + self.batch.second[members]
        return Comparisons(
            size * len(orders), first, second, answers[self.batch.members[members]], np.arange(len(orders)) * size
        )

    @cached_property
    def least_squares(self) -> "LeastSquares":
        """Least squares of the rankings along these orders."""
        return LeastSquares(self)


class LeastSquares:
    """Least squares of several rankings along the same orders. Each graph is eliminated once for all rankings.

    rights: for each ranking, the right sides of its normal equations, float, (size, n_orders).
    """

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.rights: list[FloatArray] = []
        self._solved: list[FloatArray] = []

    def new(self) -> int:
        """Return the number of a new ranking."""
        self.rights.append(np.zeros(self.tally.played.shape))
        return len(self.rights) - 1

    def add(self, number: int, cells: IntArray, values: FloatArray) -> None:
        """Add values to cells of the flattened right sides of a ranking."""
        add(self.rights[number], cells, values)
        self._solved = []

    def scores(self, number: int) -> FloatArray:
        """Return the scores of a ranking, (size, n_orders)."""
        if not self._solved:
            self._solved = [right.copy() for right in self.rights]
            for start in range(0, self.tally.n_orders, _SOLVED_TOGETHER):
                part = slice(start, start + _SOLVED_TOGETHER)
                elimination = eliminate(self.tally.pairs[:, part])
                for scores in self._solved:
                    solve(elimination, scores[:, part])
        return self._solved[number]


def add(totals: NDArray[Any], cells: IntArray, values: NDArray[Any] | np.floating[Any]) -> None:
    """Add values to cells of a flattened array. A cell may occur more than once.

    Give values of the array's type: numpy takes a hundred times as long to convert them.
    """
    np.add.at(totals.reshape(-1), cells, values)


def add_outcomes(
    won: FloatArray, lost: FloatArray, cells: IntArray, lower_first: BoolArray, answers: FloatArray
) -> None:
    """Add answers to the wins and losses of the lower-numbered candidate of each pair.

    cells, lower_first, answers: (n,). Index of the pair, True if its lower candidate came first, and p_first.
    """
    add(won, cells, np.where(lower_first, answers, 1 - answers))
    add(lost, cells, np.where(lower_first, 1 - answers, answers))


@lru_cache(maxsize=64)
def pair_numbers(size: int) -> IntArray:
    """Return the number of each pair of candidates, in the order of `np.triu_indices`, (size, size), symmetric."""
    low, high = np.triu_indices(size, 1)
    numbers = np.zeros((size, size), dtype=np.intp)
    numbers[low, high] = numbers[high, low] = np.arange(len(low))
    numbers.flags.writeable = False
    return numbers
