"""PairS: rank by a merge sort that asks the judge for each comparison it needs [Liu2024]."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import IntArray
from evenhand.numerics.rankings.product_of_experts import CLIP

Ask = Callable[[int, int], float]
"""The probability that the first of two candidates is better than the second, shown in that order."""


@dataclass(frozen=True, slots=True)
class PairsOrder:
    """The order found, best first, int, (n_candidates,), and how many comparisons it took."""

    order: IntArray
    comparisons: int


@dataclass(frozen=True, slots=True)
class _Path:
    """A merge under way: what was taken so far, worst first, how far into both lists, and its log-probability."""

    taken: tuple[int, ...]
    left: int
    right: int
    log_probability: float
    steps: int

    @property
    def score(self) -> float:
        return self.log_probability / max(1, self.steps)


def pairs_sort(start: Sequence[int], ask: Ask, *, beam: int = 1, gap: float = 0.1) -> PairsOrder:
    """Merge sort of candidates from the order `start`; no pair is asked twice.

    beam: how many merges are followed side by side, the most probable ones by their mean log-probability a step; 1 is
    the greedy search. gap: a step is only followed against the judge's word if that is less than 1/2 + gap sure.
    """
    known: dict[tuple[int, int], float] = {}

    def remembered(first: int, second: int) -> float:
        if (first, second) not in known:
            known[first, second] = ask(first, second)
        return known[first, second]

    order = _sorted(list(start), remembered, beam, gap)
    return PairsOrder(np.array(order[::-1], dtype=np.intp), len(known))


def _sorted(candidates: list[int], ask: Ask, beam: int, gap: float) -> list[int]:
    if len(candidates) < 2:
        return candidates
    middle = len(candidates) // 2
    left = _sorted(candidates[:middle], ask, beam, gap)
    right = _sorted(candidates[middle:], ask, beam, gap)
    return _merged(left, right, ask, beam, gap)


def _merged(left: list[int], right: list[int], ask: Ask, beam: int, gap: float) -> list[int]:
    """The most probable merge of two lists, all worst first, as the authors sort."""
    paths = [_Path((), 0, 0, 0.0, 0)]
    for _ in range(len(left) + len(right)):
        grown = [step for path in paths for step in _steps(path, left, right, ask, beam, gap)]
        paths = sorted(grown, key=lambda path: -path.score)[:beam]
    return list(paths[0].taken)


def _steps(path: _Path, left: list[int], right: list[int], ask: Ask, beam: int, gap: float) -> list[_Path]:
    """The path with one more candidate: from either list, unless the judge is too sure of the other."""
    if path.left == len(left):
        return [_Path((*path.taken, right[path.right]), path.left, path.right + 1, path.log_probability, path.steps)]
    if path.right == len(right):
        return [_Path((*path.taken, left[path.left]), path.left + 1, path.right, path.log_probability, path.steps)]
    left_better = float(np.clip(ask(left[path.left], right[path.right]), CLIP, 1 - CLIP))
    take_left = left_better <= 0.5 if beam == 1 else left_better <= 0.5 + gap
    take_right = left_better > 0.5 if beam == 1 else left_better >= 0.5 - gap
    grown = []
    if take_left:
        sure = path.log_probability + float(np.log1p(-left_better))
        grown.append(_Path((*path.taken, left[path.left]), path.left + 1, path.right, sure, path.steps + 1))
    if take_right:
        sure = path.log_probability + float(np.log(left_better))
        grown.append(_Path((*path.taken, right[path.right]), path.left, path.right + 1, sure, path.steps + 1))
    return grown
