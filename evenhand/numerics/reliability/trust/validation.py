"""How often analyses speak of a planted fault, and of a fair judge, on judges made up with known truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from evenhand.numerics.accuracy import context_credits
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_share, share_figure
from evenhand.numerics.reliability.trust.made_up_judges import (
    BIAS,
    FAIR_ACCURACY,
    MADE_UP_JUDGES,
    MEASURED_CHECKS,
    SPREAD,
    AnswerQuestions,
    Questions,
    check_states,
    one_study,
)
from evenhand.numerics.significance.kinds import kind_accuracies
from evenhand.options import Option
from evenhand.refusals import Refused

_KINDS, _NULL_PAIRS = "kinds", "null-pairs"
VALIDATED_ANALYSES = (*MEASURED_CHECKS, _KINDS, _NULL_PAIRS)
WEAKNESS, LEVEL = 0.2, 0.05
"""The accuracy of the weak judge lies this far above and below that of a fair one; level of all tests."""
P_FIRST_OF_EQUALS = {"constant": 1.0, "constant, one order": 1.0, "biased": BIAS, "biased, one order": BIAS}
"""Judge -> its chance to choose the first of two equal texts; else one half."""


def weak_on_one_kind(rng: np.random.Generator, asked: Questions) -> FloatArray:
    """Answer like a judge that is right more often in every second context than in the others."""
    accuracies = np.where(np.arange(len(asked.starts)) % 2, FAIR_ACCURACY + WEAKNESS, FAIR_ACCURACY - WEAKNESS)
    chances = rng.beta(SPREAD * accuracies, SPREAD * (1 - accuracies))
    return np.where(rng.random(len(asked)) < chances[asked.contexts], asked.right, 1 - asked.right)


VALIDATED: Mapping[str, tuple[AnswerQuestions, bool]] = {
    **MADE_UP_JUDGES,
    "weak on one kind": (weak_on_one_kind, False),
}


@dataclass(frozen=True, slots=True)
class ValidatedJudge:
    """A made-up judge. spoke: analysis -> share of studies in which it spoke of a fault, with its 95 % interval."""

    judge: str
    is_fair: bool
    spoke: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class Validation:
    """The made-up judges of one design. holds: no analysis speaks of a fair judge in more than 5 % of studies.

    An excess that chance explains counts as none: the interval must lie above 5 %.
    """

    contexts: int
    pairs: int
    studies: int
    judges: list[ValidatedJudge]
    holds: bool


def validate(
    *,
    contexts: Annotated[int, Option("Contexts of each study.", low=3, high=1_000)] = 20,
    pairs: Annotated[int, Option("Pairs of a context: 1, or a multiple of 3.", low=1, high=300)] = 3,
    studies: Annotated[int, Option("Studies of each judge.", low=20, high=10_000)] = 100,
) -> Validation:
    """Print how often trust checks, kinds and null pairs speak of faults that were planted, and of fair judges.

    A check speaks where it fails, kinds where Holm's p-value is below 0.05, null pairs where the interval of P(first)
    leaves out one half. Judges are those of made_up_judges.py; the first studies equal those of the published table.
    Raises Refused for another number of pairs.
    """
    if pairs > 1 and pairs % 3:
        raise Refused(f"pairs: {pairs} — give 1, or a multiple of 3")
    judges = [_validated(name, contexts, pairs, studies) for name in VALIDATED if pairs > 1 or name != "cyclic"]
    alarms = [share for one in judges if one.is_fair for share in one.spoke.values()]
    return Validation(contexts, pairs, studies, judges, all((share.low or 0) <= LEVEL for share in alarms))


def _validated(name: str, contexts: int, pairs: int, studies: int) -> ValidatedJudge:
    number = list(VALIDATED).index(name)
    rng, further = np.random.default_rng([number, pairs, contexts]), np.random.default_rng([number, pairs, contexts, 1])
    spoken = [_spoken(rng, further, name, contexts, pairs) for _ in range(studies)]
    counted = {analysis: np.array([float(one[analysis]) for one in spoken]) for analysis in VALIDATED_ANALYSES}
    shares = {
        analysis: share_figure(found, np.ones(studies), if_empty="no study was made")
        for analysis, found in counted.items()
    }
    return ValidatedJudge(name, name.startswith("fair"), shares)


def _spoken(
    rng: np.random.Generator, further: np.random.Generator, name: str, contexts: int, pairs: int
) -> dict[str, bool]:
    """Return analysis -> whether it speaks of a fault in one study."""
    answers, right = one_study(rng, *VALIDATED[name], pairs, contexts)
    states = {check: state == "failed" for check, state in check_states(answers, right).items()}
    equal = further.random(answers.n_candidates) < P_FIRST_OF_EQUALS.get(name, 0.5)
    return states | {_KINDS: _finds_kinds(answers, right), _NULL_PAIRS: _leans(answers, equal.astype(float), name)}


def _finds_kinds(answers: Comparisons, right: FloatArray) -> bool:
    correct, counted = context_credits(answers, right)
    kinds = np.arange(answers.n_contexts) % 2
    found = kind_accuracies(correct, counted, kinds, 2, if_empty="no comparison counts")
    return any(one.p_value_holm is not None and one.p_value_holm < LEVEL for one in found)


def _leans(answers: Comparisons, p_first: FloatArray, name: str) -> bool:
    """Return True if the interval of P(first) on each text beside itself leaves out one half."""
    contexts = np.searchsorted(answers.starts, np.arange(answers.n_candidates), side="right") - 1
    chosen = np.full(len(p_first), 0.5) if name == "always a tie" else p_first
    share = pooled_share(contexts, chosen, answers.n_contexts, if_empty="no text")
    return share.low is not None and share.high is not None and not share.low <= 0.5 <= share.high
