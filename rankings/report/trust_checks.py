"""The trust checks of a report row: conditions that should hold before its figures are trusted."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.numerics import Comparisons, Figure, Votes
from rankings.numerics.arrays import BoolArray
from rankings.numerics.reliability.trust_checks import (
    CHECKS,
    ORDER_CHECKS,
    TrustCondition,
    failure_checks,
    order_checks,
    overlap_check,
    steering_check,
)
from rankings.report.number_text import percent
from rankings.report.report_row import Counts, ReportRow, TrustCheck

NO_PAIRS = "a run that scores candidates one by one shows no pair"


def checks_of_comparisons(
    comparisons: Comparisons, votes: Votes, counts: Counts, *, pairs_twice: int, chosen: int, steering: BoolArray
) -> list[TrustCheck]:
    """Return the trust checks of a run that compares.

    comparisons: the answered ones. counts: of the report row.
    pairs_twice: how many unordered pairs have answers in both orders. chosen: how many of the comparisons are of pairs
    that an adaptive run chose by its answers. steering: bool, (n_candidates,). True for texts that may steer a judge.
    """
    return _rows(
        *order_checks(comparisons, pairs_twice=pairs_twice, chosen=chosen),
        *_failures(counts, "comparisons"),
        overlap_check(comparisons, votes),
        steering_check(comparisons, steering),
    )


def checks_of_scores(pairs: Comparisons, votes: Votes, counts: Counts, *, steering: BoolArray) -> list[TrustCheck]:
    """Return the trust checks of a scoring run.

    pairs: the higher of two scores. counts: of the report row. steering: as in `checks_of_comparisons`.
    """
    return _rows(
        *(TrustCondition.not_applicable(name, NO_PAIRS) for name in ORDER_CHECKS),
        *_failures(counts, "scores"),
        overlap_check(pairs, votes),
        steering_check(pairs, steering),
    )


def failed(row: ReportRow) -> list[TrustCheck]:
    """Return the checks that failed."""
    return [check for check in row.trust if check.state == "failed"]


def summary(row: ReportRow) -> str:
    """Write how many of the applicable checks of a report row passed, and how many are notes."""
    states = [check.state for check in row.trust]
    applicable = len(states) - states.count("not applicable")
    text = f"{states.count('passed')} of {applicable} checks passed"
    notes = states.count("note")
    return f"{text}, {notes} {'note' if notes == 1 else 'notes'}" if notes else text


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


def _failures(counts: Counts, noun: str) -> list[TrustCondition]:
    return failure_checks(answered=counts.comparisons, unparsed=counts.unparsed, errors=counts.errors, noun=noun)


def _rows(*checks: TrustCondition) -> list[TrustCheck]:
    by_name = {check.name: check for check in checks}
    return [_row(by_name[name]) for name in CHECKS]


def _row(check: TrustCondition) -> TrustCheck:
    return TrustCheck(
        check=check.name,
        state=check.state,
        value=check.value,
        limit=check.limit,
        why=check.why,
        undefined=check.why if check.value is None else None,
    )
