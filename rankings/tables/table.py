"""`Table`: rows of figures under titles. Every writer of tables prints the cells of `printed_cells`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, TypeVar

from evenhand.numerics import Figure, MeanFigure
from evenhand.numerics.figure import defined
from evenhand.refusals import Refused

T = TypeVar("T")
Kind = Literal["share", "coefficient", "count", "number", "p"]
Mark = Literal["best", ""]
IntervalStyle = Literal["brackets", "plus-minus", "subscript", "none"]
INTERVAL_STYLES: tuple[IntervalStyle, ...] = ("brackets", "plus-minus", "subscript", "none")
DASH, DAGGER = "–", "†"
PLUS_MINUS_NOTE = "± is half the width of the interval."
FOR_COMPARISON = "For comparison"
TIES_NOTE = f"{DAGGER} Not significantly worse than the best (Holm-adjusted p ≥ .05; tests against the best)."
BEST_NOTE = "Bold: the best of the rows that are compared."
MOST_DIGITS = 6
SMALLEST_P = 0.001
LABEL = re.compile(r"\A[\w:.-]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of figures.

    name: in files. title: printed; group: a heading that neighbours share, or "".
    kind: shares are printed as percentages, numbers as briefly as possible, and p as a p-value.
    marks_best: the highest value is marked. lowest_first: pages sort it lowest first, as ranks and p-values.
    parts: the fields of a figure that spreadsheets get besides its value.
    definition: its address below docs/reference/, or "". reference: a value that pages mark, such as chance.
    observations: a noun for n; pages warn about means over few of them. "" for no warning.
    is_difference: its figures are differences, printed with their sign.
    """

    name: str
    title: str
    group: str = ""
    kind: Kind = "share"
    marks_best: bool = False
    parts: tuple[str, ...] = ("low", "high", "n")
    definition: str = ""
    reference: float | None = None
    observations: str = ""
    lowest_first: bool = False
    is_difference: bool = False

    @property
    def full_title(self) -> str:
        """Return the title with its group."""
        return f"{self.group} {self.title}".strip()

    @property
    def heading(self) -> str:
        """Return the title with its group and unit."""
        return self.full_title + self.unit

    @property
    def unit(self) -> str:
        """Return the unit behind a title; "" for none."""
        if self.kind != "share":
            return ""
        return " (points)" if self.is_difference else " (%)"


@dataclass(frozen=True)
class WithKappa(MeanFigure):
    """An accuracy with Cohen's kappa of the same decisions; None where chance agreement is certain."""

    kappa: float | None = None


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Neighbouring columns below one heading, or a column without one."""

    title: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    figures: one per column; None for an empty cell.
    rivals: rows with the same text compete for the marks; "" for none.
    of: "judge", one under test; "people", whom CSV files, which programs read, leave out; or "comparison": people or a
    judge that reads nothing, below all others.
    ties: the places of columns in which the row is not significantly worse than the best of its rivals.
    untested: those in which no test can say whether it is, so that the row has no mark.
    section: on pages and in papers, neighbours with the same text stand below it; "" for none.
    detail: on pages, a remark behind the names.
    href: on pages, the address behind the names. cell_hrefs: those behind the figures; () for none.
    cell_rivals: the rivals of each figure, where they are not those of the row; () if they are.
    """

    names: tuple[str | int, ...]
    figures: tuple[Figure | None, ...]
    rivals: str = ""
    of: Literal["judge", "people", "comparison"] = "judge"
    ties: frozenset[int] = frozenset()
    untested: frozenset[int] = frozenset()
    section: str = ""
    detail: str = ""
    href: str = ""
    cell_hrefs: tuple[str, ...] = ()
    cell_rivals: tuple[str, ...] = ()

    def rivals_at(self, place: int) -> str:
        """Return the rivals of a figure; "" if it is not compared."""
        return self.cell_rivals[place] if self.cell_rivals else self.rivals


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures.

    heads: printed above the table: what a reader must know first. notes: printed below it.
    comments: advice for authors, which no paper prints.
    figure_notes: on marks, numbers of observations and missing figures. Pages write these in headings and footnotes.
    headline: the title of the name that comes first on pages and in papers, even if all rows share it.
    elsewhere: the titles of names that stand in the sections, or in the details, of pages and papers.
    """

    name_titles: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    figure_notes: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    headline: str = ""
    elsewhere: tuple[str, ...] = ()

    @property
    def groups(self) -> list[ColumnGroup]:
        """Return the columns by the heading that they share. A column without one is a group of its own."""
        groups: list[ColumnGroup] = []
        for column in self.columns:
            if groups and column.group and groups[-1].title == column.group:
                groups[-1] = ColumnGroup(column.group, (*groups[-1].columns, column))
            else:
                groups.append(ColumnGroup(column.group, (column,)))
        return groups

    def value(self, row: Row, name: str) -> float | None:
        """Return the value of a row in a column."""
        figure = row.figures[[column.name for column in self.columns].index(name)]
        return figure.value if figure else None

    def with_columns(self, places: Sequence[int]) -> "Table":
        """Return the table with its columns of figures at these places alone."""
        rows = (
            replace(
                row,
                figures=tuple(row.figures[place] for place in places),
                ties=frozenset(at for at, place in enumerate(places) if place in row.ties),
                untested=frozenset(at for at, place in enumerate(places) if place in row.untested),
                cell_hrefs=tuple(row.cell_hrefs[place] for place in places) if row.cell_hrefs else (),
                cell_rivals=tuple(row.cell_rivals[place] for place in places) if row.cell_rivals else (),
            )
            for row in self.rows
        )
        return replace(self, columns=tuple(self.columns[place] for place in places), rows=tuple(rows))


@dataclass(frozen=True, slots=True)
class TableStyle:
    """The looks of a printed table. digits: decimals of percentages; coefficients have two more. May raise Refused."""

    digits: int = 1
    interval: IntervalStyle = "brackets"
    caption: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        problems = []
        if not 0 <= self.digits <= MOST_DIGITS:
            problems.append(f"digits: {self.digits} is not between 0 and {MOST_DIGITS}")
        if not LABEL.fullmatch(self.label):
            problems.append(f'label: "{self.label}" has other characters than letters, digits and _ : . -')
        if problems:
            raise Refused(*problems)


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of one figure. is_tied: with the best, by a test.

    interval: "[80.1, 82.8]", "± 1.3" or "(sd 2)". kappa: "κ 0.61", beside an accuracy.
    """

    number: str
    interval: str = ""
    mark: Mark = ""
    is_tied: bool = False
    kappa: str = ""

    @property
    def beside(self) -> str:
        """Return what stands behind the number."""
        return f"{self.interval} {self.kappa}".strip()

    @property
    def marked_number(self) -> str:
        """Return the number, with a dagger if it is not significantly worse than the best."""
        return self.number + DAGGER * self.is_tied


def printed_cells(table: Table, style: TableStyle) -> list[list[Cell]]:
    """Return the cells of every row. An undefined figure is a dash."""
    texts = [
        [_number(figure, column, style) for figure, column in zip(row.figures, table.columns, strict=True)]
        for row in table.rows
    ]
    marks = _marks(table, texts)
    return [
        [
            Cell(text, _interval(figure, column, style), marks.get((at, place), ""), place in row.ties, _kappa(figure))
            for place, (text, figure, column) in enumerate(zip(line, row.figures, table.columns, strict=True))
        ]
        for at, (row, line) in enumerate(zip(table.rows, texts, strict=True))
    ]


def under_headings(table: Table, lines: Sequence[T], heading: Callable[[str], T]) -> list[T]:
    """Return the printed lines of a table with a heading above each section that has a title. lines: one per row."""
    printed: list[T] = []
    for title, members in groupby(zip(table.rows, lines, strict=True), key=lambda one: one[0].section):
        printed += [*([heading(title)] if title else []), *(line for _, line in members)]
    return printed


def printed_notes(table: Table, style: TableStyle, *, has_marks: bool = False) -> tuple[str, ...]:
    """Return the notes of a table in a style. has_marks: the best figures are marked, which a note explains."""
    ties = [TIES_NOTE] * any(row.ties for row in table.rows)
    has_intervals = any(figure and figure.low is not None for row in table.rows for figure in row.figures)
    plus_minus = [PLUS_MINUS_NOTE] * (style.interval == "plus-minus" and has_intervals)
    notes = (*table.notes, *table.figure_notes, *ties, *plus_minus)
    is_marked = has_marks and any(cell.mark for line in printed_cells(table, style) for cell in line)
    return (*notes, *[BEST_NOTE] * (is_marked and not any(note.startswith("Bold:") for note in notes)))


def printed_number(value: float, column: Column, style: TableStyle) -> str:
    """Print a value of a column. A value that rounds to zero has no sign."""
    text = _printed_value(value, column, style)
    is_positive = column.is_difference and any(digit in text for digit in "123456789") and value > 0
    return f"+{text}" if is_positive else text


def _printed_value(value: float, column: Column, style: TableStyle) -> str:
    if column.kind == "count":
        return f"{value:,.0f}"
    if column.kind == "number":
        return f"{value:.4g}"
    if column.kind == "p":
        return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.3f}"
    share = column.kind == "share"
    text = f"{100 * value if share else value:.{style.digits if share else style.digits + 2}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _number(figure: Figure | None, column: Column, style: TableStyle) -> str:
    if figure is None:
        return ""
    return DASH if figure.value is None else printed_number(figure.value, column, style)


def _interval(figure: Figure | None, column: Column, style: TableStyle) -> str:
    """Print the interval of a figure, or the standard deviation of a mean.

    Plus-minus is half the width of an interval, because intervals need not be symmetric.
    """
    if isinstance(figure, MeanFigure) and figure.sd is not None and style.interval != "none":
        return f"(sd {_printed_value(figure.sd, column, style)})"
    if figure is None or figure.low is None or figure.high is None or style.interval == "none":
        return ""
    if style.interval == "plus-minus":
        return f"± {_printed_value((figure.high - figure.low) / 2, column, style)}"
    return f"[{printed_number(figure.low, column, style)}, {printed_number(figure.high, column, style)}]"


def _kappa(figure: Figure | None) -> str:
    return f"κ {figure.kappa:.2f}" if isinstance(figure, WithKappa) and figure.kappa is not None else ""


def _marks(table: Table, texts: Sequence[Sequence[str]]) -> dict[tuple[int, int], Mark]:
    """Return (row, column) -> mark. Values that print alike share a mark; without a difference there is none."""
    marks: dict[tuple[int, int], Mark] = {}
    for place, column in enumerate(table.columns):
        if column.marks_best:
            for rivals in {row.rivals_at(place) for row in table.rows} - {""}:
                rows = [
                    at
                    for at, row in enumerate(table.rows)
                    if row.rivals_at(place) == rivals and place not in row.untested
                ]
                figures = {at: table.rows[at].figures[place] for at in rows}
                values = {at: figure.value for at, figure in figures.items() if figure and figure.value is not None}
                best = texts[max(values, key=lambda at: defined(values[at]))][place] if values else ""
                winners = [at for at in values if texts[at][place] == best]
                marks |= {(at, place): "best" for at in winners if len(winners) < len(values)}
    return marks
