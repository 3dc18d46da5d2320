"""Pairs of one context, drawn in rounds: each by the answers so far, except to some pairs that are held out.

Candidates are numbered from 0, and a pair is two such numbers, in the order shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankings.numerics.comparisons import Comparisons
from rankings.numerics.selection.adaptive_selection import select_next
from rankings.numerics.selection.pair_selection import Pairs

BT_OPTIMAL = "bt-optimal"
HOLD_OUT = 0.1
ROUND_PER_CANDIDATE = 1

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Room:
    """A context's candidates, two or more, and the comparisons to be made of them, at most all ordered pairs."""

    n_candidates: int
    budget: int


def held_out_numbers(rooms: Sequence[Room], *, share: float) -> Iterator[int]:
    """How many unordered pairs each context holds out, of which both orders are asked: in all, the share of the budget.

    Where the share of a context is no whole number, those before and after it make up for it. Enough is left to connect
    its candidates.
    """
    wanted, before = 0.0, 0
    for room in rooms:
        wanted += share * room.budget / 2
        total = math.ceil(wanted - 1e-9)
        most = max(0, (room.budget - (room.n_candidates - 1)) // 2)
        yield min(total - before, most)
        before = total


def draw_held_out(n_candidates: int, number: int, *, seed: Sequence[int]) -> list[Pair]:
    """So many unordered pairs, each as likely as any other, in both orders."""
    low, high = np.triu_indices(n_candidates, 1)
    chosen = np.random.default_rng([*seed, 0, 1]).permutation(len(low))[:number]
    pairs = list(zip(low[chosen].tolist(), high[chosen].tolist(), strict=True))
    return [turned for first, second in pairs for turned in ((first, second), (second, first))]


def next_pairs(
    room: Room,
    *,
    held_out: Sequence[Pair],
    drawn: Sequence[Pair],
    p_first: Mapping[Pair, float],
    round_size: int,
    seed: Sequence[int],
) -> list[Pair]:
    """The next round of a context; empty where its budget is spent. The same for the same answers and seed.

    drawn: in the rounds before. p_first: the answers there are; those to pairs held out are not looked at.
    """
    number = min(round_size, room.budget - len(held_out) - len(drawn))
    if number < 1:
        return []
    asked = _pairs([*held_out, *drawn])
    answered = [pair for pair in drawn if pair in p_first]
    ends = _pairs(answered)
    answers = np.array([p_first[pair] for pair in answered], dtype=np.float64)
    comparisons = Comparisons(room.n_candidates, ends.first, ends.second, answers)
    rng = np.random.default_rng([*seed, 1 + math.ceil(len(drawn) / round_size), 1])
    chosen = select_next(asked, comparisons, number, rng)
    return list(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))


def _pairs(pairs: Sequence[Pair]) -> Pairs:
    columns = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return Pairs(columns[:, 0], columns[:, 1])
