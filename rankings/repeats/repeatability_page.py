"""`repeatability`: how often judges change their decisions when asked again."""

from collections.abc import Iterator

from django.urls import reverse

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.repeats.repeatability_report import (
    NoiseOfFigure,
    RepeatabilityReport,
    RepeatabilityRow,
    repeatability_report,
)
from rankings.report.printed_numbers import interval, percent, points
from rankings.tables.table import Column, Row, Table

_FLOOR = "repeatability/#noise-floor"
REPEAT_COLUMNS = (
    Column(name="flip_rate", title="Flip rate", definition="repeatability/#flip-rate", lowest_first=True),
    Column(name="kappa", title="Kappa", kind="coefficient", definition="repeatability/#kappa"),
    Column(name="accuracy", title="mean", group="Accuracy", parts=()),
    Column(name="accuracy_floor", title="noise floor", group="Accuracy", parts=(), definition=_FLOOR),
    Column(name="spearman", title="mean", group="Spearman", kind="coefficient", parts=()),
    Column(
        name="spearman_floor", title="noise floor", group="Spearman", kind="coefficient", parts=(), definition=_FLOOR
    ),
    Column(name="comparisons", title="Pairs", kind="count", parts=()),
)
REPEAT_NOTES = (
    "Flip rate: how often two repeats decide differently on the same ordered pair. Kappa: agreement beyond chance.",
    "Noise floor: two repeats differ by more than this in 5 % of cases. Spearman: per context, by Bradley-Terry.",
)


def _blocks(report: RepeatabilityReport) -> Iterator[Block]:
    if report.rows:
        yield Sentence(repeatability_sentence(report), is_lede=True)
        rows = tuple(map(_table_row, report.rows))
        table = Table(("Judge", "Attribute", "Repeats"), REPEAT_COLUMNS, rows, notes=REPEAT_NOTES)
        yield TitledTable(table, "Judges that were asked again")
    else:
        again = "Start the same run again with another seed and a temperature above 0."
        yield Sentence(f"No run repeats another. {again}", is_lede=True)
    for group in report.left_out or ():
        yield Sentence(f"Run {', '.join(map(str, group.runs))}: {group.why}.")


def _table_row(row: RepeatabilityRow) -> Row:
    repeats = f"{row.repeats} {row.between}, run {', '.join(map(str, row.runs))}"
    left_out = f", {counted(row.partly_answered, 'pair')} left out" if row.partly_answered else ""
    accuracy, spearman = row.figures
    floors = (_mean(accuracy), accuracy.noise_floor, _mean(spearman), spearman.noise_floor)
    return Row(
        (f"{row.name.judge}, {row.name.prompt}{row.name.settings}", row.name.attribute, repeats + left_out),
        (row.flip_rate, row.kappa, *floors, Figure(row.comparisons)),
        href=reverse("run-results", args=[row.name.run]),
    )


def _mean(one: NoiseOfFigure) -> Figure:
    return one.noise_floor if one.mean is None else Figure(one.mean)


def repeatability_sentence(report: RepeatabilityReport) -> str:
    """Write which judge changes its decisions most, and by how much."""
    known = [row for row in report.rows if row.flip_rate.value is not None]
    if not known:
        return ""
    worst = max(known, key=lambda row: defined(row.flip_rate.value))
    if worst.flip_rate.value == 0:
        return f"Asked again, {'the judge' if len(known) == 1 else 'every judge'} decides the same."
    return f"Asked again, {_title(worst)} changes {_flips(worst)} of its decisions.{_floor(worst)}"


def _title(row: RepeatabilityRow) -> str:
    return f"{row.name.judge} ({row.name.prompt})"


def _flips(row: RepeatabilityRow) -> str:
    share = percent(defined(row.flip_rate.value))
    return share if row.flip_rate.low is None else f"{share} (95 % interval {interval(row.flip_rate)})"


def _floor(row: RepeatabilityRow) -> str:
    accuracy = row.figures[0].noise_floor
    if accuracy.value is None:
        return ""
    repeats = counted(row.repeats, "repeat")
    return f" Differences of its accuracy below {points(accuracy.value)} are noise, by {repeats}."


ANALYSIS = Analysis(
    name="repeatability",
    title="Repeatability",
    section=TabSection("Checks", "Does a judge repeat itself?", place=2),
    function=repeatability_report,
    blocks=_blocks,
    examples=("repeatability --dataset SummEval", "repeatability --dataset SummEval --run 3 --run 4 --json"),
    of="dataset",
)
