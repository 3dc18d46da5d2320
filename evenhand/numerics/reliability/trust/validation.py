"""How often analyses speak of a planted fault, and of a fair judge, on judges made up with known truth."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np
from scipy.special import expit

from evenhand.numerics.accuracy import accuracy, context_credits
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import value_or_why
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_share, share_figure
from evenhand.numerics.reliability.cascade import guaranteed_cascade
from evenhand.numerics.reliability.guaranteed_threshold import NoGuarantee
from evenhand.numerics.reliability.judge_errors import DecidedPairs, judge_errors
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
    sighted,
)
from evenhand.numerics.reliability.unjudged_systems import half_width, system_scores
from evenhand.numerics.selection.pair_selection import OrderedPairs
from evenhand.numerics.significance.kinds import kind_accuracies
from evenhand.numerics.significance.separation import separate
from evenhand.options import Option
from evenhand.refusals import Refused

_FURTHER = ("kinds", "null-pairs", "gate", "separation", "rogan-gladen", "cascade")
_UNJUDGED = "unjudged-systems"
VALIDATED_ANALYSES = (*MEASURED_CHECKS, *_FURTHER, _UNJUDGED)
KEEN_ACCURACY, GRANTED_ERRORS, LIKING = 0.97, 0.2, 2.0
"""A cascade is asked for errors that a keen judge keeps and a fair one does not. The favour for a system, in nats."""
JUDGED_SYSTEMS, NOT_MEASURED = 19, "only a fair judge and one with a favourite meet a new system"
WEAKNESS, LEVEL = 0.2, 0.05
"""The accuracy of the weak judge lies this far above and below that of a fair one; level of all tests."""
P_FIRST_OF_EQUALS = {"constant": 1.0, "constant, one order": 1.0, "biased": BIAS, "biased, one order": BIAS}
"""Judge -> its chance to choose the first of two equal texts; else one half."""


def weak_on_one_kind(rng: np.random.Generator, asked: Questions) -> FloatArray:
    """Answer like a judge that is right more often in every second context than in the others."""
    accuracies = np.where(np.arange(len(asked.starts)) % 2, FAIR_ACCURACY + WEAKNESS, FAIR_ACCURACY - WEAKNESS)
    chances = rng.beta(SPREAD * accuracies, SPREAD * (1 - accuracies))
    return np.where(rng.random(len(asked)) < chances[asked.contexts], asked.right, 1 - asked.right)


def with_a_favourite(rng: np.random.Generator, asked: Questions) -> FloatArray:
    """Answer like a fair judge that prefers the texts of one system whenever it meets them, in three of four cases."""
    first, second = asked.first % asked.texts, asked.second % asked.texts
    favourite = np.where(first == 0, 1.0, np.where(second == 0, 0.0, np.nan))
    fair = sighted(FAIR_ACCURACY)(rng, asked)
    return np.where(~np.isnan(favourite) & (rng.random(len(asked)) < 0.75), favourite, fair)


VALIDATED: Mapping[str, tuple[AnswerQuestions, bool]] = {
    **MADE_UP_JUDGES,
    "weak on one kind": (weak_on_one_kind, False),
    "with a favourite": (with_a_favourite, False),
    "keen": (sighted(KEEN_ACCURACY), False),
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
    """Print how often analyses speak of faults that were planted, and of fair judges.

    A check speaks where it fails, kinds where Holm's p-value is below 0.05, null pairs where the interval of P(first)
    leaves out one half, the gate where an accuracy of a fair judge is not reached, separation where equal systems are
    called apart, the rate of Rogan and Gladen where it leaves out the judge's own, a cascade where it grants fewer
    errors than a fair judge makes, and the interval of an unjudged system where it leaves out people's rate.
    Judges are those of made_up_judges.py; the first studies equal those of the published table.
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
    counted = {analysis: np.array([float(one[analysis]) for one in spoken]) for analysis in VALIDATED_ANALYSES[:-1]}
    shares = {
        analysis: share_figure(found, np.ones(studies), if_empty="no study was made")
        for analysis, found in counted.items()
    }
    shares[_UNJUDGED] = _missed_systems(further, name, contexts, studies)
    return ValidatedJudge(name, name.startswith("fair"), shares)


def _spoken(
    rng: np.random.Generator, further: np.random.Generator, name: str, contexts: int, pairs: int
) -> dict[str, bool]:
    """Return analysis -> whether it speaks of a fault in one study."""
    answers, right = one_study(rng, *VALIDATED[name], pairs, contexts)
    states = {check: state == "failed" for check, state in check_states(answers, right).items()}
    equal = further.random(answers.n_candidates) < P_FIRST_OF_EQUALS.get(name, 0.5)
    rate = accuracy(answers, right)
    systems = OrderedPairs(answers.first % (2 if pairs == 1 else 3), answers.second % (2 if pairs == 1 else 3))
    further_found = (
        _finds_kinds(answers, right),
        _leans(answers, equal.astype(float), name),
        rate.high is not None and rate.high < FAIR_ACCURACY,
        _separates(answers, systems),
        _corrects(answers, right, systems),
        _grants(answers, right),
    )
    return states | dict(zip(_FURTHER, further_found, strict=True))


def _separates(answers: Comparisons, systems: OrderedPairs) -> bool:
    compared = Comparisons(int(systems.second.max()) + 1, systems.first, systems.second, answers.p_first)
    found = value_or_why(lambda: separate(compared, answers.contexts))
    return not isinstance(found, str) and bool(found.apart.any())


def _corrects(answers: Comparisons, right: FloatArray, systems: OrderedPairs) -> bool:
    """Return True if the corrected win rate of the first system leaves out the judge's own."""
    own, is_first = (systems.first == 0) | (systems.second == 0), systems.first == 0
    human, judge = (np.where(is_first, one, 1 - one)[own] for one in (right, decide(answers.p_first)))
    errors = judge_errors(DecidedPairs(human, judge, np.ones(len(human), dtype=bool), answers.contexts[own]))
    alone, rate = errors.judge_alone.value, errors.rogan_gladen
    return alone is not None and rate.low is not None and rate.high is not None and not rate.low <= alone <= rate.high


def _grants(answers: Comparisons, right: FloatArray) -> bool:
    try:
        guaranteed_cascade(answers, answers.p_first[None], right, alpha=GRANTED_ERRORS, confidence=1 - LEVEL)
    except NoGuarantee:
        return False
    return True


def _missed_systems(rng: np.random.Generator, name: str, contexts: int, studies: int) -> Figure:
    """Return how often the interval of a system that no person judged leaves out people's win rate of it.

    A judge compares 20 systems; the one with a favourite likes the new one.
    """
    if name not in ("fair", "with a favourite"):
        return Figure.missing(NOT_MEASURED)
    liking = LIKING if name == "with a favourite" else 0.0
    missed = np.array([_misses(rng, contexts, liking) for _ in range(studies)], dtype=float)
    return share_figure(missed, np.ones(studies), if_empty="no study was made")


def _misses(rng: np.random.Generator, contexts: int, liking: float) -> bool:
    n, strengths = JUDGED_SYSTEMS + 1, rng.normal(size=JUDGED_SYSTEMS + 1)
    first, second = np.tile(np.array(list(combinations(range(n), 2))), (contexts, 1)).T
    texts, starts = n * np.repeat(np.arange(contexts), n * (n - 1) // 2), n * np.arange(contexts)
    gaps, likes = strengths[first] - strengths[second], liking * ((first == n - 1) * 1.0 - (second == n - 1))
    outcomes = (rng.random(len(gaps)) < expit(gaps)).astype(float)
    p_first = expit(gaps + likes + rng.normal(size=len(gaps)))
    seen = np.where(second < n - 1, outcomes, np.nan)
    answers = Comparisons(n * contexts, first + texts, second + texts, p_first, starts)
    found = system_scores(answers, OrderedPairs(first, second), seen, seen, n_systems=n)
    people = 1 - outcomes[second == n - 1].mean()
    return bool(abs(people - found.judge[-1]) > half_width(found.residuals).value)


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
