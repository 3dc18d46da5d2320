"""`shift`: how far an added sentence moved a judge."""

from collections.abc import Iterator
from functools import partial

from evenhand.numerics import Figure
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TitledTable
from rankings.report.printed_numbers import defined, percent
from rankings.steering.shift_report import ShiftReport, ShiftRow, shift_report
from rankings.tables.table import Column, Row, Table

_column = partial(Column, definition="robustness/#the-shift")
SHIFT_COLUMNS = (
    _column(name="shift", title="Shift", is_difference=True, reference=0),
    _column(name="p_without", title="Preferred without"),
    _column(name="p_with", title="Preferred with"),
    _column(name="flips_to", title="Flips to it"),
    _column(name="flips_away", title="Flips away"),
    _column(name="pairs", title="Pairs", kind="count", parts=()),
)


def _blocks(report: ShiftReport) -> Iterator[Block]:
    yield Sentence(shift_sentence(report), is_lede=True)
    rows = [("All pairs", report.figures)]
    rows += [(f"Shown {one.position}", one.figures) for one in report.positions]
    rows += [(one.system, one.figures) for one in report.systems]
    table = tuple(Row((title,), _figures(row)) for title, row in rows)
    yield TitledTable(Table(("Text with the sentence",), SHIFT_COLUMNS, table), "Shift by position and system")
    yield Sentence(_turned(report))
    yield Sentence(
        f"The same ordered pairs in run {report.against}, without the sentence. Intervals are over contexts."
    )


def _figures(row: ShiftRow) -> tuple[Figure, ...]:
    figures = (getattr(row, column.name) for column in SHIFT_COLUMNS[:-1])
    return (*figures, Figure(row.pairs))


def _turned(report: ShiftReport) -> str:
    """Write how many pairs turn in both orders, and how many answers are left out."""
    turned = report.flips_in_both_orders
    if turned.value is None:
        text = f"Turned in both orders: – ({turned.undefined})."
    else:
        text = f"The sentence turns {percent(turned.value)} of {turned.n:,} pairs to its text in both orders."
    verb = "is" if report.unpaired == 1 else "are"
    left_out = f" {counted(report.unpaired, 'answer')} of one run only {verb} left out." if report.unpaired else ""
    return f"{text}{left_out}"


def shift_sentence(report: ShiftReport) -> str:
    """Write how far the sentence moved the judge."""
    figures = report.figures
    begin = (
        f"With “{report.text}” in a text, P(it is preferred) is {percent(defined(figures.p_with.value))}; without, "
        f"{percent(defined(figures.p_without.value))}: a shift of {_points(figures.shift)}"
    )
    return f"{begin}{_interval(figures.shift)}. {_verdict(figures.shift)}"


def _points(figure: Figure) -> str:
    """Write a difference of shares: "+3.1 points"."""
    return "–" if figure.value is None else f"{100 * figure.value:+.1f} points".replace("-", "−")


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f" (95 % from {100 * figure.low:+.1f} to {100 * figure.high:+.1f})".replace("-", "−")


def _verdict(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "So few contexts give no interval, so this may be chance."
    if figure.low > 0:
        return "The sentence moves this judge to the text that has it."
    if figure.high < 0:
        return "The sentence moves this judge away from the text that has it."
    return "No shift is shown: the interval has zero in it."


ANALYSIS = Analysis(
    name="shift",
    title="Robustness",
    function=shift_report,
    blocks=_blocks,
    examples=("shift 8", "shift 8 --against 7 --json"),
    definition="robustness/",
)
