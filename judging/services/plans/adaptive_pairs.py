"""The pairs of an adaptive run: random held-out pairs for evaluation, then rounds chosen by the answers so far.

Candidates of a context are numbered by position from 0. A pair is two positions, in the order shown.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.selection.adaptive_selection import select_next_pairs
from evenhand.numerics.selection.pair_selection import OrderedPairs
from evenhand.numerics.selection.pairs_sort import next_sort_pairs
from evenhand.numerics.selection.until_sure import ContextState, next_pairs_until_sure
from judging.models import Run

ROUND_PER_CANDIDATE = 1
HOLD_OUT = 0.1
JSON_ARRAY_FUNCTIONS = {"postgresql": "jsonb_array_elements", "sqlite": "json_each"}
"""Function that turns a JSON array into rows, by database; both call their column `value`."""
HELD_OUT_COMPARISONS = """
    SELECT answer.id FROM judging_chunk AS chunk, {elements}(chunk.held_out) AS pair, judging_comparison AS answer
    WHERE chunk.run_id = %s AND answer.run_id = chunk.run_id
    AND answer.first_id = CAST(pair.value ->> 0 AS bigint) AND answer.second_id = CAST(pair.value ->> 1 AS bigint)
"""

PositionPair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """The number of candidates of a context (at least two) and of its comparisons (at most all ordered pairs)."""

    n_candidates: int
    budget: int


def count_held_out_pairs(budgets: Sequence[ContextBudget], *, share: float) -> Iterator[int]:
    """Yield the number of unordered pairs that each context holds out; both orders of each are asked.

    Rounding is carried from context to context, so that the total meets `share` of the whole budget. Each context
    keeps enough comparisons to connect its candidates.
    """
    wanted, total_before = 0.0, 0
    for context in budgets:
        wanted += share * context.budget / 2
        total = math.ceil(wanted - 1e-9)
        most = max(0, (context.budget - (context.n_candidates - 1)) // 2)
        yield min(total - total_before, most)
        total_before = total


def draw_held_out_pairs(n_candidates: int, number: int, *, seed: Sequence[int]) -> list[PositionPair]:
    """Draw `number` unordered pairs uniformly at random, and return both orders of each."""
    low, high = np.triu_indices(n_candidates, 1)
    chosen = np.random.default_rng([*seed, 0, 1]).permutation(len(low))[:number]
    pairs = list(zip(low[chosen].tolist(), high[chosen].tolist(), strict=True))
    return [ordered for first, second in pairs for ordered in ((first, second), (second, first))]


def is_held_out(run: Run) -> Q:
    """Return the filter for the comparisons that a run holds out; it matches none if the run is not adaptive."""
    statement = HELD_OUT_COMPARISONS.format(elements=JSON_ARRAY_FUNCTIONS[connection.vendor])
    return Q(pk__in=RawSQL(statement, [run.pk]))


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
    asked = OrderedPairs.of([*held_out, *drawn])
    answered = [pair for pair in drawn if pair in p_first]
    answered_arrays = OrderedPairs.of(answered)
    answers = np.array([p_first[pair] for pair in answered], dtype=np.float64)
    comparisons = Comparisons(context.n_candidates, answered_arrays.first, answered_arrays.second, answers)
    rng = np.random.default_rng([*seed, 1 + math.ceil(len(drawn) / round_size), 1])
    chosen = select_next_pairs(asked, comparisons, number, rng)
    return list(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))


def next_pairs_of_sort(
    n_candidates: int, *, p_first: Mapping[PositionPair, float], seed: Sequence[int]
) -> list[PositionPair]:
    """Return the pairs that the sort of a context needs next; empty once the context is sorted.

    The same answers and seed give the same pairs. p_first: as in `next_adaptive_pairs`.
    """
    start = np.random.default_rng(seed).permutation(n_candidates)
    answers = np.full((n_candidates, n_candidates), np.nan)
    for pair, answer in p_first.items():
        answers[pair] = answer
    return next_sort_pairs(start, answers)


def next_pairs_of_unsure(
    context: ContextBudget,
    *,
    drawn: Sequence[PositionPair],
    p_first: Mapping[PositionPair, float],
    bound: float,
    seed: Sequence[int],
) -> list[PositionPair]:
    """Choose the next pairs of a context that goes on until it is sure; empty once it is, or its budget is spent.

    drawn, p_first, seed: as in `next_adaptive_pairs`. bound: as in `SelectionSettings`.
    """
    n = context.n_candidates
    still_open = ~np.eye(n, dtype=bool)
    answers = np.full((n, n), np.nan)
    for pair in drawn:
        still_open[pair] = False
        answers[pair] = p_first.get(pair, np.nan)
    chosen = next_pairs_until_sure(
        ContextState(answers, still_open), bound=bound, seed=seed, most=context.budget - len(drawn)
    )
    return list(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))
