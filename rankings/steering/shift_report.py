"""The shift of a robustness run against the run without the sentence. docs/reference/robustness.md defines it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from evenhand.numerics.arrays import BoolArray
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.reliability.sentence_shift import (
    SentencePairs,
    ShiftFigures,
    flips_in_both_orders,
    shift_figures,
)
from evenhand.numerics.selection.sentence_sides import draw_sentence_sides
from evenhand.numerics.significance.paired_tests import common_comparisons
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help
from judging.models import Run
from judging.models.runs import RunQuerySet, sha256_of
from rankings.loading import CandidateTable
from rankings.record_states import states_of
from rankings.report.report_choice import USUAL_CHOICE
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached


@dataclass(frozen=True)
class ShiftRow:
    """The shift on some ordered pairs."""

    pairs: Annotated[int, Help("Ordered pairs that both runs answered.")]
    p_with: Annotated[IntervalFigure, Help("P(the text with the sentence is preferred).")]
    p_without: Annotated[IntervalFigure, Help("P(the same text is preferred) in the run without the sentence.")]
    shift: Annotated[IntervalFigure, Help("p_with − p_without, paired; the interval is over contexts.")]
    flips_to: Annotated[IntervalFigure, Help("Share of decisions that move to the text with the sentence.")]
    flips_away: Annotated[IntervalFigure, Help("Share of decisions that move away from it.")]


@dataclass(frozen=True)
class PositionShift:
    """The shift where the text with the sentence was shown first, or second."""

    position: Annotated[str, Help("first or second.")]
    figures: Flat[ShiftRow]


@dataclass(frozen=True)
class SystemShift:
    """The shift where the texts of one system got the sentence."""

    system: str
    figures: Flat[ShiftRow]


@dataclass(frozen=True)
class ShiftReport:
    """How far the added sentence of a run moved its judge."""

    name: Flat[RunName]
    against: Annotated[int, Help("The run without the sentence.")]
    sentence: Annotated[str, Help("Name of the sentence.")]
    text: Annotated[str, Help("The sentence.")]
    sides_seed: int
    unpaired: Annotated[int, Help("Ordered pairs that only one of the runs answered.")]
    figures: Flat[ShiftRow]
    flips_in_both_orders: Annotated[
        IntervalFigure, Help("Share of pairs that turn to the text with the sentence in both orders.")
    ]
    positions: list[PositionShift]
    systems: list[SystemShift]


def shift_report(
    run: Run,
    runs: RunQuerySet,
    *,
    against: Annotated[
        Run | None,
        Option("Run without the sentence. Default: the latest with equal settings.", "Compared with", row="run"),
    ] = None,
) -> ShiftReport:
    """Return how far the added sentence of a robustness run moved its judge, against the same pairs without it.

    runs: those that the person may see. Raises Refused for a run without a sentence, and for one that answered no pair
    in common.
    """
    _require_sentence(run)
    against = _run_without_sentence(run, runs, against)
    states = states_of([run, against])
    report: ShiftReport = cached(("shift", states[run.pk], states[against.pk]), partial(_report, run, against))
    return report


def _run_without_sentence(run: Run, runs: RunQuerySet, chosen: Run | None) -> Run:
    """Return the run to compare with: the chosen one, else the latest with the same settings."""
    ordinary = runs.ordinary().filter(dataset=run.dataset_id, attribute=run.attribute_id, is_scoring=False)
    if chosen:
        if not ordinary.filter(pk=chosen.pk).exists():
            raise Refused(
                f"against: {chosen.pk} is no run without an added sentence on {run.dataset}, {run.attribute}; "
                "the command runs lists them"
            )
        return chosen
    spec_hash = sha256_of(spec_without_sentence(run.spec))
    against = ordinary.filter(spec_hash=spec_hash, judge=run.judge_id).order_by("-pk").first()
    if against is None:
        raise Refused(
            f"run: {run.pk} has no run with the same settings and no sentence to compare with; judge one, or name it "
            "with --against"
        )
    return against


def robustness_runs_of(run: Run, runs: RunQuerySet) -> list[Run]:
    """Return the runs that ask the same as a run with an added sentence, the latest first."""
    alike = runs.filter(dataset=run.dataset_id, attribute=run.attribute_id, judge=run.judge_id).exclude(
        added_sentence=""
    )
    return [one for one in alike.order_by("-pk") if spec_without_sentence(one.spec) == run.spec]


def spec_without_sentence(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of the run that asks the same without the sentence."""
    return {name: value for name, value in spec.items() if name != "steering"}


def _require_sentence(run: Run) -> None:
    if not run.added_sentence:
        raise Refused(f"run: {run.pk} has no added sentence; start a robustness run: evenhand robustness {run.pk}")


def _report(run: Run, against: Run) -> ShiftReport:
    sources = Sources(run.dataset, USUAL_CHOICE)
    table = sources.table
    answers = [sources.answers(one).comparisons for one in (against, run)]
    without, with_it = common_comparisons(*answers)
    if not len(without):
        raise Refused(f"run: {run.pk} and {against.pk} answered no ordered pair in common; wait until both are done")
    sides = draw_sentence_sides(_systems_of_contexts(table), seed=run.spec["steering"]["seed"])
    pairs = SentencePairs(without, with_it, sides.first_gets_it(without.first, without.second))
    sentence = run.spec["steering"]
    return ShiftReport(
        name=RunName.of(run),
        against=against.pk,
        sentence=sentence["name"],
        text=sentence["text"],
        sides_seed=sentence["seed"],
        unpaired=sum(len(one) - len(without) for one in answers),
        figures=_row(shift_figures(pairs)),
        flips_in_both_orders=flips_in_both_orders(pairs),
        positions=[
            PositionShift("first", _row(shift_figures(pairs, pairs.is_first))),
            PositionShift("second", _row(shift_figures(pairs, ~pairs.is_first))),
        ],
        systems=[SystemShift(name, _row(shift_figures(pairs, chosen))) for name, chosen in _of_systems(table, pairs)],
    )


def _systems_of_contexts(table: CandidateTable) -> list[Sequence[str]]:
    ends = [*table.starts[1:].tolist(), len(table)]
    return [table.systems[start:end] for start, end in zip(table.starts.tolist(), ends, strict=True)]


def _of_systems(table: CandidateTable, pairs: SentencePairs) -> list[tuple[str, BoolArray]]:
    systems = np.array(table.systems, dtype=object)[pairs.holders]
    names = [name for name in dict.fromkeys(table.systems) if name]
    return [(name, np.asarray(systems == name)) for name in names if (systems == name).any()]


def _row(one: ShiftFigures) -> ShiftRow:
    return ShiftRow(one.shift.n or 0, one.with_it, one.without_it, one.shift, one.to_it, one.from_it)
