"""Which systems of a run's ranking are apart. docs/reference/separation.md defines each number."""

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np

from evenhand.numerics import Comparisons, Figure
from evenhand.numerics.arrays import IntArray
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.significance.letter_groups import groups_without_difference, letter_names
from evenhand.numerics.significance.separation import Cycles, Separation, cycles, separate
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Dataset, Run
from judging.models.runs import RunQuerySet
from rankings.agreement.raters import pairs_of
from rankings.record_states import states_of
from rankings.report.left_out import LeftOutParts
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached

MOST_SEPARATED = 64


@dataclass(frozen=True)
class SeparatedSystem:
    """A system with its score. groups: letters; two systems share one where they are not apart."""

    system: str
    score: Annotated[float, Help("Bradley-Terry score of the system, in nats, mean zero.")]
    groups: str


@dataclass(frozen=True)
class SystemsCompared:
    """Two systems. neighbours: no system stands between them."""

    better: str
    worse: str
    difference: Annotated[IntervalFigure, Help("Of their scores; all intervals hold at once.")]
    apart: Annotated[bool, Help("The interval leaves out 0.")]
    neighbours: bool
    contexts_needed: Annotated[int | None, Help("Contexts like these that would separate them; null if nothing does.")]
    comparisons_needed: Annotated[int | None, Help("As many comparisons a context as now.")]


@dataclass(frozen=True)
class SeparationReport:
    """The systems of a run, best first, all pairs of them, and cycles among them."""

    name: Flat[RunName]
    contexts: Annotated[int, Help("Contexts with a comparison of two systems.")]
    comparisons: int
    systems: list[SeparatedSystem]
    pairs: list[SystemsCompared]
    next: Annotated[SystemsCompared | None, Help("The neighbours that the fewest contexts would separate.")]
    cycles: Annotated[Cycles, Help("Circles of three systems by majority: those seen, and those that chance makes.")]
    without: Annotated[IfAny[LeftOutParts], Help("Systems and contexts that are left out.")] = None


def separation_report(
    dataset: Dataset,
    runs: RunQuerySet,
    answers: ReportChoice = USUAL_CHOICE,
    *,
    run: Annotated[Run | None, Option("Number of a run.", "Ranking of", row="run", if_none="the latest run")] = None,
) -> SeparationReport:
    """Print which systems of a run's ranking are apart: simultaneous intervals of all differences of their scores, the
    groups that result, and the comparisons that would separate the next two.

    Raises Refused without a run, and where a run has too few systems or contexts.
    """
    chosen = run or runs.ordinary().order_by("-pk").first()
    if chosen is None:
        raise Refused(f"run: {dataset.name} has no run; judge it, or import recorded comparisons")
    sources = Sources.of_run(chosen, answers)
    key = ("separation", states_of([chosen])[chosen.pk], answers)
    try:
        return cached(key, lambda: _report(sources, chosen))
    except Undefined as undefined:
        raise Refused(f"run: {chosen.pk}: {undefined.reason}") from undefined


def _report(sources: Sources, run: Run) -> SeparationReport:
    names, systems, contexts = _between_systems(sources, run)
    found = separate(systems, contexts)
    order = np.argsort(-found.scores, kind="stable")
    groups = groups_without_difference(~np.eye(len(names), dtype=bool) & found.apart[np.ix_(order, order)])
    letters = letter_names(len(groups))
    ranked = [
        SeparatedSystem(names[at], float(found.scores[at]), "".join(np.array(letters)[groups[:, place]]))
        for place, at in enumerate(order.tolist())
    ]
    pairs = [
        _pair(names, found, (int(order[one]), int(order[other])), neighbours=other - one == 1, comparisons=len(systems))
        for one, other in combinations(range(len(order)), 2)
    ]
    open_ones = [pair for pair in pairs if pair.neighbours and not pair.apart and pair.contexts_needed]
    first = min(open_ones, key=lambda pair: pair.contexts_needed or 0, default=None)
    circles = cycles(systems, found.scores)
    return SeparationReport(
        *(RunName.of(run), found.contexts, len(systems), ranked, pairs, first, circles), without=sources.left_out
    )


def _between_systems(sources: Sources, run: Run) -> tuple[list[str], Comparisons, IntArray]:
    """Return the systems of a run, its comparisons of two of them, and their contexts. Raises Undefined."""
    table, pairs = sources.table, pairs_of(sources.table, sources.answers(run))
    first, second = table.system_numbers[pairs.first], table.system_numbers[pairs.second]
    pairs = pairs.select(between := (first >= 0) & (second >= 0) & (first != second))
    numbers, sides = np.unique(np.stack([first[between], second[between]]), return_inverse=True)
    if not 2 <= len(numbers) <= MOST_SEPARATED:
        raise Undefined(
            f"it compares {len(numbers)} known systems; give 2 to {MOST_SEPARATED}, by the column system of the dataset"
        )
    known, two = list(dict.fromkeys(table.systems)), sides.reshape(2, -1)
    return [known[at] for at in numbers], Comparisons(len(numbers), two[0], two[1], pairs.p_first), pairs.contexts


def _pair(
    names: list[str], found: Separation, two: tuple[int, int], *, neighbours: bool, comparisons: int
) -> SystemsCompared:
    low, high, needed = (float(one[two]) for one in (found.low, found.high, found.needed))
    apart, contexts = bool(found.apart[two]), int(needed) if np.isfinite(needed) else None
    difference = Figure(float(found.scores[two[0]] - found.scores[two[1]]), low, high, found.contexts)
    all_of_them = contexts and round(contexts * comparisons / found.contexts)
    if apart:
        contexts = all_of_them = None
    return SystemsCompared(names[two[0]], names[two[1]], difference, apart, neighbours, contexts, all_of_them)
