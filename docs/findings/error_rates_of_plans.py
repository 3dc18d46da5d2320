"""Measure how often stopping when sure, the planner and cascades keep their promises, on made-up judges.

    python docs/findings/error_rates_of_plans.py [stopping] [plans] [power] [cascades] [before]

It writes error_rates_of_plans.json next to this file. With `before`, in an older checkout, it fills in those rates.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from evenhand.numerics import Comparisons
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.intervals import Spread
from evenhand.numerics.reliability.cascade import guaranteed_cascade
from evenhand.numerics.reliability.guaranteed_threshold import NoGuarantee
from evenhand.numerics.reliability.vote_planner import PilotPairs, plan_difference, plan_votes
from evenhand.numerics.selection.reorder_probability import FittedScores, fit_scores
from evenhand.numerics.selection.until_sure import replay_until_sure
from evenhand.numerics.significance.paired_tests import sign_flip_p_values

CANDIDATES, BOUNDS, CONTEXTS = (4, 8, 16), (0.2, 0.1, 0.05), 300
JUDGES = {
    "clear": (1.5, 0.5, 1.0, "probabilities"),
    "unclear": (0.4, 0.5, 1.0, "probabilities"),
    "overconfident": (8.0, 4.0, 8.0, "probabilities"),
    "noise, probabilities": (0.0, 0.0, 1.0, "probabilities"),
    "strong": (3.0, 0.0, 0.5, "choices"),
    "medium": (1.0, 0.0, 0.5, "choices"),
    "weak": (0.4, 0.0, 0.5, "choices"),
    "biased": (1.0, 1.5, 0.5, "choices"),
    "noise": (0.0, 0.0, 0.0, "choices"),
    "medium, no luck": (1.0, 0.0, 1.0, "likelier"),
    "biased, no luck": (1.0, 1.5, 1.0, "likelier"),
}
"""Name -> scale of quality, position bias and noise in the log-odds of an answer, and what the judge gives."""

WIDTH, PILOT_CONTEXTS, PAIRS = 0.12, 40, 3
PILOTS, PILOTS_OF_POWER, CAMPAIGNS, STUDIES = 24, 200, 30, 25
"""Pilots of each design, and campaigns or studies that are made up for each plan."""
FIRST_PILOTS = 10
"""Pilots whose plans and studies stand in a row by themselves, because computing them again takes a second."""
MORE_PILOTS = 300
AT_THE_LIMIT = {
    ("accuracy", "agreeing", 3, 3),
    ("accuracy", "agreeing", 2, 2),
    ("agreement", "usual", 3, 3),
    ("agreement", "agreeing", 3, 3),
}
"""Designs in which 2 % or more were wider with 24 pilots; they get more pilots."""
PEOPLE = {"usual": (4.0, 2.0, False), "agreeing": (8.0, 1.0, False)}
"""Name -> the beta distribution of the share of people who prefer the better one; whether a context has one share."""
VOTES = ((3, 1), (3, 2), (3, 3), (2, 2))
"""Votes on a pair of the pilot, and of the campaign."""
RIGHT = 0.7
GAPS = (0.05, 0.1)
"""Two judges prefer the better one in 70 % of pairs and in this much more; half of their answers have the same luck."""
PILOTS_OF_JUDGES = (("both", 12), ("both", PILOT_CONTEXTS), ("one", PILOT_CONTEXTS))
"""Judges of a pilot, and its contexts."""
ADVANTAGE = {1: 1 / 3, 3: 3 / 7}
"""Votes -> by how much more often people prefer the better one than the worse one, of the usual people."""
SKILLS, CASCADE_STUDIES = ((0.0, 0.0), (1.0,), (0.7, 2.0), (1.5, 1.5), (0.3, 1.0, 2.5)), 200
"""Judges of a cascade, by how far they see: 0 sees nothing. Studies of each design."""
DIGITS = 3


def stopping(contexts: int = CONTEXTS) -> Iterator[dict[str, Any]]:
    """Yield what each judge asks and what asking the rest would reorder, by number of candidates and bound."""
    for n in CANDIDATES:
        for place, judge in enumerate(JUDGES):
            rng = np.random.default_rng([n, place])
            rows = np.array([stopped(answers_of(judge, n, rng), seed) for seed in range(contexts)])
            for at, bound in enumerate(BOUNDS):
                asked, expected, reordered = (round(float(one), DIGITS) for one in rows[:, at].mean(axis=0))
                design = {"judge": judge, "candidates": n, "bound": bound}
                yield design | {"asked": asked, "expected": expected, "reordered": reordered}


def answers_of(judge: str, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw p_first of every ordered pair, (n, n); NaN on the diagonal."""
    scale, bias, noise, gives = JUDGES[judge]
    quality = rng.normal(size=n)
    logits = scale * (quality[:, None] - quality) + bias + noise * rng.normal(size=(n, n))
    luck = rng.random((n, n)) if gives == "choices" else 0.5
    answers = expit(logits) if gives == "probabilities" else (luck < expit(logits)).astype(np.float64)
    return np.where(np.eye(n, dtype=bool), np.nan, answers)


def stopped(answers: FloatArray, seed: int) -> list[tuple[float, float, float]]:
    """Return the share asked, and the expected and the real share of reordered pairs, at each bound."""
    complete, n = fit_scores(answers), len(answers)
    replayed = replay_until_sure(answers, bounds=BOUNDS, seed=(0, seed))
    rows = []
    for bound in BOUNDS:
        asked = np.full(answers.shape, np.nan)
        pairs = replayed.first[: replayed.stops[bound]], replayed.second[: replayed.stops[bound]]
        asked[pairs] = answers[pairs]
        share = replayed.stops[bound] / (n * (n - 1))
        rows.append((share, replayed.shares[bound], reordered_share(fit_scores(asked), complete)))
    return rows


def reordered_share(one: FittedScores | None, other: FittedScores | None) -> float:
    """Return the share of pairs that two fits order differently; a tie in one of them counts 1/2."""
    if one is None or other is None:
        return 1.0
    upper = np.triu_indices(len(one.scores), 1)
    signs = [np.sign((fit.scores[:, None] - fit.scores)[upper].round(9)) for fit in (one, other)]
    return float(np.abs(signs[0] - signs[1]).mean() / 2)


def plans() -> Iterator[dict[str, Any]]:
    """Yield how many contexts are planned and needed, and the share of planned campaigns with too wide intervals."""
    for figure in ("accuracy", "agreement"):
        for people in PEOPLE:
            for before, votes in VOTES:
                if figure == "accuracy" or min(before, votes) > 1:
                    pilots = range(MORE_PILOTS if (figure, people, before, votes) in AT_THE_LIMIT else PILOTS)
                    planned, wider = np.mean([planned_once(figure, people, before, votes, n) for n in pilots], axis=0)
                    yield {
                        "figure": figure,
                        "people": people,
                        "pilot_votes": before,
                        "votes": votes,
                        "pilots": len(pilots),
                        "planned": round(float(planned)),
                        "needed": needed(figure, people, votes),
                        "wider": round(float(wider), DIGITS),
                    }


def planned_once(figure: str, people: str, before: int, votes: int, seed: int) -> tuple[int, float]:
    """Plan from one pilot. Return the number of contexts, and the share of campaigns of this size that are too wide."""
    rng = np.random.default_rng([seed, before, votes])
    preferring, right = drawn_votes(people, PILOT_CONTEXTS, before, 1, rng)
    outcomes = np.stack([preferring[:, 0], np.zeros(len(right)), before - preferring[:, 0]], axis=1)
    outcomes = np.where(rng.random((len(right), 1)) < 0.5, outcomes, outcomes[:, ::-1])  # which has the lower number
    lower = (outcomes[:, 0] == preferring[:, 0]) == right[:, 0]
    credits = np.stack([lower, ~lower], axis=1).astype(np.float64)
    contexts = np.repeat(np.arange(PILOT_CONTEXTS), PAIRS)
    judge = (credits, np.ones(len(right))) if figure == "accuracy" else ()
    planned = plan_votes(PilotPairs(contexts, outcomes, *judge), width=WIDTH, votes_per_pair=votes).contexts
    return planned, too_wide(figure, people, planned, votes, CAMPAIGNS, rng)


def needed(figure: str, people: str, votes: int) -> int:
    """Return the least number of contexts that 98 of 100 campaigns need, from the truth; within 1 %."""
    low, high = 5, 2_000
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        rng = np.random.default_rng(7)
        low, high = (low, middle) if too_wide(figure, people, middle, votes, 600, rng) <= 0.02 else (middle, high)
    return high


def too_wide(figure: str, people: str, contexts: int, votes: int, campaigns: int, rng: np.random.Generator) -> float:
    """Return the share of made-up campaigns whose interval is wider than wanted."""
    preferring, right = drawn_votes(people, contexts, votes, campaigns, rng)
    couples = votes * (votes - 1) / 2
    against = votes - preferring
    credits = (preferring * (preferring - 1) + against * (against - 1)) / 2
    counted = np.full(credits.shape, couples)
    if figure == "accuracy":
        credits, counted = np.where(right, preferring > against, against > preferring), preferring != against
    sums = (one.reshape(contexts, PAIRS, campaigns).sum(axis=1).astype(np.float64) for one in (credits, counted))
    ends = Spread.of(*sums).wilson()
    return float(np.mean([low is None or high is None or high - low > WIDTH for low, high in ends]))


def drawn_votes(
    people: str, contexts: int, votes: int, campaigns: int, rng: np.random.Generator
) -> tuple[FloatArray, Any]:
    """Return the votes for the better candidate of each pair, (pairs, campaigns), and where the judge prefers it."""
    a, b, is_shared = PEOPLE[people]
    shape = (contexts * PAIRS, campaigns)
    share = np.repeat(rng.beta(a, b, (contexts, campaigns)), PAIRS, axis=0) if is_shared else rng.beta(a, b, shape)
    return rng.binomial(votes, share).astype(np.float64), rng.random(shape) < RIGHT


def power() -> Iterator[dict[str, Any]]:
    """Yield the share of studies of a planned size in which the sign-flip test finds the difference of two judges."""
    for gap in GAPS:
        for votes in (1, 3):
            for judges, size in PILOTS_OF_JUDGES:
                yield power_of(gap, votes, judges, size)


def power_of(gap: float, votes: int, judges: str, size: int, pilots: int = PILOTS_OF_POWER) -> dict[str, Any]:
    """Return the mean number of contexts that pilots of one kind plan, and the share of studies; of the first, too."""
    found = [found_once(gap, votes, judges, size, seed) for seed in range(pilots)]
    row = {"gap": gap, "votes": votes, "judges_of_pilot": judges, "pilot": size}
    return row | mean_plan(found) | {"first": mean_plan(found[:FIRST_PILOTS])}


def mean_plan(found: list[tuple[int, float]]) -> dict[str, float]:
    contexts, share = np.mean(found, axis=0)
    return {"contexts": round(float(contexts)), "found": round(float(share), DIGITS)}


def found_once(gap: float, votes: int, judges: str, size: int, seed: int) -> tuple[int, float]:
    """Plan from one pilot. Return the number of contexts, and the share of studies of this size with p below 0.05."""
    rng = np.random.default_rng([seed, votes, int(100 * gap)])
    for_lower, one, other = two_judges(gap, size, 1, votes, rng)
    outcomes = np.stack([for_lower[:, 0], np.zeros(len(one)), votes - for_lower[:, 0]], axis=1)
    credits = np.stack([one[:, 0], 1 - one[:, 0]], axis=1) - (
        np.stack([other[:, 0], 1 - other[:, 0]], axis=1) if judges == "both" else 0.0
    )
    pilot = PilotPairs(
        np.repeat(np.arange(size), PAIRS), outcomes, credits, np.ones(len(one)), is_difference=judges == "both"
    )
    contexts = plan_difference(pilot, difference=gap * ADVANTAGE[votes], votes_per_pair=votes).contexts
    gaps, _ = gaps_of(*two_judges(gap, contexts, STUDIES, votes, rng), votes)
    return contexts, float((sign_flip_p_values(gaps.T, permutations=2_000) < 0.05).mean())


def two_judges(
    gap: float, contexts: int, studies: int, votes: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the votes for the lower candidate of each pair, and whether each judge prefers it, (pairs, studies)."""
    preferring, _ = drawn_votes("usual", contexts, votes, studies, rng)
    luck, own, coin = rng.random((3, *preferring.shape))
    other_luck = np.where(rng.random(luck.shape) < 0.5, luck, own)
    is_lower = coin < 0.5
    one, other = ((luck < RIGHT + gap) == is_lower), ((other_luck < RIGHT) == is_lower)
    return np.where(is_lower, preferring, votes - preferring), one.astype(float), other.astype(float)


def gaps_of(for_lower: FloatArray, one: FloatArray, other: FloatArray, votes: int) -> tuple[FloatArray, FloatArray]:
    """Return the difference of the right answers in each context, and the number of pairs that count."""
    side = np.sign(2 * for_lower - votes)
    shape = (-1, PAIRS, for_lower.shape[1])
    return ((one - other) * side).reshape(shape).sum(axis=1), np.abs(side).reshape(shape).sum(axis=1)


def cascades() -> Iterator[dict[str, Any]]:
    """Yield how often errors on new contexts exceed the promised share, for several judges, contexts and shares."""
    for at in range(len(SKILLS)):
        for contexts in (60, 200):
            for alpha in (0.1, 0.2):
                yield cascade_row(at, contexts, alpha)


def cascade_row(at: int, contexts: int, alpha: float) -> dict[str, Any]:
    """Measure one design.

    granted: studies with a guarantee. broken: of all studies, those whose cascade errs more on 10,000 new contexts.
    """
    new = judged_pairs(np.random.default_rng([at, 8]), SKILLS[at], 10_000)
    rng = np.random.default_rng([at, contexts, int(100 * alpha)])
    errors = [cascade_error(judged_pairs(rng, SKILLS[at], contexts), new, alpha) for _ in range(CASCADE_STUDIES)]
    granted = [one for one in errors if one is not None]
    row = {"skills": " then ".join(map(str, SKILLS[at])), "contexts": contexts, "alpha": alpha}
    shares = len(granted) / CASCADE_STUDIES, sum(one > alpha for one in granted) / CASCADE_STUDIES
    return row | {"granted": round(shares[0], DIGITS), "broken": round(shares[1], DIGITS)}


Judged = tuple[Comparisons, FloatArray, FloatArray]
"""Comparisons, each judge's probabilities, and people's preferences."""


def judged_pairs(rng: np.random.Generator, skills: tuple[float, ...], contexts: int) -> Judged:
    """Let judges answer five pairs of two texts in each context. Some contexts are easier than others."""
    n, rows = 5 * contexts, np.repeat(np.arange(contexts), 5)
    right = rng.integers(0, 2, n).astype(float)
    signal = (2 * right - 1) * np.exp(rng.normal(0, 0.7, contexts))[rows]
    p_first = np.stack([expit(2 * (skill * signal + rng.normal(size=n))) for skill in skills])
    return (
        Comparisons(2 * n, 2 * np.arange(n), 2 * np.arange(n) + 1, p_first[0], 10 * np.arange(contexts)),
        p_first,
        right,
    )


def cascade_error(study: Judged, new: Judged, alpha: float) -> float | None:
    """Return the share of errors among the answers of judges on new contexts; None without a guarantee."""
    try:
        found = guaranteed_cascade(*study, alpha=alpha, confidence=0.95)
    except NoGuarantee:
        return None
    _, p_first, right = new
    sure = np.abs(p_first - 0.5) >= found.sureness[:, None]
    wrong = ((p_first > 0.5) != right)[sure.argmax(axis=0), np.arange(len(right))]
    return float(wrong[sure.any(axis=0)].mean())


PARTS = {"stopping": stopping, "plans": plans, "power": power, "cascades": cascades}


def main() -> None:
    path = Path(__file__).with_suffix(".json")
    names = [one for one in sys.argv[1:] if one in PARTS] or list(PARTS)
    kept = json.loads(path.read_text()) if path.exists() else {}
    suffix = "_before" if "before" in sys.argv else ""
    kept |= {name + suffix: list(PARTS[name]()) for name in names}
    parts = [f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for name, rows in kept.items()]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
