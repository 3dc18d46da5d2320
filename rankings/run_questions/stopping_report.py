"""Savings of a run that stops, or could have stopped, when it is sure (docs/reference/stopping.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from evenhand.numerics import Comparisons, Figure, HumanScores, Scores, score
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.correlation.correlations import ALL_SKIPPED, matched_candidates, spearman_within_contexts
from evenhand.numerics.figure import IntervalFigure, PlainFigure, defined
from evenhand.numerics.intervals import mean_coefficient
from evenhand.numerics.selection.replayed_runs import ReplayedRun, expected_shares, reordered_shares, replay_run
from evenhand.numerics.selection.until_sure import MOST_CANDIDATES_UNTIL_SURE, UNTIL_SURE
from evenhand.numerics.significance.paired_tests import JudgeDifference, coefficient_gaps, paired_differences
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Run
from rankings.agreement.raters import recorded_contexts
from rankings.loading import Answers
from rankings.record_states import states_of
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources, why_nothing_compared
from rankings.report.run_names import RunName
from rankings.report_cache import cached

STOPPING_RANKING = "poe-gaussian"
"""The ranking whose model decides when to stop."""


@dataclass(frozen=True)
class StoppedAtBound:
    """The replays of a run to one bound. Means over contexts and draws."""

    bound: float
    comparisons: Annotated[float, Help("Asked per context.")]
    asked: Annotated[float, Help("Share of the run's answers that was asked.")]
    expected: Annotated[PlainFigure, Help("Expected share of reordered pairs of candidates at the end.")]
    reordered: Annotated[PlainFigure, Help("Share of pairs of candidates that all answers order differently.")]
    spearman: Annotated[PlainFigure, Help("Correlation per context with people, from the answers asked.")]
    difference: Annotated[IntervalFigure, Help("This correlation minus that of all answers.")]


@dataclass(frozen=True)
class StoppedRun:
    """A run that stopped when sure. Comparisons include those without an answer."""

    bound: float
    comparisons: int
    possible: Annotated[int, Help("Comparisons without a bound.")]
    contexts: int
    stopped_early: Annotated[int, Help("Contexts that ended with pairs left to ask.")]
    expected: Annotated[PlainFigure, Help("Expected share of reordered pairs of candidates, mean over contexts.")]


@dataclass(frozen=True)
class StoppingReport:
    """Savings by stopping when sure. ranking: by which candidates are ordered."""

    name: Flat[RunName]
    ranking: str
    contexts: int
    comparisons: Annotated[int, Help("Answers of the run.")]
    draws: int
    seed: int
    spearman: Annotated[IntervalFigure, Help("Correlation per context with people, from all answers.")]
    bounds: list[StoppedAtBound]
    stopped: Annotated[IfAny[StoppedRun], Help("Of runs that stopped when sure, which have no replays.")] = None


def stopping_report(
    run: Run,
    answers: ReportChoice = USUAL_CHOICE,
    *,
    bound: Annotated[
        tuple[float, ...],
        Option("Expected share of reordered pairs at which a context ends.", "Bounds", above=0, below=0.5, most=10),
    ] = (0.1, 0.05, 0.02),
    draws: Annotated[int, Option("Replays with other seeds.", "Replays", low=1, high=50)] = 3,
    seed: Annotated[int, Option("Seed of the first replay.", low=0)] = 0,
) -> StoppingReport:
    """Replay a run with the selection until-sure: what stopping at each bound would save, and what it would cost in
    correlation. For a run that stopped when sure, say what it saved.

    Raises Refused for a run that gives scores, that has no answer, or whose contexts are too large.
    """
    if run.is_scoring:
        raise Refused(f"run: {run.pk} gives scores; it asks no pairs that could be left out")
    key = ("stopping", states_of([run])[run.pk], run.status, bound, draws, seed, answers)
    return cached(key, lambda: _report(run, answers, bound, range(seed, seed + draws)))


def _report(run: Run, choice: ReportChoice, bounds: tuple[float, ...], seeds: range) -> StoppingReport:
    sources = Sources.of_run(run, choice)
    answers = sources.answers(run)
    comparisons = answers.comparisons
    _require_replayable(run, comparisons)
    human = sources.people(run.attribute).human
    complete = score(STOPPING_RANKING, comparisons)
    within = _within(complete, comparisons, human)
    candidates = matched_candidates(complete, human, comparisons.n_contexts)
    has_stopped = run.selection == UNTIL_SURE
    return StoppingReport(
        name=RunName.of(run),
        ranking=STOPPING_RANKING,
        contexts=len(np.unique(comparisons.contexts)),
        comparisons=len(comparisons),
        draws=len(seeds),
        seed=seeds.start,
        spearman=mean_coefficient(within, candidates, if_empty=ALL_SKIPPED),
        bounds=[] if has_stopped else _replayed(comparisons, human, complete, within, bounds, seeds),
        stopped=_stopped(run, answers) if has_stopped else None,
    )


def _require_replayable(run: Run, comparisons: Comparisons) -> None:
    if not len(comparisons):
        raise Refused(why_nothing_compared(run))
    largest = int(np.bincount(comparisons.candidate_contexts).max())
    if largest > MOST_CANDIDATES_UNTIL_SURE:
        raise Refused(
            f"run: {run.pk} has a context of {largest} candidates; this takes up to {MOST_CANDIDATES_UNTIL_SURE}"
        )


def _replayed(
    comparisons: Comparisons,
    human: HumanScores,
    complete: Scores,
    within: FloatArray,
    chosen: tuple[float, ...],
    seeds: range,
) -> list[StoppedAtBound]:
    bounds = sorted(chosen, reverse=True)
    draws = [replay_run(comparisons, bounds=bounds, seed=seed) for seed in seeds]
    return [_at_bound(bound, [draw[bound] for draw in draws], comparisons, human, complete, within) for bound in bounds]


def _at_bound(
    bound: float,
    replays: Sequence[ReplayedRun],
    comparisons: Comparisons,
    human: HumanScores,
    complete: Scores,
    within: FloatArray,
) -> StoppedAtBound:
    scores = [score(STOPPING_RANKING, replay.asked) for replay in replays]
    own = np.mean([_within(one, comparisons, human) for one in scores], axis=0)
    changed = [reordered_shares(one.values, complete.values, comparisons.starts) for one in scores]
    asked = np.mean([len(replay.asked) for replay in replays])
    candidates = matched_candidates(complete, human, comparisons.n_contexts)
    [difference] = paired_differences([coefficient_gaps(own, within, candidates)])
    mean = mean_coefficient(own, candidates, if_empty=ALL_SKIPPED)
    return StoppedAtBound(
        bound=bound,
        comparisons=float(asked / len(np.unique(comparisons.contexts))),
        asked=float(asked / len(comparisons)),
        expected=_mean(np.mean([replay.expected for replay in replays], axis=0)),
        reordered=_mean(np.mean(changed, axis=0)),
        spearman=Figure(mean.value, undefined=mean.undefined if mean.value is None else None),
        difference=_figure(difference),
    )


def _figure(difference: JudgeDifference) -> Figure:
    if difference.value is None:
        return Figure.missing(ALL_SKIPPED, n=0)
    return Figure(difference.value, difference.low, difference.high, difference.n, difference.undefined)


def _within(scores: Scores, comparisons: Comparisons, human: HumanScores) -> FloatArray:
    """Return Spearman's correlation of each context, (n_contexts,); NaN where it does not count."""
    if np.isnan(human.scores).all():
        return np.full(comparisons.n_contexts, np.nan)
    return spearman_within_contexts(scores, human, recorded_contexts(comparisons))


def _mean(values: FloatArray) -> Figure:
    known = values[~np.isnan(values)]
    return Figure(float(known.mean())) if len(known) else Figure.missing("no context has two candidates")


def _stopped(run: Run, answers: Answers) -> StoppedRun:
    """Count what a run asked, and what it could have asked."""
    sizes = np.bincount(answers.comparisons.candidate_contexts, minlength=answers.comparisons.n_contexts)
    asked, possible = answers.outcomes.sum(axis=1), sizes * (sizes - 1)
    if run.comparisons_per_context is not None:
        possible = np.minimum(possible, run.comparisons_per_context)
    was_asked = asked > 0
    return StoppedRun(
        bound=defined(run.bound),
        comparisons=int(asked.sum()),
        possible=int(possible[was_asked].sum()),
        contexts=int(was_asked.sum()),
        stopped_early=int((asked < possible)[was_asked].sum()),
        expected=_mean(expected_shares(answers.comparisons)),
    )
