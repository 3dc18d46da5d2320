"""Accuracy on kinds of contexts: by subset, length or any field. docs/reference/kinds.md says how they are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np

from evenhand.numerics import human_preferences
from evenhand.numerics.accuracy import context_credits, why_no_preference
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.significance.kinds import KindAccuracy, kind_accuracies
from evenhand.options import Option
from evenhand.refusals import Refused, did_you_mean
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Run
from judging.models.datasets import PART_FIELD
from judging.services.activity import note_looks
from rankings.agreement.raters import pairs_of
from rankings.loading import CandidateTable
from rankings.record_states import states_of
from rankings.report.left_out import LeftOutParts
from rankings.report.report_choice import SUBSET, USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached

BY_LENGTH = "length"
MOST_KINDS, MOST_NUMBERS = 50, 6
"""Values of a field; more different numbers than the second become thirds."""


@dataclass(frozen=True)
class KindRow:
    """A kind of contexts against all others."""

    kind: str
    found: Flat[KindAccuracy]


@dataclass(frozen=True)
class KindsReport:
    """The accuracy of a run by kind of context. unnamed: contexts without a value of the field, which do not count."""

    name: Flat[RunName]
    by: str
    kinds: list[KindRow]
    unnamed: int
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run.")] = None


def kinds_report(
    run: Run,
    answers: ReportChoice = USUAL_CHOICE,
    *,
    by: Annotated[str, Option("subset, length, or a field of the contexts, such as language.", "Kinds by")],
) -> KindsReport:
    """Print the accuracy of a run on each kind of context, against all others, with Holm's correction.

    Raises Refused for a field that contexts lack, and for one with fewer than two kinds or more than fifty.
    """
    known = (SUBSET, BY_LENGTH, *run.dataset.context_fields)
    if by not in known:
        raise Refused(f'by: contexts have no field "{by}"{did_you_mean(by, known)}; there are: {", ".join(known)}')
    choice = replace(answers, subsets_by=SUBSET if by == BY_LENGTH else by)
    sources, [state] = Sources.of_run(run, choice), states_of([run]).values()
    report = cached(("kinds", state, by, sources.choice), partial(_report, sources, run, by))
    note_looks([run], figures="kinds", on_test=by == PART_FIELD)
    return replace(report, name=RunName.of(run))


def _report(sources: Sources, run: Run, by: str) -> KindsReport:
    table, people, answers = sources.table, sources.people(run.attribute), sources.answers(run)
    judge = pairs_of(table, answers)
    correct, counted = context_credits(judge, human_preferences(judge, people.human.scores, people.votes))
    count = counted > 0 if counted.any() else np.ones(len(counted), dtype=bool)
    if by == BY_LENGTH:
        sizes = np.maximum(counts(table.contexts, table.n_contexts), 1)
        lengths = sums(table.contexts, sources.lengths.astype(np.float64), table.n_contexts) / sizes
        names, kinds = _thirds(lengths, count)
    else:
        names, kinds = _kinds(table, by, count)
    found = kind_accuracies(correct, counted, kinds, len(names), if_empty=why_no_preference(judge))
    rows = list(map(KindRow, names, found))
    unnamed = int(np.count_nonzero((kinds < 0) & (counted > 0)))
    return KindsReport(RunName.of(run), by, rows, unnamed, sources.left_out)


def _kinds(table: CandidateTable, by: str, count: BoolArray) -> tuple[list[str], IntArray]:
    """Return the kinds of a field, and that of each context; thirds of numbers. Raises Refused for another number."""
    names = table.subset_names
    if len(names) > MOST_NUMBERS and (measured := _numbers(table.subsets)) is not None:
        return _thirds(measured, count)
    if len(names) < 2:
        raise Refused(
            f'by: contexts have {len(names) or "no"} "{by}", and kinds need two; choose length, or another field'
        )
    if len(names) > MOST_KINDS:
        raise Refused(f'by: contexts have {len(names):,} different "{by}"; choose a field with at most {MOST_KINDS}')
    return names, table.subset_numbers


def _numbers(values: Sequence[str]) -> FloatArray | None:
    """Return the numbers of all contexts, NaN where they have none; None if a value is no number."""
    try:
        return np.array([float(value) if value else np.nan for value in values])
    except ValueError:
        return None


def _thirds(measured: FloatArray, count: BoolArray) -> tuple[list[str], IntArray]:
    """Return the names of three kinds with as many contexts that count, and that of each context; -1 for NaN."""
    known = count & ~np.isnan(measured)
    low, high = np.quantile(measured[known], [1 / 3, 2 / 3]) if known.any() else (0.0, 0.0)
    kinds = np.where(np.isnan(measured), -1, (measured > low).astype(np.intp) + (measured > high))
    return [f"up to {low:,.4g}", f"{low:,.4g} to {high:,.4g}", f"over {high:,.4g}"], kinds
