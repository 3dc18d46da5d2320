"""Measure how often trust checks fail a fair judge, and how often they find a planted fault, on made-up judges.

    python docs/findings/error_rates_of_checks.py

It writes error_rates_of_checks.json next to this file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.numerics.accuracy import order_agreement
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.judged import Judged
from evenhand.numerics.reliability.trust.trust_checks import CHECKS
from evenhand.numerics.reliability.trust.trust_findings import CheckedRun
from evenhand.numerics.votes import Votes

CONTEXTS = (3, 5, 10, 20, 50, 100)
PAIRS = (1, 3, 30)
"""Pairs of one context, each asked in both orders unless the judge is asked in one. Three pairs are of three texts."""
ACCURACY, SPREAD, BIAS = 0.75, 10.0, 0.77
"""Contexts differ: the chance of a right answer follows a beta distribution with this sum of its parameters."""
STUDIES, DIGITS = 1_000, 3
MEASURED = ("varied-answers", "better-than-constant", "order-beyond-position", "both-orders")
STATES = ("failed", "cannot tell", "passed")
Judge = Callable[[np.random.Generator, "Questions"], FloatArray]


class Questions:
    """Pairs of texts as shown. right: 1 where people prefer the first. contexts: of each.

    cycle: 1 where the first beats the second in a cycle of three texts, whose direction is random.
    """

    def __init__(self, rng: np.random.Generator, n_contexts: int, pairs: int, *, one_order: bool) -> None:
        texts = 2 if pairs == 1 else 3
        groups = n_contexts * max(1, pairs // 3)
        scores = rng.permuted(np.tile(np.arange(texts), (groups, 1)), axis=1).ravel()
        low, high = ([0], [1]) if pairs == 1 else ([0, 1, 2], [1, 2, 0])
        first = (texts * np.arange(groups)[:, None] + low).ravel()
        second = (texts * np.arange(groups)[:, None] + high).ravel()
        forward = np.repeat(rng.random(groups) < 0.5, len(low))
        if one_order:
            swapped = rng.random(len(first)) < 0.5
            self.first, self.second = np.where(swapped, second, first), np.where(swapped, first, second)
            self.cycle = (forward ^ swapped).astype(float)
        else:
            self.first, self.second = np.append(first, second), np.append(second, first)
            self.cycle = np.append(forward, ~forward).astype(float)
        self.n_candidates = texts * groups
        self.starts: IntArray = np.arange(0, self.n_candidates, self.n_candidates // n_contexts)
        self.contexts = self.first // (self.n_candidates // n_contexts)
        self.right = (scores[self.first] > scores[self.second]).astype(float)

    def __len__(self) -> int:
        return len(self.first)


def sighted(accuracy: float) -> Judge:
    """Return a judge that is right with this chance in each answer, more often in some contexts than in others."""

    def answer(rng: np.random.Generator, asked: Questions) -> FloatArray:
        chances = rng.beta(SPREAD * accuracy, SPREAD * (1 - accuracy), len(asked.starts))
        is_right: BoolArray = rng.random(len(asked)) < chances[asked.contexts]
        return np.where(is_right, asked.right, 1 - asked.right)

    return answer


def blind(p_first: float) -> Judge:
    """Return a judge that looks at no text."""
    return lambda rng, asked: (rng.random(len(asked)) < p_first).astype(float)


JUDGES: Mapping[str, tuple[Judge, bool]] = {
    "fair": (sighted(ACCURACY), False),
    "fair, one order": (sighted(ACCURACY), True),
    "constant": (blind(1.0), False),
    "constant, one order": (blind(1.0), True),
    "always a tie": (lambda rng, asked: np.full(len(asked), 0.5), False),
    "random": (blind(0.5), False),
    "turned round": (sighted(1 - ACCURACY), False),
    "cyclic": (lambda rng, asked: asked.cycle, False),
    "biased": (blind(BIAS), False),
    "biased, one order": (blind(BIAS), True),
}
"""name -> how it answers, and whether it is asked in one order only."""


def finding(studies: int = STUDIES) -> list[dict[str, Any]]:
    """Return one row for each judge and design: the shares of studies in which each check fails and cannot tell."""
    return [
        row_of(name, pairs, contexts, studies)
        for name in JUDGES
        for pairs in PAIRS
        for contexts in CONTEXTS
        if pairs > 1 or name != "cyclic"
    ]


def row_of(name: str, pairs: int, contexts: int, studies: int) -> dict[str, Any]:
    """Measure one design."""
    rng = np.random.default_rng([list(JUDGES).index(name), pairs, contexts])
    found = [states_of(rng, name, pairs, contexts) for _ in range(studies)]
    failed_any = float(np.mean(["failed" in states.values() for states in found]))
    row: dict[str, Any] = {"judge": name, "pairs": pairs, "contexts": contexts, "any failed": round(failed_any, DIGITS)}
    for check in MEASURED:
        states = [one[check] for one in found]
        row[check] = {state: round(states.count(state) / studies, DIGITS) for state in STATES}
    return row


def states_of(rng: np.random.Generator, name: str, pairs: int, contexts: int) -> dict[str, str]:
    """Return the state of each check in one study."""
    judge, one_order = JUDGES[name]
    asked = Questions(rng, contexts, pairs, one_order=one_order)
    answers = Comparisons(asked.n_candidates, asked.first, asked.second, judge(rng, asked), asked.starts)
    run = CheckedRun(
        comparisons=answers,
        judged=Judged.of(answers, asked.right),
        order_agreement=order_agreement(answers),
        label_mass=Figure.missing("made up"),
        votes=Votes(answers.select(np.zeros(0, dtype=int)), np.zeros(0, dtype=int)),
        steering=np.zeros(asked.n_candidates, dtype=bool),
        answered=len(answers),
        unparsed=0,
        errors=0,
    )
    return {check: CHECKS[check].finding(run).state for check in MEASURED}


def main() -> None:
    path = Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in finding()) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
