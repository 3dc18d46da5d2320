"""Good linear orderings of many small problems at once, by local insertion."""

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray

_LEAST_GAIN = 1e-9
_MOST_SWEEPS = 200


def improved_positions(net: FloatArray, *, most_sweeps: int = _MOST_SWEEPS) -> IntArray:
    """Return the position of each candidate in a good order, 0 for the best, (n_problems, n).

    Starts from the order of the row sums. Then each candidate in turn moves to where it gains most, until none gains.
    net: float, (n_problems, n, n), antisymmetric. Gain of i above j. most_sweeps: turns of each candidate.
    """
    n_problems, n, _ = net.shape
    order = np.argsort(-net.sum(axis=2), axis=1, kind="stable")
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
