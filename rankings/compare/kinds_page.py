"""`kinds`: accuracy by subset, length or any field of the contexts."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.significance.families import LEVEL_OF_TEST
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.compare.kinds_report import BY_LENGTH, KindRow, KindsReport, kinds_report
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import points, points_interval
from rankings.report.report_choice import SUBSET
from rankings.tables.table import Column, Row, Table

KIND_COLUMNS = (
    Column(name="accuracy", title="Accuracy", definition="kinds/", reference=0.5, observations="comparison"),
    Column(name="difference", title="Against the others", definition="kinds/", reference=0, is_difference=True),
    Column(name="p_value", title="p", kind="p", parts=(), lowest_first=True),
    Column(name="p_value_holm", title="p, Holm", kind="p", parts=(), definition="kinds/", lowest_first=True),
    Column(name="contexts", title="Contexts", kind="count", parts=()),
    Column(name="needed", title="Contexts needed", kind="count", parts=(), definition="kinds/#contexts-needed"),
)


def _blocks(report: KindsReport) -> Iterator[Block]:
    yield Sentence(kinds_sentence(report), is_lede=True)
    yield TitledTable(Table((report.by.capitalize(),), KIND_COLUMNS, tuple(map(_row, report.kinds))), "Kinds")
    if report.unnamed:
        yield Sentence(f"{counted(report.unnamed, 'context')} without this field, left out.")
    yield Sentence("p: two-sided test against all other kinds. Holm’s correction holds over all rows.")


def kinds_sentence(report: KindsReport) -> str:
    """Write the kind that is furthest below the others, if a test finds one; else how many contexts would find it."""
    tested = [one for one in report.kinds if one.found.p_value_holm is not None]
    if not tested:
        return f"No kind can be tested: {report.kinds[0].found.difference.undefined}."
    different = [one for one in tested if defined(one.found.p_value_holm) < LEVEL_OF_TEST]
    if different:
        worst = min(different, key=lambda one: defined(one.found.difference.value))
        difference = worst.found.difference
        gap, low, high = (defined(end) for end in (difference.value, difference.low, difference.high))
        word = "Worse" if gap < 0 else "Better"
        return (
            f"{word} on {report.by} {worst.kind}: {points(gap)} against the other kinds, {points_interval(low, high)}."
        )
    largest = max(tested, key=lambda one: abs(defined(one.found.difference.value)))
    begin, needed = "No kind differs from the others, after Holm’s correction.", largest.found.needed
    if needed is None:
        return begin
    return f"{begin} To find the gap of {report.by} {largest.kind}, {counted(needed, 'context')} would be needed."


def _row(row: KindRow) -> Row:
    one = row.found
    why = one.difference.undefined or "no number would find it"
    p_values = (
        Figure(value, undefined=None if value is not None else why) for value in (one.p_value, one.p_value_holm)
    )
    is_found = one.p_value_holm is not None and one.p_value_holm < LEVEL_OF_TEST
    why_none = "the test finds the difference" if is_found else why
    needed = Figure(one.needed, undefined=None if one.needed else why_none)
    return Row((row.kind,), (one.accuracy, one.difference, *p_values, Figure(one.contexts), needed))


ANALYSIS = Analysis(
    name="kinds",
    title="Kinds of text",
    section=TabSection("Results", "Worse on some kinds of text?", place=2),
    function=kinds_report,
    blocks=_blocks,
    examples=("kinds 7 --by subset", "kinds 7 --by length --json"),
    answers=("order", *LEFT_OUT),
    of_pairs=False,
    preset=lambda run: {"by": [SUBSET if run.dataset.contexts.exclude(subset="").exists() else BY_LENGTH]},
)
