"""The trust checks of a report row: conditions that should hold before its figures are trusted."""

from collections.abc import Callable, Sequence

from evenhand.numerics import RANKINGS, Figure
from evenhand.numerics.reliability.trust.judge_checks import MOST_ONE_SIDED
from evenhand.numerics.reliability.trust.trust_checks import CHECKS
from evenhand.numerics.reliability.trust.trust_findings import CheckedRun, Finding
from rankings.report.printed_numbers import percent, ranking_title
from rankings.report.report_row import CheckInterval, ContextsNeeded, ReportRow, TrustCheck
from rankings.tables.numbers_of_observations import few_observations

NO_CONTEXTS_WOULD_DO = "on these contexts the judge is not better, so no number of them would show that it is"


def checks_of(run: CheckedRun) -> list[TrustCheck]:
    """Check the answers of a report row."""
    return [_row(name, check.finding(run)) for name, check in CHECKS.items()]


def _row(name: str, found: Finding) -> TrustCheck:
    is_open = name == "better-than-constant" and found.state == "cannot tell"
    more = ContextsNeeded(found.needed) if is_open else None
    reasons = [found.why] if found.value is None else [found.no_interval]
    if is_open and found.value is not None and found.value <= 0:
        reasons.insert(0, NO_CONTEXTS_WOULD_DO)
    why_not = "; ".join(filter(None, reasons)) or None
    interval = CheckInterval(found.low, found.high) if CHECKS[name].has_interval else None
    return TrustCheck(name, found.state, found.value, interval, found.limit, found.why, more=more, undefined=why_not)


def is_constant(row: ReportRow) -> bool:
    """Return True for a judge that always gives one answer, so that its decisions carry nothing."""
    return any(check.check == "varied-answers" for check in failed(row))


def checked_value(row: ReportRow, name: str) -> float | None:
    """Return the value of a check; None if it does not apply."""
    return next((check.value for check in row.trust if check.check == name), None)


def constant_sentences(rows: Sequence[ReportRow]) -> list[str]:
    """Name the whole runs whose decisions carry nothing, and the rankings that still carry something.

    Of several runs, a sentence ends with the name of its own.
    """
    whole = [row for row in rows if row.is_whole]
    return [_constant_sentence(row, is_named=len(whole) > 1) for row in whole if is_constant(row)]


def _constant_sentence(row: ReportRow, *, is_named: bool) -> str:
    why = next(check.why for check in row.trust if check.check == "varied-answers")
    name = f" Judge: {row.name.words}." if is_named else ""
    return f"{why[0].upper()}{why[1:]}.{name} {_still_carrying(row)}".strip()


def _still_carrying(row: ReportRow) -> str:
    """Say which rankings agree with people although the decisions carry nothing. Debiased, they use probabilities.

    Rankings in which the order of the dataset breaks ties may agree by that order alone, so they are left out.
    """
    if row.threshold.value is None:
        return ""
    tied = {name for name, ranking in RANKINGS.items() if ranking.breaks_ties}
    debiased = {name: one.debiased for name, one in row.spearman.items() if one.debiased and name not in tied}
    names = [ranking_title(name) for name, block in debiased.items() if (block.per_context_low or 0) > 0]
    if names:
        return f"Its probabilities carry more: debiased, {', '.join(names)} agree with people (Spearman above 0)."
    if row.accuracy.value is None:
        return "Its probabilities may carry more, in debiased rankings; without people’s preferences nobody can tell."
    return "No debiased ranking by its probabilities is shown to agree with people either."


def weak_points(row: ReportRow) -> list[str]:
    """Return what to know about every figure of a row: few contexts, and pairs in one order."""
    few, both = few_contexts(row), checked_value(row, "both-orders")
    single = 0.0 if both is None else 1 - both
    one_sided = "each pair in one order only" if single == 1 else f"{single:.0%} of pairs in one order"
    return [*filter(None, [few]), *([one_sided] if single > MOST_ONE_SIDED else [])]


def few_contexts(row: ReportRow) -> str:
    """Return "rests on 6 contexts" for a row of few; "" for enough."""
    contexts = checked_value(row, "enough-contexts")
    return few_observations(None if contexts is None else int(contexts), "context")


def rivals(row: ReportRow, *, is_ranked: bool) -> str:
    """Return what two rows have in common whose figures are compared; "" for a row that is not compared.

    They share attribute, subset and pairs; for rankings, contexts instead of pairs. A row on few contexts is not
    compared, and neither is a judge that always gives one answer.
    """
    if is_constant(row) or few_contexts(row):
        return ""
    asked = row.asked and (row.asked.contexts if is_ranked else row.asked.pairs)
    return f"{row.name.attribute}\n{row.subset}\n{asked}"


def weak_point_notes(rows: Sequence[ReportRow]) -> list[str]:
    """Return the weak points of whole runs as notes, each with its runs."""
    return [f"{point[0].upper()}{point[1:]}: {who}." for point, who in _by_runs(rows, weak_points).items()]


def failed_check_notes(rows: Sequence[ReportRow]) -> list[str]:
    """Return a note with the trust checks that whole runs failed, each with its runs; none without any."""
    checks = _by_runs(rows, lambda row: [check.title for check in failed(row)])
    return [f"Failed trust checks: {'; '.join(f'{title} ({who})' for title, who in checks.items())}."] if checks else []


def _by_runs(rows: Sequence[ReportRow], points: Callable[[ReportRow], Sequence[str]]) -> dict[str, str]:
    """Return each point of the whole runs, with the runs that have it."""
    whole = [row for row in rows if row.is_whole]
    runs: dict[str, list[str]] = {}
    for row in whole:
        for point in points(row):
            runs.setdefault(point, []).append(str(row.name.run))
    return {
        point: "all runs" if len(named) == len(whole) else f"run {', '.join(named)}" for point, named in runs.items()
    }


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
    return [
        f"run {row.name.run}: failed checks: {'; '.join(f'{check.title} ({check.why})' for check in checks)}"
        for row in rows
        if row.is_whole and (checks := failed(row))
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
