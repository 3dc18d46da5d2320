"""The trust checks of a report row: conditions that should hold before its figures are trusted."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.numerics import Figure
from rankings.numerics.reliability.trust_checks import CHECKS
from rankings.numerics.reliability.trust_findings import CheckedRun, Finding
from rankings.report.number_text import percent
from rankings.report.report_row import ContextsNeeded, ReportRow, TrustCheck

NO_CONTEXTS_WOULD_DO = "on these contexts the judge is not better, so no number of them would show that it is"


def checks_of(run: CheckedRun) -> list[TrustCheck]:
    """Check the answers of a report row."""
    return [_row(name, check.finding(run)) for name, check in CHECKS.items()]


def _row(name: str, found: Finding) -> TrustCheck:
    is_open = name == "better-than-constant" and found.state == "cannot tell"
    more = ContextsNeeded(found.needed) if is_open else None
    why_not = found.why if found.value is None else NO_CONTEXTS_WOULD_DO if is_open and found.needed is None else None
    return TrustCheck(
        name, found.state, found.value, found.low, found.high, found.limit, found.why, more=more, undefined=why_not
    )


def failed(row: ReportRow) -> list[TrustCheck]:
    """Return the checks that failed."""
    return [check for check in row.trust if check.state == "failed"]


def summary(row: ReportRow) -> str:
    """Write how many of the applicable checks of a report row passed, are notes, or cannot tell."""
    states = [check.state for check in row.trust]
    applicable = len(states) - states.count("not applicable")
    text = f"{states.count('passed')} of {applicable} checks passed"
    notes, open_ones = states.count("note"), states.count("cannot tell")
    text += f", {notes} {'note' if notes == 1 else 'notes'}" if notes else ""
    return f"{text}, {open_ones} cannot tell" if open_ones else text


def warnings(rows: Sequence[ReportRow]) -> list[str]:
    """Return a line for each run with failed checks."""
    whole = ((row, failed(row)) for row in rows if row.is_whole)
    return [
        f"run {row.name.run}: failed checks: {'; '.join(map(_title_and_reason, checks))}"
        for row, checks in whole
        if checks
    ]


def bounded_warnings(rows: Sequence[ReportRow]) -> list[str]:
    """Return a line for each run with answers whose p_first is not known."""
    return [f"Run {row.name.run}: {row.bounded_sentence}" for row in rows if row.is_whole and row.bounded]


def hold_out_warnings(rows: Sequence[ReportRow]) -> list[str]:
    """Warn for each adaptive run that its figures are not comparable, and give its accuracy on random pairs."""
    return [_hold_out_warning(row.name.run, row.hold_out.accuracy) for row in rows if row.is_whole and row.hold_out]


def _hold_out_warning(run: int, accuracy: Figure) -> str:
    chosen = f"Run {run} chose its pairs by its own answers, so they are not a random sample"
    if accuracy.value is None:
        return f"{chosen}; its accuracy on random pairs is undefined: {accuracy.undefined}."
    return f"{chosen}; on pairs drawn at random its accuracy is {percent(accuracy.value)} (n = {accuracy.n:,})."


def _title_and_reason(check: TrustCheck) -> str:
    return f"{check.title} ({check.why})"
