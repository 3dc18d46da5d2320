"""`replaced`: is a new judge better, the same or worse, by a margin."""

from collections.abc import Iterator
from functools import partial

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.significance.margins import Verdict
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable, two_runs_named
from rankings.compare.judge_replaced import JudgeReplaced, ReplacedSide, replace_judge
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import coefficient, percent, points, points_interval, ranking_title
from rankings.tables.table import Column, Row, Table

REFERENCE = "replaced-judges/"
VERDICT_TEXTS: dict[Verdict, str] = {
    "better": "Better by more than the margin",
    "same": "The same within the margin",
    "not worse": "Not worse by the margin",
    "worse": "Worse by more than the margin",
    "undecided": "Undecided",
}


def _blocks(result: JudgeReplaced) -> Iterator[Block]:
    yield Sentence(replaced_sentence(result), is_lede=True)
    yield TitledTable(_table(result), "Old and new judge")
    yield Sentence(f"{counted(result.comparisons, 'ordered pair')} that both runs answered.")
    options = f"--margin {result.margin:g}" + ("" if result.ranking is None else " --figure spearman")
    command = f"evenhand replaced {result.old.name.run} {result.new.name.run} {options}"
    yield Sentence(f"As a test for CI, “{command}” ends with status 0 if not worse, 1 if worse, 3 if undecided.")


def replaced_sentence(result: JudgeReplaced) -> str:
    """Write the verdict, then the difference with its interval and the margin."""
    verdict = VERDICT_TEXTS[result.verdict]
    if result.difference is None or result.low is None:
        return f"{verdict}: {result.undefined}."
    old, new = (_value(result, defined(side.value)) for side in (result.old, result.new))
    return (
        f"{verdict}. {_figure(result)} of run {result.new.name.run} ({result.new.name.judge}) is {new}, against {old} "
        f"of run {result.old.name.run} ({result.old.name.judge}): a difference of {_gap(result, result.difference)}, "
        f"95 % interval {_interval(result)}, margin {_gap(result, result.margin)}."
    )


def _table(result: JudgeReplaced) -> Table:
    """Return the figure of both judges, their difference, the margin and the noise floor."""
    column = partial(Column, kind="share" if result.figure == "accuracy" else "coefficient")
    verdicts = f"{REFERENCE}#verdicts"
    columns = (
        column(name="old", title=_title(result.old), parts=()),
        column(name="new", title=_title(result.new), parts=()),
        column(name="difference", title="Difference", reference=0, definition=verdicts, observations="context"),
        column(name="margin", title="Margin", parts=()),
        column(name="noise_floor", title="Noise floor", parts=()),
    )
    difference = Figure(result.difference, result.low, result.high, result.contexts, result.undefined)
    sides = (_of_side(result, result.old), _of_side(result, result.new))
    figures = (*sides, difference, Figure(result.margin), result.noise_floor)
    notes = ("Difference: new minus old, with its 95 % interval over contexts.",)
    return Table(("Figure",), columns, (Row((_figure(result),), figures),), notes=notes)


def _title(side: ReplacedSide) -> str:
    return f"{side.name.judge} (run {side.name.run})"


def _of_side(result: JudgeReplaced, side: ReplacedSide) -> Figure:
    return Figure.missing(result.undefined or "no value") if side.value is None else Figure(side.value)


def _figure(result: JudgeReplaced) -> str:
    if result.ranking is None:
        return "Accuracy"
    return f"Spearman per context ({ranking_title(result.ranking)})"


def _value(result: JudgeReplaced, value: float) -> str:
    return percent(value) if result.figure == "accuracy" else str(coefficient(value))


def _gap(result: JudgeReplaced, value: float) -> str:
    return points(value) if result.figure == "accuracy" else str(coefficient(value))


def _interval(result: JudgeReplaced) -> str:
    if result.figure == "accuracy":
        return points_interval(result.low, result.high)
    return f"{coefficient(defined(result.low))} to {coefficient(defined(result.high))}"


ANALYSIS = Analysis(
    name="replaced",
    title="Judge replaced",
    section=TabSection("Results", "Can a judge replace another?", place=5),
    of="two runs",
    function=replace_judge,
    blocks=_blocks,
    examples=("replaced 7 8 --margin 0.02", "replaced 7 8 --margin 0.05 --figure spearman --json"),
    answers=("order", *LEFT_OUT),
    status=lambda report: {"worse": 1, "undecided": 3}.get(report.verdict, 0),
    least_runs=2,
    two_runs=two_runs_named(old="Old run", new="New run"),
    definition=REFERENCE,
)
