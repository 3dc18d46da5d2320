"""How much the choice of the anchor changes the ranking of a run (docs/reference/anchors.md)."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated

import numpy as np

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES, Comparisons, Figure, Undefined, score
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.figure import PlainFigure
from evenhand.numerics.selection.anchored_systems import (
    AnchoredSystems,
    possible_anchors,
    rank_by_anchor,
    rank_correlations,
    ranks_of,
    spread_of_ranks,
    system_means,
)
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help
from judging.models import Run
from rankings.loading import CandidateTable
from rankings.record_states import states_of
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources, why_nothing_compared
from rankings.report.run_names import RunName
from rankings.report_cache import cached

MOST_ANCHORS = 200


@dataclass(frozen=True)
class AnchoredRanking:
    """The ranking of systems from the comparisons with one of them."""

    anchor: str
    rank: Annotated[float, Help("Rank of the anchor itself by all comparisons, 1 for the best.")]
    comparisons: int
    contexts: Annotated[int, Help("Contexts with a comparison with the anchor.")]
    spearman: Annotated[PlainFigure, Help("Correlation of the systems' scores with those from all comparisons.")]
    kendall: Annotated[PlainFigure, Help("The same as Kendall's tau-b.")]
    largest_move: Annotated[float | None, Help("Most ranks by which a system moves against all comparisons.")]
    moved: Annotated[list[str], Help("The systems that move by so many.")]
    people: Annotated[PlainFigure, Help("Spearman's correlation with the mean human scores of the systems.")]


@dataclass(frozen=True)
class RankSpread:
    """The ranks of a system over all anchors, 1 for the best."""

    system: str
    rank: Annotated[float, Help("By all comparisons.")]
    best: float
    worst: float


@dataclass(frozen=True)
class AnchorReport:
    """Rankings from the comparisons with each system in turn."""

    name: Flat[RunName]
    ranking: str
    comparisons: Annotated[int, Help("Answers of the run.")]
    people: Annotated[PlainFigure, Help("Spearman's correlation with people between systems, from all comparisons.")]
    anchors: list[AnchoredRanking]
    not_anchors: Annotated[list[str], Help("Systems that are not compared with every other system.")]
    systems: list[RankSpread]


def anchor_report(
    run: Run,
    answers: ReportChoice = USUAL_CHOICE,
    *,
    ranking: Annotated[str, Option("By which systems are ordered.", choices=RANKING_TITLES)] = DEFAULT_RANKING,
) -> AnchorReport:
    """Rank the systems of a run by the comparisons with each of them in turn, and compare these rankings with that of
    all comparisons and with people.

    Raises Refused for a run that gives scores, without answers, with too few or too many systems, or if no system is
    compared with every other, and for an undefined ranking.
    """
    if run.is_scoring:
        raise Refused(f"run: {run.pk} gives scores; it compares no text with another")
    key = ("anchors", states_of([run])[run.pk], ranking, answers)
    return cached(key, lambda: _report(run, answers, ranking))


def _report(run: Run, answers: ReportChoice, ranking: str) -> AnchorReport:
    sources = Sources.of_run(run, answers)
    table, comparisons = sources.table, sources.answers(run).comparisons
    names = list(dict.fromkeys(system for system in table.systems if system))
    numbers = _require_anchors(run, comparisons, table, names)
    try:
        complete = _means(score(ranking, comparisons).values, table, names)
        anchored = [
            rank_by_anchor(comparisons, table.system_numbers, len(names), anchor=number, ranking=ranking)
            for number in numbers
        ]
    except Undefined as undefined:
        raise Refused(f"ranking: {ranking} is undefined for run {run.pk}: {undefined.reason}") from undefined
    people = _means(sources.people(run.attribute).human.scores, table, names)
    return AnchorReport(
        name=RunName.of(run),
        ranking=ranking,
        comparisons=len(comparisons),
        people=rank_correlations(complete, people)["spearman"],
        anchors=sorted((_row(one, names, complete, people) for one in anchored), key=attrgetter("rank")),
        not_anchors=[name for number, name in enumerate(names) if number not in numbers],
        systems=_spreads(anchored, names, complete),
    )


def _require_anchors(run: Run, comparisons: Comparisons, table: CandidateTable, names: list[str]) -> list[int]:
    if not len(comparisons):
        raise Refused(why_nothing_compared(run))
    if len(names) < 3:
        raise Refused(f"run: {run.pk} compares {len(names)} named systems; an anchor needs at least two others")
    if len(names) > MOST_ANCHORS:
        raise Refused(f"run: {run.pk} compares {len(names)} systems; this takes up to {MOST_ANCHORS}")
    numbers = possible_anchors(comparisons, table.system_numbers, len(names))
    if not numbers:
        raise Refused(f"run: {run.pk} compares no system with every other; judge more pairs, or choose selection full")
    return numbers


def _means(values: FloatArray, table: CandidateTable, names: list[str]) -> FloatArray:
    return system_means(values, table.system_numbers, len(names))


def _row(one: AnchoredSystems, names: list[str], complete: FloatArray, people: FloatArray) -> AnchoredRanking:
    ranks = ranks_of(complete)
    moves = np.abs(ranks_of(one.scores) - ranks)
    largest = None if np.isnan(moves).all() else float(np.nanmax(moves))
    with_all = rank_correlations(one.scores, complete)
    return AnchoredRanking(
        anchor=names[one.anchor],
        rank=float(ranks[one.anchor]),
        comparisons=one.comparisons,
        contexts=one.contexts,
        spearman=with_all["spearman"],
        kendall=with_all["kendall"],
        largest_move=largest,
        moved=[names[at] for at in np.flatnonzero(moves == largest)] if largest else [],
        people=rank_correlations(one.scores, people)["spearman"],
    )


def _spreads(anchored: list[AnchoredSystems], names: list[str], complete: FloatArray) -> list[RankSpread]:
    """Return the systems with a score in all rankings, best first."""
    ranks, (best, worst) = ranks_of(complete), spread_of_ranks(anchored)
    known = np.flatnonzero(~np.isnan(ranks) & ~np.isnan(best))
    ordered = known[np.argsort(ranks[known], kind="stable")]
    return [RankSpread(names[at], float(ranks[at]), float(best[at]), float(worst[at])) for at in ordered]


def middle_anchor(report: AnchorReport) -> AnchoredRanking:
    """Return the anchor nearest to the middle of the ranking by all comparisons."""
    middle = (1 + len(report.systems)) / 2
    return min(report.anchors, key=lambda one: abs(one.rank - middle))


def spearman_ends(report: AnchorReport) -> tuple[AnchoredRanking, AnchoredRanking] | None:
    """Return the anchors with the lowest and the highest correlation with all comparisons; None if undefined."""
    known = [(figure.value, one) for one in report.anchors for figure in [one.spearman] if figure.value is not None]
    if not known:
        return None
    return min(known, key=lambda pair: pair[0])[1], max(known, key=lambda pair: pair[0])[1]


def share_of_comparisons(report: AnchorReport) -> Figure:
    """Return the mean share of the run's answers that an anchor needs."""
    return Figure(float(np.mean([one.comparisons for one in report.anchors])) / report.comparisons)
