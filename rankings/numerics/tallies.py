"""What many orders of asking have gathered so far, one problem for each order; the problems lie along the last axis."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.batches import Batch
from rankings.numerics.workspace import Workspace


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Comparisons that the orders have come to, all (n,).

    members: places in `Batch.members`. pairs: where the pair and the order meet in (n_pairs, n_orders), flattened.
    first, second: where the candidate and the order meet in (size, n_orders). rising: whether the lower one was first.
    """

    members: IntArray
    pairs: IntArray
    first: IntArray
    second: IntArray
    rising: BoolArray

    def __len__(self) -> int:
        return len(self.members)


class Tally:
    """How often each pair and each candidate has been compared.

    pairs: float, (n_pairs, n_orders), in the order of `np.triu_indices`. played: float, (size, n_orders).
    workspace: of whatever is computed from them.
    """

    def __init__(self, batch: Batch, n_orders: int) -> None:
        self.batch, self.n_orders = batch, n_orders
        self.pairs = np.zeros((batch.size * (batch.size - 1) // 2, n_orders))
        self.played = np.zeros((batch.size, n_orders))
        self.workspace = Workspace()

    def take(self, steps: IntArray) -> Taken:
        """Count some more steps, (n_orders, n_steps), places in `Batch.members` or -1."""
        order, at = np.nonzero(steps >= 0)
        members = steps[order, at]
        first, second = self.batch.first[members], self.batch.second[members]
        taken = Taken(
            members,
            pair_numbers(self.batch.size)[first, second] * self.n_orders + order,
            first * self.n_orders + order,
            second * self.n_orders + order,
            first < second,
        )
        add(self.pairs, taken.pairs, 1.0)
        add(self.played, taken.first, 1.0)
        add(self.played, taken.second, 1.0)
        return taken


def add(totals: FloatArray, places: IntArray, values: FloatArray | float) -> None:
    """Add values to some places of an array, flattened; a place may come more than once."""
    np.add.at(totals.reshape(-1), places, values)


@lru_cache(maxsize=64)
def pair_numbers(size: int) -> IntArray:
    """The number of each pair in the order of `np.triu_indices`, in either order, (size, size)."""
    low, high = np.triu_indices(size, 1)
    numbers = np.zeros((size, size), dtype=np.intp)
    numbers[low, high] = numbers[high, low] = np.arange(len(low))
    numbers.flags.writeable = False
    return numbers
