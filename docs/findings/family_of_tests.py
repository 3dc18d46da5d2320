"""Measure how often equal runs are found worse than the best of a table, and how often a pilot's lead is found.

    python docs/findings/family_of_tests.py

It writes family_of_tests.json next to this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.numerics.significance.families import (
    LEVEL_OF_TEST,
    adjusted_in_family,
    holm_adjusted,
    is_not_worse,
    is_untested,
)
from evenhand.numerics.significance.paired_tests import (
    ContextGaps,
    JudgeDifference,
    paired_differences,
    ratio_gaps,
)

RUNS = (2, 4, 8, 20)
CONTEXTS = (3, 5, 6, 8, 12, 40)
COMPARISONS = 4
"""Number of comparisons in each context."""
RATE, BAD_RATE = 0.75, 0.35
TABLES, DIGITS = 400, 3


def finding(tables: int = TABLES) -> list[dict[str, Any]]:
    """Return one row for each design: equal runs, or one good run among bad ones."""
    return [*rows(RATE, tables), *rows(BAD_RATE, tables)]


def rows(rate: float, tables: int) -> Iterator[dict[str, Any]]:
    """Yield the shares for tables of one good run and others of a rate.

    tested, worse: of all runs but the best. any_worse: of all tables. before: all tests adjusted together.
    """
    for runs in RUNS:
        for contexts in CONTEXTS:
            rng = np.random.default_rng([runs, contexts, int(100 * rate)])
            found = [one_table(rng, runs, contexts, rate) for _ in range(tables)]
            tested = np.array([[not is_untested(one) for one in adjusted] for _, adjusted in found])
            worse = tested & np.array([[not is_not_worse(one) for one in adjusted] for _, adjusted in found])
            p_values = [holm_adjusted(np.array([one.p_value for one in plain])) for plain, _ in found]
            before = np.array(p_values) < LEVEL_OF_TEST
            yield {"rate": rate, "runs": runs, "contexts": contexts} | {
                name: round(float(shares.mean()), DIGITS)
                for name, shares in {
                    "tested": tested,
                    "worse": worse,
                    "any_worse": worse.any(axis=1),
                    "worse_before": before,
                    "any_worse_before": before.any(axis=1),
                }.items()
            }


def one_table(
    rng: np.random.Generator, runs: int, contexts: int, rate: float
) -> tuple[list[JudgeDifference], list[JudgeDifference]]:
    """Return the differences of the best run of a made-up table to the others, and the same adjusted."""
    rates = np.full((runs, 1), rate)
    rates[0] = RATE
    right = rng.binomial(COMPARISONS, rates, (runs, contexts)).astype(np.float64)
    best, *others = right[np.argsort(-right.sum(axis=1), kind="stable")]
    plain = paired_differences([gaps(best, other) for other in others])
    return plain, adjusted_in_family(plain)


def gaps(best: np.ndarray, other: np.ndarray) -> ContextGaps:
    return ratio_gaps(best, other, np.full(len(best), float(COMPARISONS)))


if __name__ == "__main__":
    text = ",\n".join(json.dumps(row) for row in finding())
    Path(__file__).with_suffix(".json").write_text(f"[\n{text}\n]\n")
