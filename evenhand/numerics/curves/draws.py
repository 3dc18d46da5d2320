"""Random orders of asking the answered comparisons, for ranking curves."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.adaptive_replay import replayed_orders
from evenhand.numerics.exceptions import Undefined, UnknownSelection
from evenhand.numerics.fitting.batches import ContextBatch
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.selection.adaptive_selection import BT_OPTIMAL
from evenhand.numerics.selection.d_optimal import design_sequence
from evenhand.numerics.selection.pair_selection import is_repeat, most_comparisons

LARGEST_REPLAYED = 64
_LARGEST_PLANNED = 100
_PLANNED_PER_CANDIDATE = 10
_STEPS_AT_A_TIME = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class AskingOrders:
    """Orders of asking for each context of a batch; every budget is a prefix.

    steps: int or int32, (n_contexts, n_draws, longest). Indices into `ContextBatch.members`; -1 after the last.
    covering: int, (n_contexts,). Steps after which every compared candidate is in a comparison, and the comparisons
    connect as much as all comparisons of the context do.
    """

    steps: NDArray[np.signedinteger[Any]]
    covering: IntArray

    @property
    def lengths(self) -> IntArray:
        """Number of steps of each context, (n_contexts,)."""
        return np.count_nonzero(self.steps[:, 0] >= 0, axis=1)


def drawable_comparisons(comparisons: Comparisons, selection: str) -> Comparisons:
    """Select the comparisons that a selection can draw: for `symmetric`, pairs answered in both orders."""
    if selection != "symmetric":
        return comparisons
    _, pair, sizes = np.unique(comparisons.pair_keys, return_inverse=True, return_counts=True)
    return comparisons.select(sizes[pair] == 2)


def draw_orders(
    selection: str, batch: ContextBatch, p_first: FloatArray, n_draws: int, rng: np.random.Generator
) -> AskingOrders:
    """Draw orders of asking for each context of a batch of `drawable_comparisons`.

    p_first: float, (n,). Answers of all comparisons, from which `bt-optimal` chooses the next pairs.

    Raises UnknownSelection if recorded answers cannot replay the selection, and Undefined for `bt-optimal` with too
    many candidates.
    """
    if selection not in CURVE_SELECTIONS:
        raise UnknownSelection(
            f'no curve is drawn for selection "{selection}"; there are {", ".join(CURVE_SELECTIONS)}'
        )
    if selection == BT_OPTIMAL:
        return _bt_optimal(batch, p_first[batch.members], n_draws, rng)
    return _DRAWN[selection](batch, n_draws, rng)


def _random(batch: ContextBatch, n_draws: int, rng: np.random.Generator) -> AskingOrders:
    return _trees_first(batch, np.arange(len(batch.members)), n_draws, rng)


def _no_repeat(batch: ContextBatch, n_draws: int, rng: np.random.Generator) -> AskingOrders:
    one, reverse = _orders_of_pairs(batch)
    drawn = _trees_first(batch, one, n_draws, rng)
    swap = (rng.random(drawn.steps.shape) < 0.5) & (drawn.steps >= 0) & (reverse[drawn.steps] >= 0)
    return AskingOrders(np.where(swap, reverse[drawn.steps], drawn.steps), drawn.covering)


def _symmetric(batch: ContextBatch, n_draws: int, rng: np.random.Generator) -> AskingOrders:
    one, reverse = _orders_of_pairs(batch)
    drawn = _trees_first(batch, one, n_draws, rng)
    both = np.stack([drawn.steps, np.where(drawn.steps >= 0, reverse[drawn.steps], -1)], axis=-1)
    return AskingOrders(both.reshape(*both.shape[:2], -1), 2 * drawn.covering)


def _d_optimal(batch: ContextBatch, n_draws: int, rng: np.random.Generator) -> AskingOrders:
    """Draw the planned order with candidates renumbered at random.

    Pairs without an answer are skipped. Comparisons beyond the plan follow at random.
    """
    length = most_comparisons("d-optimal", batch.size)
    if batch.size > _LARGEST_PLANNED:
        length = min(length, _PLANNED_PER_CANDIDATE * batch.size)
    first, second = design_sequence(batch.size, length).T
    pair = first * batch.size + second
    asked = np.full((batch.n_contexts, batch.size, batch.size), -1)
    asked[batch.rows, batch.first, batch.second] = np.arange(len(batch.members))
    names = rng.permuted(np.broadcast_to(np.arange(batch.size), (batch.n_contexts, n_draws, batch.size)), axis=2)
    one, other = names[..., first], names[..., second]
    turned = (rng.random((batch.n_contexts, n_draws, batch.size**2)) < 0.5)[..., pair] ^ is_repeat(pair)
    rows = np.arange(batch.n_contexts)[:, None, None]
    steps = asked[rows, np.where(turned, other, one), np.where(turned, one, other)]
    order = np.argsort(steps < 0, axis=2, kind="stable")  # pairs without an answer go to the end
    steps = np.take_along_axis(steps, order, axis=2)
    if length < most_comparisons("d-optimal", batch.size):
        steps = _with_the_rest(batch, steps, rng)
    connecting = _connecting(batch, steps.reshape(-1, steps.shape[2])).reshape(steps.shape)
    last_connecting = (connecting * np.arange(1, steps.shape[2] + 1)).max(axis=(1, 2))  # over all draws, from 1
    return AskingOrders(steps, last_connecting)


_DRAWN: Mapping[str, Callable[[ContextBatch, int, np.random.Generator], AskingOrders]] = MappingProxyType(
    {"random": _random, "no-repeat": _no_repeat, "symmetric": _symmetric, "d-optimal": _d_optimal}
)
CURVE_SELECTIONS = (*_DRAWN, BT_OPTIMAL)


def _bt_optimal(batch: ContextBatch, answers: FloatArray, n_draws: int, rng: np.random.Generator) -> AskingOrders:
    """Replay an adaptive run; contexts whose comparisons do not connect all candidates are drawn at random."""
    if batch.size > LARGEST_REPLAYED:
        raise Undefined(
            f"{BT_OPTIMAL} is replayed for at most {LARGEST_REPLAYED} candidates of a context; one has {batch.size}"
        )
    drawn = _random(batch, n_draws, rng)
    connected = np.flatnonzero(drawn.covering == batch.size - 1)
    if len(connected):
        starts = drawn.steps[connected]
        flat = starts.reshape(-1, starts.shape[2])
        replayed = replayed_orders(batch, clipped(answers), flat, batch.size - 1, rng)
        drawn.steps[connected] = replayed.reshape(starts.shape)
    return drawn


def _with_the_rest(batch: ContextBatch, steps: IntArray, rng: np.random.Generator) -> IntArray:
    """Append the context's other comparisons to each order, at random."""
    whole = np.full((*steps.shape[:2], int(batch.lengths().max())), -1)
    for row, draw_number in np.ndindex(*steps.shape[:2]):
        planned = steps[row, draw_number]
        planned = planned[planned >= 0]
        is_rest = batch.rows == row
        is_rest[planned] = False
        rest = np.flatnonzero(is_rest)
        order = np.concatenate([planned, rng.permutation(rest)])
        whole[row, draw_number, : len(order)] = order
    return whole


def _units(batch: ContextBatch, chosen: IntArray) -> IntArray:
    """Group indices into `ContextBatch.members` by context, (n_contexts, longest), padded with -1."""
    if batch.n_contexts == 1:
        return chosen[None]
    rows = batch.rows[chosen]
    sizes = np.bincount(rows, minlength=batch.n_contexts)
    units = np.full((batch.n_contexts, sizes.max()), -1)
    order = np.argsort(rows, kind="stable")
    units[rows[order], np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)] = chosen[order]
    return units


def _orders_of_pairs(batch: ContextBatch) -> tuple[IntArray, IntArray]:
    """Return one comparison of each unordered pair, and the reverse of these comparisons, (n,), -1 if none.

    All are indices into `ContextBatch.members`.
    """
    low, high = np.minimum(batch.first, batch.second), np.maximum(batch.first, batch.second)
    keys = (batch.rows * batch.size + low) * batch.size + high
    unique, one, pair, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    last = np.zeros(len(unique), dtype=np.intp)
    last[pair] = np.arange(len(keys))
    reverse = np.full(len(keys), -1)
    reverse[one] = np.where(sizes > 1, last, -1)
    return one, reverse


def _trees_first(batch: ContextBatch, chosen: IntArray, n_draws: int, rng: np.random.Generator) -> AskingOrders:
    """Order the chosen indices at random, but first those that connect two groups of candidates."""
    units = _units(batch, chosen)
    n_contexts, n_units = units.shape
    keys = rng.random((n_contexts, n_draws, n_units)) + (units < 0)[:, None, :]
    shuffled = order_of_keys(keys[0, 0])[None, None] if keys.shape[:2] == (1, 1) else np.argsort(keys, axis=2)
    steps = np.take_along_axis(np.broadcast_to(units[:, None, :], keys.shape), shuffled, axis=2)
    flat = steps.reshape(-1, n_units)
    connecting = _connecting(batch, flat)
    order = np.argsort((~connecting).view(np.int8), axis=1, kind="stable")  # small integers are sorted fastest
    ordered = np.take_along_axis(flat, order, axis=1).reshape(steps.shape)
    return AskingOrders(ordered, connecting.sum(axis=1).reshape(n_contexts, n_draws)[:, 0])


def order_of_keys(keys: FloatArray) -> IntArray:
    """Return `argsort` of many distinct keys in [0, 1), (n,). Sorting by 16 bits at a time is twice as fast."""
    bits = (keys * 2.0**32).astype(np.uint32)
    order = np.argsort(bits.astype(np.uint16), kind="stable")
    order = order[np.argsort((bits >> 16).astype(np.uint16)[order], kind="stable")]
    unordered = np.diff(keys[order]) < 0
    return np.argsort(keys) if unordered.any() else order


def _connecting(batch: ContextBatch, steps: IntArray) -> BoolArray:
    """Return True for steps that connect two groups, unconnected before, (n_orders, n_steps)."""
    if len(steps) == 1:
        return _connecting_alone(batch, steps[0])[None]
    groups = np.tile(np.arange(batch.size), (len(steps), 1))  # (n_orders, size)
    every = np.arange(len(steps))
    connecting = np.zeros(steps.shape, dtype=bool)
    for at in range(steps.shape[1]):
        step = steps[:, at]
        one, other = groups[every, batch.first[step]], groups[every, batch.second[step]]
        joins = (one != other) & (step >= 0)
        connecting[:, at] = joins
        groups = np.where(joins[:, None] & (groups == other[:, None]), one[:, None], groups)
        if (groups == groups[:, :1]).all():
            break
    return connecting


def _connecting_alone(batch: ContextBatch, steps: IntArray) -> BoolArray:
    """Return the same for one order, (n_steps,). These are the edges of the minimum spanning tree of the steps."""
    asked = steps[steps >= 0]
    for n_steps in _prefixes(len(asked)):
        tree = minimum_spanning_tree(_graph_of_steps(batch, asked[:n_steps]))
        if tree.nnz == batch.size - 1:
            break
    connecting = np.zeros(len(steps), dtype=bool)
    connecting[tree.data.astype(np.intp) - 1] = True
    return connecting


def _prefixes(n_steps: int) -> Iterator[int]:
    """Yield growing numbers of steps, because few steps usually connect all candidates."""
    some = _STEPS_AT_A_TIME
    while some < n_steps:
        yield some
        some *= 4
    yield n_steps


def _graph_of_steps(batch: ContextBatch, steps: IntArray) -> csr_array:
    """Return the graph of the candidates, (size, size). The weight of a pair is 1 plus its earliest step."""
    one, other = batch.first[steps], batch.second[steps]
    low, high = np.minimum(one, other), np.maximum(one, other)
    _, earliest = np.unique(low * batch.size + high, return_index=True)
    return csr_array((earliest + 1.0, (low[earliest], high[earliest])), shape=(batch.size, batch.size))
