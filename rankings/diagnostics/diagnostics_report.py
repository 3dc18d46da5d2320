"""The diagnostics of a run: calibration, consistency, raters' fit, reliability, prediction-powered estimates.

docs/reference/diagnostics.md defines each number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
from django.db.models import prefetch_related_objects

from evenhand.numerics import RANKINGS, Comparisons, Figure, Undefined
from evenhand.numerics.decisions import are_choices
from evenhand.numerics.rankings.bradley_terry import bradley_terry
from evenhand.numerics.reliability.consistency import Triads, transitivity, triads
from evenhand.numerics.reliability.fit_statistics import (
    Misfit,
    misfit,
    separation_index,
    separation_reliability,
    split_half_reliabilities,
)
from evenhand.numerics.reliability.vote_planner import USUAL_WIDTH
from evenhand.numerics.shared_draws import shared_draws
from evenhand.options import Option
from judging.models import NOTHING_LEFT_OUT, Exclusion, Run
from judging.models.runs import RunQuerySet
from rankings.agreement.raters import Rater, pairs_of, raters_of
from rankings.diagnostics.calibration import NO_PROBABILITY, calibration, undefined_calibration
from rankings.diagnostics.diagnostics_row import (
    Consistency,
    CyclicContext,
    Diagnostics,
    OwnDiagnostics,
    PredictionPowered,
    RaterFit,
    RaterFitRow,
    Reliability,
    VotesToBuy,
)
from rankings.diagnostics.prediction_powered import prediction_powered, votes_to_buy
from rankings.diagnostics.unjudged_systems import undefined_systems, unjudged_systems
from rankings.loading import Answers
from rankings.record_states import states_of
from rankings.report.null_pair_figures import NO_NULL_RUN, null_pairs, null_run_of
from rankings.report.report_choice import ReportChoice
from rankings.report.report_row import Counts
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import SCORE, score_or_why
from rankings.report.run_names import RunName
from rankings.report_cache import cached

SEED = 0
USUAL_RANGE = (0.7, 1.3)
NOBODY_ANSWERED = "nobody has answered anything"
SPLITS, FEW_SPLITS = 20, 4
LARGEST_QUICK = 64
"""Contexts with more candidates take long to fit and get fewer splits."""
MOST_FOR_SPLITS = 400_000
"""More comparisons get fewer splits, whose standard deviation is then below 0.001."""
RELIABILITY_RANKINGS = sorted(
    (name for name, ranking in RANKINGS.items() if ranking.in_reliability),
    key=lambda name: bool(RANKINGS[name].no_standard_error),
)
"""Rankings with standard errors first: only they have a separation reliability."""
LARGEST_CONTEXT = 500
"""The number of triads, and the time of a fit, grow with the cube of the candidates."""
NO_CYCLES = "scores put the candidates in one order, which has no cycle"
NO_REPEAT = "scores of single candidates have neither comparisons to split nor standard errors"
NO_END = "every answer is a choice, and on choices this ranking ends only where probabilities are clipped"


def run_diagnostics(
    run: Run,
    runs: RunQuerySet,
    choice: ReportChoice,
    *,
    width: Annotated[
        float, Option("Of the 95 % interval of a win rate that votes are to give.", "Width to buy", above=0, below=1)
    ] = USUAL_WIDTH,
) -> Diagnostics:
    """Print calibration, consistency, raters' fit, reliability and prediction-powered estimates of a run.

    The fit of raters covers people and the runs on the same attribute.
    """
    judges = runs.ordinary().filter(attribute=run.attribute_id).order_by("pk")
    before = runs.filter(pk=run.calibrates).first() if run.calibrates else None
    null_run = null_run_of(run, runs)
    return diagnostics_of(run, runs=judges, null_run=null_run, before=before, exclusion=choice.exclusion, width=width)


def diagnostics_of(
    run: Run,
    *,
    runs: Iterable[Run],
    null_run: Run | None = None,
    before: Run | None = None,
    exclusion: Exclusion = NOTHING_LEFT_OUT,
    width: float = USUAL_WIDTH,
) -> Diagnostics:
    """Return the diagnostics of one run.

    runs: those whose judges are fitted together. null_run: compares candidates with themselves. before: calibrated by
    this run.
    exclusion: systems and contexts that are left out. width: of the win rates for which votes are counted.
    Raises Refused for an exclusion of unknown names.
    """
    judges = [other for other in runs if other.attribute_id == run.attribute_id]
    prefetch_related_objects(judges, "judge")
    states, sources = (
        states_of([run, *judges, *filter(None, (null_run, before))]),
        Sources.of_run(run, ReportChoice(exclusion=exclusion)),
    )
    left_out = sources.choice.exclusion
    own, earlier = (
        cached(("diagnostics", states[one.pk], left_out), partial(_own, sources, one)) for one in (run, before or run)
    )
    own = replace(own, unjudged_systems=earlier.unjudged_systems)
    rests_on = [states[judge.pk] for judge in judges]
    fit = cached(("rater-fit", states[run.pk][-1], *rests_on, left_out), lambda: _fit(sources, judges, run))
    to_buy = cached(("votes-to-buy", states[run.pk], left_out, width), lambda: _to_buy(sources, run, width))
    null = NO_NULL_RUN
    if null_run:
        null = cached(("null-pairs", states[null_run.pk], left_out), lambda: null_pairs(sources.table, null_run))
    return Diagnostics(
        *(RunName.of(run), own, fit, to_buy, null, run.hold_out is not None, run.asks_null_pairs),
        calibration_before=earlier.calibration if before else None,
        without=sources.left_out,
    )


@shared_draws()
def _own(sources: Sources, run: Run) -> OwnDiagnostics:
    """Return the diagnostics that depend on the run and on human scores and votes only."""
    table, people, answers = sources.table, sources.people(run.attribute), sources.answers(run)
    counts = Counts(*answers.outcomes.sum(axis=0).tolist())
    powered = prediction_powered(table, people.first_round, pairs_of(table, answers))
    if answers.values is not None:
        return _of_scores(counts, powered)
    return OwnDiagnostics(
        counts=counts,
        calibration=calibration(answers.comparisons, people),
        consistency=consistency(answers.comparisons, table.context_keys),
        reliability=reliabilities(_not_chosen(answers)),
        prediction_powered=powered,
        unjudged_systems=unjudged_systems(run, table, people, answers.comparisons),
    )


def _not_chosen(answers: Answers) -> Comparisons:
    """Return all comparisons but those that an adaptive run chose, which inflate reliability."""
    return answers.comparisons if answers.held_out is None else answers.comparisons.select(answers.held_out)


def _to_buy(sources: Sources, run: Run, width: float) -> VotesToBuy:
    table, answers = sources.table, sources.answers(run)
    return votes_to_buy(table, sources.people(run.attribute).first_round, pairs_of(table, answers), width=width)


@shared_draws()
def _fit(sources: Sources, judges: Sequence[Run], run: Run) -> RaterFit:
    """Fit everybody who answered to one Bradley-Terry scale."""
    answers = [(judge, sources.answers(judge)) for judge in judges]
    raters = raters_of(sources.table, sources.people(run.attribute).of_first_round(), answers)
    answering = [rater for rater in raters if len(rater.comparisons)]
    if not answering:
        return RaterFit(list(USUAL_RANGE), [], NOBODY_ANSWERED)
    scores = bradley_terry(_joined([rater.comparisons for rater in answering]))
    return RaterFit(list(USUAL_RANGE), [_fit_row(rater, misfit(rater.comparisons, scores)) for rater in answering])


def _joined(parts: Sequence[Comparisons]) -> Comparisons:
    """Join comparisons of the same candidates."""
    first, second, p_first = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "second", "p_first")
    )
    return replace(parts[0], first=first, second=second, p_first=p_first)


def _fit_row(rater: Rater, fit: Misfit) -> RaterFitRow:
    low, high = USUAL_RANGE
    outside: bool | None = None
    if fit.infit.value is not None and fit.outfit.value is not None:
        outside = not (low <= fit.infit.value <= high and low <= fit.outfit.value <= high)
    run = rater.run.pk if rater.run else None
    return RaterFitRow(rater.name, rater.kind, run, fit.infit, fit.outfit, outside)


def _of_scores(counts: Counts, powered: PredictionPowered) -> OwnDiagnostics:
    """Return the diagnostics of a scoring run; most do not apply."""
    return OwnDiagnostics(
        counts=counts,
        calibration=undefined_calibration(NO_PROBABILITY),
        consistency=_no_consistency(Figure.missing(NO_CYCLES, n=0)),
        reliability={SCORE: _no_reliability(NO_REPEAT)},
        prediction_powered=powered,
        unjudged_systems=undefined_systems(NO_PROBABILITY),
    )


def _no_consistency(missing: Figure) -> Consistency:
    return Consistency(missing, missing, missing, missing, [])


def consistency(comparisons: Comparisons, context_keys: Sequence[str]) -> Consistency:
    """Return the shares of violations, and the contexts with cycles, those with the most first."""
    if (largest := largest_context(comparisons)) > LARGEST_CONTEXT:
        why = f"triads are counted up to {LARGEST_CONTEXT} candidates; a context has {largest}"
        return _no_consistency(Figure.missing(why))
    counted, rules = triads(comparisons), transitivity(comparisons)
    contexts = _cyclic_contexts(counted, context_keys)
    return Consistency(counted.share, rules.weak, rules.moderate, rules.strong, contexts)


def _cyclic_contexts(counted: Triads, context_keys: Sequence[str]) -> list[CyclicContext]:
    with_cycles = np.flatnonzero(counted.cyclic)
    most_first = with_cycles[np.argsort(-counted.cyclic[with_cycles], kind="stable")]
    return [
        CyclicContext(context_keys[context], int(counted.cyclic[context]), int(counted.decided[context]))
        for context in most_first.tolist()
    ]


def reliabilities(comparisons: Comparisons) -> dict[str, Reliability]:
    """Return the reliability of the scores by each of `RELIABILITY_RANKINGS`."""
    hard = are_choices(comparisons.known().p_first)
    halved = split_halves([name for name in RELIABILITY_RANKINGS if not (hard and RANKINGS[name].clips)], comparisons)
    return {
        name: _reliability(name, comparisons, halved[name]) if name in halved else _no_reliability(NO_END)
        for name in RELIABILITY_RANKINGS
    }


def _reliability(ranking: str, comparisons: Comparisons, split_half: Figure) -> Reliability:
    scores = score_or_why(ranking, comparisons)
    separation = Figure.missing(scores) if isinstance(scores, str) else separation_reliability(scores)
    return Reliability(split_half, separation, _index(separation))


def split_halves(rankings: Sequence[str], comparisons: Comparisons) -> dict[str, Figure]:
    """Return the split-half reliability of each ranking."""
    largest = largest_context(comparisons)
    if largest > LARGEST_CONTEXT:
        why = f"halves are ranked up to {LARGEST_CONTEXT} candidates; a context has {largest}"
        return {ranking: Figure.missing(why, n=0) for ranking in rankings}
    is_quick = largest <= LARGEST_QUICK and len(comparisons) <= MOST_FOR_SPLITS
    splits = SPLITS if is_quick else FEW_SPLITS
    return split_half_reliabilities(rankings, comparisons, np.random.default_rng(SEED), splits=splits)


def largest_context(comparisons: Comparisons) -> int:
    """Return the largest number of compared candidates of a context."""
    return int(np.bincount(comparisons.candidate_contexts[comparisons.compared]).max(initial=0))


def _no_reliability(why: str) -> Reliability:
    missing = Figure.missing(why, n=0)
    return Reliability(missing, missing, missing)


def _index(separation: Figure) -> Figure:
    if separation.value is None:
        return Figure.missing(separation.undefined or "")
    try:
        return Figure(separation_index(separation.value))
    except Undefined as undefined:
        return Figure.missing(undefined.reason)
