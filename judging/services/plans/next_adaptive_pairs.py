"""The next pairs of an adaptive run: each round is chosen by the answers so far.

Candidates of a context are numbered by position from 0. A pair is two positions, in the order shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankings.numerics.comparisons import Comparisons
from rankings.numerics.selection.adaptive_selection import select_next_pairs
from rankings.numerics.selection.pair_selection import OrderedPairs

BT_OPTIMAL = "bt-optimal"
ROUND_PER_CANDIDATE = 1

PositionPair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """The number of candidates of a context (at least two) and of its comparisons (at most all ordered pairs)."""

    n_candidates: int
    budget: int


def next_adaptive_pairs(
    context: ContextBudget,
    *,
    held_out: Sequence[PositionPair],
    drawn: Sequence[PositionPair],
    p_first: Mapping[PositionPair, float],
    round_size: int,
    seed: Sequence[int],
) -> list[PositionPair]:
    """Choose the pairs of a context's next round; empty once its budget is spent.

    The same answers and seed give the same pairs. Answers to held-out pairs have no influence.

    held_out: pairs kept for evaluation; they are not drawn again. drawn: pairs of the rounds before.
    p_first: pair -> probability that its first candidate is better, for answered pairs.
    round_size: pairs of one round.
    """
    number = min(round_size, context.budget - len(held_out) - len(drawn))
    if number < 1:
        return []
    asked = _to_arrays([*held_out, *drawn])
    answered = [pair for pair in drawn if pair in p_first]
    answered_arrays = _to_arrays(answered)
    answers = np.array([p_first[pair] for pair in answered], dtype=np.float64)
    comparisons = Comparisons(context.n_candidates, answered_arrays.first, answered_arrays.second, answers)
    rng = np.random.default_rng([*seed, 1 + math.ceil(len(drawn) / round_size), 1])
    chosen = select_next_pairs(asked, comparisons, number, rng)
    return list(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))


def _to_arrays(pairs: Sequence[PositionPair]) -> OrderedPairs:
    columns = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return OrderedPairs(columns[:, 0], columns[:, 1])
