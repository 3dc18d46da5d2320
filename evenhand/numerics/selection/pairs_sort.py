"""PairS, a merge sort that asks the judge [Liu2024]: from recorded answers for many starting orders, or live.

Merges begin with the worst, like the authors'. Where the judge prefers a position, the best first gives other orders.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.rankings.product_of_experts import CLIP

PAIRS_SORT = "pairs"
"""Name of the selection, and of its ranking on curves."""
GAP = 0.1
"""A step against the judge's answer is followed only if the judge's probability is below 1/2 + GAP."""


@dataclass(frozen=True, slots=True, eq=False)
class MergedOrders:
    """Sorted orders of PairS.

    orders: int, (n_problems, size). Best first. comparisons: int, (n_problems,). Number of comparisons asked.
    unanswered: bool, (n_problems,). True if a comparison has no answer; the order is then meaningless.
    """

    orders: IntArray
    comparisons: IntArray
    unanswered: BoolArray


def merged_orders(
    answers: FloatArray, rows: IntArray, starts: IntArray, *, beam: int, gap: float = GAP
) -> MergedOrders:
    """Merge-sort each starting order, best first.

    answers: float, (n_contexts, size, size). P(first better) of each ordered pair; NaN if unanswered.
    rows: int, (n_problems,). Context of each problem. starts: int, (n_problems, size). Starting orders.
    """
    search = _Search(answers, rows, beam, gap)
    orders = search.sorted(starts)
    return MergedOrders(orders[:, ::-1], search.comparisons, search.unanswered)


def next_sort_pairs(start: IntArray, p_first: FloatArray) -> list[tuple[int, int]]:
    """Return the ordered pairs that the greedy sort of one context needs next; empty once the context is sorted.

    Independent merges go on at the same time, each with one pair.
    start: int, (size,). Starting order. p_first: float, (size, size). NaN if unanswered.
    """
    search = _Search(p_first[None], np.zeros(1, dtype=np.intp), beam=1, gap=GAP)
    search.sorted(start[None])
    return search.needed


def most_sort_comparisons(size: int) -> int:
    """Return the most comparisons that the greedy sort of this many candidates can need."""
    if size < 2:
        return 0
    return most_sort_comparisons(size // 2) + most_sort_comparisons(size - size // 2) + size - 1


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """Unfinished merges, most probable first, all (n_problems, n_paths).

    left: int. Number of candidates taken from the left list.
    total: float. steps: int. Log-probability and number of the steps that needed a comparison.
    alive: bool. True if the path exists.
    """

    left: IntArray
    total: FloatArray
    steps: IntArray
    alive: BoolArray

    @classmethod
    def start(cls, n_problems: int) -> "_Paths":
        zeros = np.zeros((n_problems, 1), dtype=np.intp)
        return cls(zeros, zeros.astype(np.float64), zeros, zeros == 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """Parent of each path, and True if its last step took from the left list, both (n_problems, n_paths)."""

    parent: IntArray
    from_left: BoolArray


class _Search:
    """Beam searches for the most probable merges. comparisons, unanswered: as in `MergedOrders`.

    needed: the pairs without an answer at which merges stopped, if both of their lists were sorted.
    """

    def __init__(self, answers: FloatArray, rows: IntArray, beam: int, gap: float) -> None:
        self.answers, self.rows, self.beam, self.gap = answers, rows[:, None], beam, gap
        self.every = np.arange(len(rows))[:, None]
        self.comparisons = np.zeros(len(rows), dtype=np.intp)
        self.unanswered = np.zeros(len(rows), dtype=bool)
        self.needed: list[tuple[int, int]] = []
        self._is_open = self.unanswered

    def sorted(self, orders: IntArray) -> IntArray:
        """Sort each order, (n_problems, size), worst first, by merging its sorted halves."""
        size = orders.shape[1]
        self._is_open = np.zeros(len(orders), dtype=bool)
        if size < 2:
            return orders
        left = self.sorted(orders[:, : size // 2])
        is_open = self._is_open
        right = self.sorted(orders[:, size // 2 :])
        self._is_open = self._is_open | is_open
        return self._merged(left, right)

    def _merged(self, left: IntArray, right: IntArray) -> IntArray:
        """Merge two lists of each problem, and return the most probable merge."""
        asked = np.zeros((len(left), left.shape[1], right.shape[1]), dtype=bool)
        paths, rounds = _Paths.start(len(left)), []
        for taken in range(left.shape[1] + right.shape[1]):
            paths, grown = self._grown(paths, taken, left, right, asked)
            rounds.append(grown)
        self.comparisons += asked.sum(axis=(1, 2))
        return self._of_best(rounds, left, right)

    def _grown(
        self, paths: _Paths, taken: int, left: IntArray, right: IntArray, asked: BoolArray
    ) -> tuple[_Paths, _Round]:
        """Extend each path by one candidate, and keep the best paths."""
        at_left, at_right = paths.left, taken - paths.left
        left_done, right_done = at_left >= left.shape[1], at_right >= right.shape[1]
        choice = paths.alive & ~left_done & ~right_done
        one, other = np.where(choice, at_left, 0), np.where(choice, at_right, 0)
        left_next = 1 - self.answers[self.rows, left[self.every, one], right[self.every, other]]  # the worse is next
        asked[np.broadcast_to(self.every, one.shape)[choice], one[choice], other[choice]] = True
        self._note_open(choice & np.isnan(left_next), left[self.every, one], right[self.every, other])
        left_next = np.clip(np.nan_to_num(left_next, nan=0.5), CLIP, 1 - CLIP)
        to_left, to_right = self._followed(left_next)
        followed = (
            np.where(choice, to_left, paths.alive & right_done),
            np.where(choice, to_right, paths.alive & left_done),
        )
        gains = (np.where(choice, np.log(left_next), 0.0), np.where(choice, np.log1p(-left_next), 0.0))
        return self._best(paths, np.stack(followed, 2), np.stack(gains, 2), choice)

    def _note_open(self, unanswered: BoolArray, first: IntArray, second: IntArray) -> None:
        """Note the pairs without an answer, (n_problems, n_paths). Merges that were open before need none of them."""
        needed = unanswered & ~self._is_open[:, None]
        self.needed += dict.fromkeys(zip(first[needed].tolist(), second[needed].tolist(), strict=True))
        self._is_open = self._is_open | unanswered.any(axis=1)
        self.unanswered |= self._is_open

    def _followed(self, left_next: FloatArray) -> tuple[BoolArray, BoolArray]:
        """Return True where the left list's next candidate may come next, and where the right list's may."""
        if self.beam == 1:
            return left_next >= 0.5, left_next < 0.5
        return left_next >= 0.5 - self.gap, left_next <= 0.5 + self.gap

    def _best(self, paths: _Paths, followed: BoolArray, gains: FloatArray, choice: BoolArray) -> tuple[_Paths, _Round]:
        """Keep the best extensions of the paths.

        followed: bool. True for extensions from the left, and from the right list. gains: float. Their
        log-probabilities. Both (n_problems, n_paths, 2).
        """
        shape = (len(followed), -1)
        totals = (paths.total[:, :, None] + gains).reshape(shape)
        steps = np.repeat(paths.steps + choice, 2, axis=1)
        alive = followed.reshape(shape)
        means = np.where(alive, totals / np.maximum(steps, 1), -np.inf)
        best = np.argsort(-means, axis=1, kind="stable")[:, : self.beam]
        left = np.repeat(paths.left, 2, axis=1) + (np.arange(totals.shape[1]) % 2 == 0)
        chosen = _Paths(*(np.take_along_axis(each, best, axis=1) for each in (left, totals, steps, alive)))
        return chosen, _Round(best // 2, best % 2 == 0)

    def _of_best(self, rounds: list[_Round], left: IntArray, right: IntArray) -> IntArray:
        """Return the candidates of the best path, traced back from its end."""
        merged = np.empty((len(left), len(rounds)), dtype=np.intp)
        every, path = np.arange(len(left)), np.zeros(len(left), dtype=np.intp)
        at_left, at_right = (np.full(len(left), each.shape[1] - 1) for each in (left, right))
        for position in range(len(rounds) - 1, -1, -1):
            from_left = rounds[position].from_left[every, path]
            merged[:, position] = np.where(from_left, left[every, at_left], right[every, at_right])
            at_left, at_right = at_left - from_left, at_right - ~from_left
            path = rounds[position].parent[every, path]
        return merged
