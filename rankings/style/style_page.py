"""The sentence and the tables of the page about style."""

from __future__ import annotations

from django.http import QueryDict

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from rankings.report.number_text import coefficient
from rankings.style.style_report import StyledSystem, StyleReport
from rankings.tables.figure_table import FigureTable, table_by_address
from rankings.tables.table import Column, Row, Table

EFFECT = Column(name="coefficient", title="Coefficient", kind="coefficient", reference=0, definition="style/#the-model")
STYLED_COLUMNS = (
    Column(name="after", title="Score, controlled", kind="coefficient", reference=0, definition="style/#the-model"),
    Column(name="before", title="Score", kind="coefficient", reference=0),
    Column(name="rank_after", title="Rank, controlled", kind="number", parts=(), lowest_first=True),
    Column(name="rank_before", title="Rank", kind="number", parts=(), lowest_first=True),
)


def style_sentence(report: StyleReport) -> str:
    """Write the strongest clear effect of style, and how many systems change rank."""
    clear = [one for one in report.coefficients if one.coefficient.low is not None and _is_clear(one.coefficient)]
    moved = sum(row.rank_before != row.rank_after for row in report.systems)
    end = f"With style held fixed, {moved} of {len(report.systems)} systems change rank."
    if not clear:
        return f"No feature of style has a clear effect on this judge. {end}"
    strongest = max(clear, key=lambda one: abs(defined(one.coefficient.value)))
    value = defined(strongest.coefficient.value)
    prefers = "more" if value > 0 else "fewer"
    return f"This judge prefers texts with {prefers} {strongest.feature} (coefficient {coefficient(value)}). {end}"


def effects_table(report: StyleReport, address: QueryDict) -> FigureTable:
    """Return a row for each feature with a coefficient, and one for the position bias."""
    known = [one for one in report.coefficients if one.coefficient.value is not None]
    rows = [Row((one.feature,), (one.coefficient,)) for one in known]
    rows.append(Row(("position, first",), (report.position_bias,)))
    notes = ["In log-odds, for two texts if only one has the feature. Intervals allow dependence within contexts."]
    if absent := [one.feature for one in report.coefficients if one.coefficient.value is None]:
        notes.append(f"The compared texts never differ in {', '.join(absent)}.")
    return table_by_address(
        Table(("Feature",), (EFFECT,), tuple(rows), notes=tuple(notes)), "Effects of style", address
    )


def styled_systems_table(report: StyleReport, address: QueryDict) -> FigureTable:
    """Return a row for each system, the best after control first."""
    return table_by_address(Table(("System",), STYLED_COLUMNS, tuple(map(_row, report.systems))), "Systems", address)


def _row(row: StyledSystem) -> Row:
    return Row((row.system,), (row.after, row.before, Figure(row.rank_after), Figure(row.rank_before)))


def _is_clear(figure: Figure) -> bool:
    return defined(figure.low) > 0 or defined(figure.high) < 0
