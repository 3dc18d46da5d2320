"""Judges made up with known faults, and in how many studies of them each trust check speaks."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from evenhand.numerics.accuracy import order_agreement
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.counted_comparisons import Judged
from evenhand.numerics.figure import Figure
from evenhand.numerics.reliability.trust.trust_checks import CHECKS
from evenhand.numerics.reliability.trust.trust_findings import CheckedRun
from evenhand.numerics.votes import Votes

FAIR_ACCURACY, SPREAD, BIAS = 0.75, 10.0, 0.77
"""Contexts differ: the chance of a right answer follows a beta distribution with this sum of its parameters."""
_DIGITS = 3
MEASURED_CHECKS = ("varied-answers", "better-than-constant", "order-beyond-position", "both-orders")
_STATES = ("failed", "cannot tell", "passed")
AnswerQuestions = Callable[[np.random.Generator, "Questions"], FloatArray]


class Questions:
    """Pairs of texts as shown, each in both orders unless one_order. From three pairs on, they are of three texts.

    texts: that are compared with each other; the place among them is the system. contexts: of each pair.
    right: 1 where people prefer the first.
    cycle: 1 where the first beats the second in a cycle of three texts, whose direction is random.
    """

    def __init__(self, rng: np.random.Generator, n_contexts: int, pairs: int, *, one_order: bool) -> None:
        texts = self.texts = 2 if pairs == 1 else 3
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


def sighted(accuracy: float) -> AnswerQuestions:
    """Return a judge that is right with this chance in each answer, more often in some contexts than in others."""

    def answer(rng: np.random.Generator, asked: Questions) -> FloatArray:
        chances = rng.beta(SPREAD * accuracy, SPREAD * (1 - accuracy), len(asked.starts))
        is_right: BoolArray = rng.random(len(asked)) < chances[asked.contexts]
        return np.where(is_right, asked.right, 1 - asked.right)

    return answer


def blind(p_first: float) -> AnswerQuestions:
    """Return a judge that looks at no text."""
    return lambda rng, asked: (rng.random(len(asked)) < p_first).astype(float)


MADE_UP_JUDGES: Mapping[str, tuple[AnswerQuestions, bool]] = {
    "fair": (sighted(FAIR_ACCURACY), False),
    "fair, one order": (sighted(FAIR_ACCURACY), True),
    "constant": (blind(1.0), False),
    "constant, one order": (blind(1.0), True),
    "always a tie": (lambda rng, asked: np.full(len(asked), 0.5), False),
    "random": (blind(0.5), False),
    "turned round": (sighted(1 - FAIR_ACCURACY), False),
    "cyclic": (lambda rng, asked: asked.cycle, False),
    "biased": (blind(BIAS), False),
    "biased, one order": (blind(BIAS), True),
}
"""name -> how it answers, and whether it is asked in one order only."""


def measured_row(name: str, pairs: int, contexts: int, studies: int) -> dict[str, Any]:
    """Measure one design."""
    rng = np.random.default_rng([list(MADE_UP_JUDGES).index(name), pairs, contexts])
    found = [_states_of(rng, name, pairs, contexts) for _ in range(studies)]
    failed_any = float(np.mean(["failed" in states.values() for states in found]))
    row: dict[str, Any] = {
        "judge": name,
        "pairs": pairs,
        "contexts": contexts,
        "any failed": round(failed_any, _DIGITS),
    }
    for check in MEASURED_CHECKS:
        states = [one[check] for one in found]
        row[check] = {state: round(states.count(state) / studies, _DIGITS) for state in _STATES}
    return row


def _states_of(rng: np.random.Generator, name: str, pairs: int, contexts: int) -> dict[str, str]:
    """Return the state of each check in one study."""
    return check_states(*one_study(rng, *MADE_UP_JUDGES[name], pairs, contexts))


def one_study(
    rng: np.random.Generator, judge: AnswerQuestions, one_order: bool, pairs: int, contexts: int
) -> tuple[Comparisons, FloatArray]:
    """Let a judge answer made-up questions. Returns its answers, and 1 where people prefer the first."""
    asked = Questions(rng, contexts, pairs, one_order=one_order)
    answers = Comparisons(asked.n_candidates, asked.first, asked.second, judge(rng, asked), asked.starts)
    return answers, asked.right


def check_states(answers: Comparisons, right: FloatArray) -> dict[str, str]:
    run = CheckedRun(
        comparisons=answers,
        judged=Judged.of(answers, right),
        order_agreement=order_agreement(answers),
        label_mass=Figure.missing("made up"),
        votes=Votes(answers.select(np.zeros(0, dtype=int)), np.zeros(0, dtype=int)),
        steering=np.zeros(answers.n_candidates, dtype=bool),
        answered=len(answers),
        unparsed=0,
        errors=0,
    )
    return {check: CHECKS[check].finding(run).state for check in MEASURED_CHECKS}
