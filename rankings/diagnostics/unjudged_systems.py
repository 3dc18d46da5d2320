"""Win rates of systems that no person judged, by the calibrated judge of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.numerics import Comparisons, Figure, OrderedPairs, Undefined, human_preferences
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.decisions import are_choices
from evenhand.numerics.reliability.unjudged_systems import HalfWidth, SystemScores, half_width, system_scores
from judging.models import Run
from rankings.diagnostics.calibration import HARD_ANSWERS, NO_ANSWERED_COMPARISON
from rankings.diagnostics.diagnostics_row import UnjudgedSystem, UnjudgedSystems
from rankings.diagnostics.prediction_powered import MOST_SYSTEMS, NO_SYSTEMS
from rankings.loading import CandidateTable, People

SYSTEMS_OF_95 = 19
LEARNED = "the jury’s weights were learned from people’s answers on all systems; see the diagnostics of its members"


def unjudged_systems(run: Run, table: CandidateTable, people: People, judge: Comparisons) -> UnjudgedSystems:
    """Return the half width of intervals of win rates, and the win rates of systems that no person judged."""
    judge = judge.known()
    numbers = table.system_numbers
    first, second = numbers[judge.first], numbers[judge.second]
    pairs = (first >= 0) & (second >= 0) & (first != second)
    compared, sides = np.unique(np.concatenate([first[pairs], second[pairs]]), return_inverse=True)
    names = [list(dict.fromkeys(table.systems))[number] for number in compared]
    if why := _why_none(run, judge, names):
        return undefined_systems(why)
    judge = judge.select(pairs)
    preferences = human_preferences(judge, people.human.scores, people.votes)
    outcomes = _with_ties(judge, people, preferences)
    try:
        found = system_scores(judge, OrderedPairs(*np.split(sides, 2)), preferences, outcomes, n_systems=len(names))
    except Undefined as undefined:
        return undefined_systems(undefined.reason)
    half = half_width(found.residuals)
    n = len(found.residuals)
    return UnjudgedSystems(Figure(half.value, n=n), Figure(half.level), list(_unjudged(found, half, names, n)))


def undefined_systems(why: str) -> UnjudgedSystems:
    """Return the block without a figure."""
    return UnjudgedSystems(Figure.missing(why, n=0), Figure.missing(why), [])


def _why_none(run: Run, judge: Comparisons, systems: Sequence[str]) -> str:
    if not len(judge):
        return NO_ANSWERED_COMPARISON
    if are_choices(judge.p_first):
        return HARD_ANSWERS
    if run.has_learned_weights:
        return LEARNED
    if len(systems) > MOST_SYSTEMS:
        return f"residuals are computed for at most {MOST_SYSTEMS} systems, not {len(systems)}"
    return NO_SYSTEMS if len(systems) < 2 else ""


def _with_ties(judge: Comparisons, people: People, preferences: FloatArray) -> FloatArray:
    """Return people's preferences, and 1/2 where they see a tie."""
    scored = ~np.isnan(people.human.scores[judge.first] - people.human.scores[judge.second])
    seen = scored | np.isin(judge.pair_keys, people.votes.comparisons.pair_keys)
    return np.where(seen & np.isnan(preferences), 0.5, preferences)


def _unjudged(found: SystemScores, half: HalfWidth, names: Sequence[str], n: int) -> Iterator[UnjudgedSystem]:
    for system in np.flatnonzero(np.isnan(found.people)).tolist():
        share = float(found.judge[system])
        figure = Figure(share, max(share - half.value, 0), min(share + half.value, 1), int(found.counted[system]))
        if not half.is_enough:
            why = f"a 95 % interval needs {SYSTEMS_OF_95} systems that people judged, not {n}"
            figure = replace(figure, low=None, high=None, undefined=why)
        yield UnjudgedSystem(names[system], figure)
