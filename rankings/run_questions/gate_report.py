"""Bounds on figures of a run, decided by their intervals. docs/reference/gate.md says how."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from evenhand.numerics import Figure
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.intervals import least_contexts, student_quantile
from evenhand.options import Option
from evenhand.refusals import Refused, did_you_mean
from evenhand.report_json import Flat, Help, IfAny, Json
from judging.models import Run
from rankings.report.long_lines import document_of_row, figures_in
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources, report_rows
from rankings.report.run_names import RunName

GateState = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True)
class GateBound:
    """One bound, and the figure that must clear it."""

    figure: str
    bound: Annotated[str, Help("at least, or at most.")]
    limit: float
    observed: IntervalFigure
    state: Annotated[GateState, Help("passed, failed or undecided: by the whole interval.")]
    needed: Annotated[int | None, Help("Contexts that would decide it; null where none would, or it is decided.")]
    why: Annotated[IfAny[str], Help("Why it is undecided.")] = None


@dataclass(frozen=True)
class GateReport:
    """All bounds of a run."""

    name: Flat[RunName]
    state: Annotated[GateState, Help("failed if one bound failed, else undecided if one is, else passed.")]
    bounds: list[GateBound]


def gate_report(
    run: Run,
    answers: ReportChoice = USUAL_CHOICE,
    *,
    at_least: Annotated[tuple[str, ...], Option("FIGURE=VALUE, such as accuracy=0.8.", "At least", most=50)] = (),
    at_most: Annotated[tuple[str, ...], Option("FIGURE=VALUE, such as p_first=0.6.", "At most", most=50)] = (),
) -> GateReport:
    """Say whether figures of a run clear bounds, decided by their whole intervals.

    Raises Refused without a bound, for a figure that the report lacks, and for one that never has an interval.
    """
    if not (at_least or at_most):
        raise Refused("give a bound, such as at least accuracy=0.8")
    [row, *_] = report_rows(run.dataset, runs=[run], choice=answers)
    figures = {".".join(path): figure for path, figure in figures_in(document_of_row(row))}
    asked = Sources.of_run(run, answers).answers(run).outcomes.sum(axis=1)
    contexts = int(np.count_nonzero(asked))
    chosen = [("at least", text) for text in at_least] + [("at most", text) for text in at_most]
    bounds = [_bound(word, *_read(word, text, figures), contexts) for word, text in chosen]
    states = {bound.state for bound in bounds}
    worst: GateState = next((state for state in ("failed", "undecided") if state in states), "passed")
    return GateReport(RunName.of(run), worst, bounds)


def _read(word: str, text: str, figures: Mapping[str, Mapping[str, Json]]) -> tuple[str, float, Figure]:
    """Return the name of a figure, the limit and the figure. Raises Refused."""
    option, (name, _, number) = word.replace(" ", "_"), (part.strip() for part in text.partition("="))
    try:
        limit = float(number)
    except ValueError:
        raise Refused(f'{option}: "{text}" — write FIGURE=VALUE, such as accuracy=0.8') from None
    if name not in figures:
        raise Refused(f'{option}: there is no figure "{name}"{did_you_mean(name, figures)}; report --long lists them')
    if "low" not in figures[name] or not np.isfinite(limit):
        why = f"{limit} is no limit" if "low" in figures[name] else f"{name} never has an interval"
        raise Refused(f"{option}: {why}; a bound is decided by an interval")
    parts = {part: figures[name].get(part) for part in ("value", "low", "high", "n", "undefined")}
    return name, limit, Figure(**parts)


def _bound(word: str, name: str, limit: float, figure: Figure, contexts: int) -> GateBound:
    if figure.value is None or figure.low is None or figure.high is None:
        return GateBound(name, word, limit, figure, "undecided", None, figure.undefined)
    sign = 1 if word == "at least" else -1
    nearest, farthest = sorted((sign * (figure.low - limit), sign * (figure.high - limit)))
    state: GateState = "passed" if nearest >= 0 else "failed" if farthest < 0 else "undecided"
    gap = sign * (figure.value - limit)
    half = gap - nearest if gap > 0 else farthest - gap
    variance = contexts * (half / float(student_quantile(contexts - 1))) ** 2
    needed = least_contexts(abs(gap), variance) if state == "undecided" else None
    return GateBound(name, word, limit, figure, state, needed, "its interval holds the limit" if needed else None)
