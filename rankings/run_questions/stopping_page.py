"""`stopping`: what stopping when sure saves a run, and what it costs."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import coefficient, percent, ranking_title
from rankings.run_questions.stopping_report import StoppedAtBound, StoppedRun, StoppingReport, stopping_report
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


def _blocks(report: StoppingReport) -> Iterator[Block]:
    yield Sentence(stopping_sentence(report), is_lede=True)
    if report.stopped:
        by = f"Read it by {ranking_title(report.ranking)}; rankings by wins are distorted"
        yield Sentence(f"This run chose its pairs, so it cannot be replayed. {by}.")
    else:
        yield TitledTable(_table(report), "Replays to each bound")
        yield Sentence("To stop a run when sure, choose the pairs until-sure.")


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


def _table(report: StoppingReport) -> Table:
    """Return a row for each bound, and one for all answers."""
    whole = (Figure(report.comparisons / report.contexts), Figure(1.0), Figure(0.0), Figure(0.0))
    spearman = Figure(report.spearman.value, undefined=report.spearman.undefined)
    rows = (*map(_row, report.bounds), Row(("all answers",), (*whole, spearman, None)))
    notes = (
        f"Means over {counted(report.draws, 'replay')} of the recorded answers. Candidates are ordered by "
        f"{ranking_title(report.ranking)}.",
        "Difference: Spearman’s correlation per context with people, minus that of all answers, with its interval.",
    )
    return Table(("Bound",), STOPPING_COLUMNS, rows, notes=notes)


def _row(one: StoppedAtBound) -> Row:
    figures = (Figure(one.comparisons), Figure(one.asked), one.expected, one.reordered, one.spearman, one.difference)
    return Row((f"{one.bound:g}",), figures)


ANALYSIS = Analysis(
    name="stopping",
    title="Stop when sure",
    section=TabSection("Reliability", "When may it stop?", place=4),
    function=stopping_report,
    blocks=_blocks,
    examples=("stopping 7", "stopping 7 --bound 0.1 --bound 0.05 --draws 10 --json"),
    answers=LEFT_OUT,
)
