"""Good linear orderings of many small problems at once, by local insertion."""

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.scores import rounded

_LEAST_GAIN = 1e-9
_MOST_SWEEPS = 200
_MOST_STARTS = 64
_CELLS_OF_STARTS = _MOST_STARTS * 64**2


def best_found_order(net: FloatArray) -> IntArray:
    """Return a good order of one problem, best first, (n,): of up to 64 searches, that which gains most.

    Problems of 18 candidates without any signal miss no best order so, and a tenth of those of 20 do. The first search
    starts from the order of the row sums, the others from orders drawn at random, always the same.
    """
    n = len(net)
    n_starts = min(_MOST_STARTS, max(1, _CELLS_OF_STARTS // n**2))
    starts = np.random.default_rng(0).permuted(np.tile(np.arange(n), (n_starts, 1)), axis=1)
    starts[0] = np.argsort(-net.sum(axis=1), kind="stable")
    positions = improved_positions(np.broadcast_to(net, (n_starts, n, n)), starts=starts)
    gains = np.array([net[one[:, None] < one].sum() for one in positions])
    return np.argsort(positions[rounded(gains).argmax()])


def improved_positions(net: FloatArray, *, starts: IntArray | None = None, most_sweeps: int = _MOST_SWEEPS) -> IntArray:
    """Return the position of each candidate in a good order, 0 for the best, (n_problems, n).

    Each candidate in turn moves to where it gains most, until none gains.
    net: float, (n_problems, n, n), antisymmetric. Gain of i above j. starts: int, (n_problems, n). Orders to start
    from, best first; default: by the row sums. most_sweeps: turns of each candidate.
    """
    n_problems, n, _ = net.shape
    order = np.argsort(-net.sum(axis=2), axis=1, kind="stable") if starts is None else starts
    positions = np.empty_like(order)
    np.put_along_axis(positions, order, np.broadcast_to(np.arange(n), order.shape), axis=1)
    unfinished = np.arange(n_problems)
    for _ in range(most_sweeps):
        moved = np.zeros(len(unfinished), dtype=bool)
        current, gains = positions[unfinished], net[unfinished]
        for candidate in range(n):
            current, gained = _moved(current, gains[:, candidate], candidate)
            moved |= gained
        positions[unfinished] = current
        unfinished = unfinished[moved]
        if not len(unfinished):
            break
    return positions


def _moved(positions: IntArray, net: FloatArray, candidate: int) -> tuple[IntArray, BoolArray]:
    """Move one candidate to its best position. Return the positions, and True for problems that gained by it."""
    in_order = np.empty_like(net)  # the candidate's gains over the others, from the best of them to the worst
    np.put_along_axis(in_order, positions, net, axis=1)
    current = positions[:, candidate, None]
    up_to = np.cumsum(in_order, axis=1)
    passed = np.take_along_axis(up_to, current, axis=1) - up_to
    gains = passed + np.where(np.arange(net.shape[1]) <= current, in_order, 0.0)
    target = gains.argmax(axis=1)[:, None]
    gained = np.take_along_axis(gains, target, axis=1) > _LEAST_GAIN
    target = np.where(gained, target, current)
    down = (positions > current) & (positions <= target)
    up = (positions < current) & (positions >= target)
    shifted = positions - down + up
    shifted[:, candidate] = target[:, 0]
    return shifted, gained[:, 0]
