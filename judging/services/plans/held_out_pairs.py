"""Held-out pairs of an adaptive run: random pairs that are kept for evaluation.

Candidates of a context are numbered by position from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from django.db import connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from judging.models import Run
from judging.services.plans.next_adaptive_pairs import ContextBudget, PositionPair

HOLD_OUT = 0.1
JSON_ARRAY_FUNCTIONS = {"postgresql": "jsonb_array_elements", "sqlite": "json_each"}
"""Function that turns a JSON array into rows, by database; both call their column `value`."""
HELD_OUT_COMPARISONS = """
    SELECT answer.id FROM judging_chunk AS chunk, {elements}(chunk.held_out) AS pair, judging_comparison AS answer
    WHERE chunk.run_id = %s AND answer.run_id = chunk.run_id
    AND answer.first_id = CAST(pair.value ->> 0 AS bigint) AND answer.second_id = CAST(pair.value ->> 1 AS bigint)
"""


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
