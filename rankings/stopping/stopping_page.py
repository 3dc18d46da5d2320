"""The sentence and the table of the page about stopping when sure."""

from __future__ import annotations

from django.http import QueryDict

from evenhand.numerics import Figure
from evenhand.units import counted
from rankings.report.number_text import coefficient, percent, ranking_title
from rankings.stopping.stopping_report import StoppedAtBound, StoppedRun, StoppingReport
from rankings.tables.figure_table import FigureTable, table_by_address
from rankings.tables.table import Column, Row, Table

_COMPUTED = "stopping/#what-is-computed"
STOPPING_COLUMNS = (
    Column(name="comparisons", title="Comparisons per context", kind="number", parts=()),
    Column(name="asked", title="Asked", parts=(), definition="stopping/#replays"),
    Column(name="expected", title="expected", group="Reordered pairs", parts=(), definition=_COMPUTED),
    Column(name="reordered", title="measured", group="Reordered pairs", parts=(), definition="stopping/#replays"),
    Column(name="spearman", title="Spearman", kind="coefficient", parts=(), definition="report/#spearman"),
    Column(name="difference", title="Difference", kind="coefficient", reference=0, observations="context"),
)


def stopping_sentence(report: StoppingReport) -> str:
    """Write what was saved, or what the usual bound would have saved."""
    if report.stopped:
        return _sentence_of_stopped(report.stopped)
    one = next((row for row in report.bounds if row.bound == 0.05), report.bounds[-1])
    begin = f"With a bound of {one.bound:g}, this judge could have stopped after {percent(one.asked)} of its answers"
    if one.difference.value is None:
        return f"{begin}."
    return f"{begin}, with a difference of {coefficient(one.difference.value)} in Spearman’s correlation."


def _sentence_of_stopped(stopped: StoppedRun) -> str:
    saved = percent(1 - stopped.comparisons / stopped.possible)
    expected = stopped.expected.value
    end = "" if expected is None else f" Expected share of reordered pairs: {percent(expected)}."
    return (
        f"Stopping when sure saved {saved} of the comparisons: {stopped.comparisons:,} of {stopped.possible:,} were "
        f"asked. {stopped.stopped_early:,} of {counted(stopped.contexts, 'context')} ended early.{end}"
    )


def stopping_table(report: StoppingReport, address: QueryDict) -> FigureTable:
    """Return a row for each bound, and one for all answers. address: its parameters, which sort the table."""
    whole = (Figure(report.comparisons / report.contexts), Figure(1.0), Figure(0.0), Figure(0.0))
    spearman = Figure(report.spearman.value, undefined=report.spearman.undefined)
    rows = (*map(_row, report.bounds), Row(("all answers",), (*whole, spearman, None)))
    notes = (
        f"Means over {counted(report.draws, 'replay')} of the recorded answers. Candidates are ordered by "
        f"{ranking_title(report.ranking)}.",
        "Difference: Spearman’s correlation per context with people, minus that of all answers, with its interval.",
    )
    return table_by_address(Table(("Bound",), STOPPING_COLUMNS, rows, notes=notes), "Replays to each bound", address)


def _row(one: StoppedAtBound) -> Row:
    figures = (Figure(one.comparisons), Figure(one.asked), one.expected, one.reordered, one.spearman, one.difference)
    return Row((f"{one.bound:g}",), figures)
