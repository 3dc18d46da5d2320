"""Good linear orderings of many small problems at once, by local insertion."""

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray

_LEAST_GAIN = 1e-9
_MOST_SWEEPS = 200


def improved_positions(net: FloatArray) -> IntArray:
    """The place of each candidate in a good order, 0 for the best, (n_problems, n).

    Starts from the order of the row sums; then each candidate in turn moves to where it gains most, until none gains.
    net: float, (n_problems, n, n), antisymmetric: what is gained by i above j.
    """
    n_problems, n, _ = net.shape
    order = np.argsort(-net.sum(axis=2), axis=1, kind="stable")
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.broadcast_to(np.arange(n), order.shape), axis=1)
    left = np.arange(n_problems)
    for _ in range(_MOST_SWEEPS):
        moved = np.zeros(len(left), dtype=bool)
        current, gains = places[left], net[left]
        for candidate in range(n):
            current, gained = _moved(current, gains[:, candidate], candidate)
            moved |= gained
        places[left] = current
        left = left[moved]
        if not len(left):
            break
    return places


def _moved(places: IntArray, net: FloatArray, candidate: int) -> tuple[IntArray, BoolArray]:
    """The places after one candidate has moved to its best place, and in which problems that gained anything."""
    along = np.empty_like(net)  # the candidate's gains over the others, in their order
    np.put_along_axis(along, places, net, axis=1)
    at = places[:, candidate, None]
    up_to = np.cumsum(along, axis=1)
    passed = np.take_along_axis(up_to, at, axis=1) - up_to
    gains = passed + np.where(np.arange(net.shape[1]) <= at, along, 0.0)
    target = gains.argmax(axis=1)[:, None]
    gained = np.take_along_axis(gains, target, axis=1) > _LEAST_GAIN
    target = np.where(gained, target, at)
    down = (places > at) & (places <= target)
    up = (places < at) & (places >= target)
    shifted = places - down + up
    shifted[:, candidate] = target[:, 0]
    return shifted, gained[:, 0]
