"""`figure_table`: a table of figures as pages draw it, with the interval of each figure inside its cell.

templates/rankings/_figure_table.html draws it. static/css/tables.css and static/js/sort_table.js belong to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from django.http import QueryDict

from rankings.numerics import Figure
from rankings.tables.few_observations import few_observations
from rankings.tables.interval_plots import IntervalPlot, PlotScale, scale_of
from rankings.tables.sorting import Sort, sort_name
from rankings.tables.table import (
    DASH,
    TIES_NOTE,
    Cell,
    Column,
    ColumnGroup,
    Row,
    Table,
    TableStyle,
    printed_cells,
    printed_number,
)

LONG_TABLE = 12  # rows
MINUS = "\N{MINUS SIGN}"
PAGE_STYLE = TableStyle(interval="plus-minus")
BEST_NOTE = "Bold: the best of the rows that are compared."
INTERVAL_NOTE = "± is half the width of the 95 % interval; the line in a cell is the interval itself."


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureCell:
    """One figure. number: "" for an empty cell, a dash for a missing figure.

    interval: "±1.4" or "[80.1, 82.8]". details: the interval and n, on hover. plot: None without an interval.
    reason: why the figure is missing. note: the number of its footnote. sort_value: for sorting in the browser.
    own_n: "n = 468" where the column does not share one. warning: why a reader should doubt the figure, or "".
    """

    column: Column
    number: str
    interval: str = ""
    mark: str = ""
    is_tied: bool = False
    details: str = ""
    own_n: str = ""
    warning: str = ""
    plot: IntervalPlot | None = None
    reason: str = ""
    note: int = 0
    href: str = ""
    sort_value: str = ""


@dataclass(frozen=True, slots=True)
class SortLink:
    """A heading that sorts. direction: of the rows at present, for aria-sort; "" for another column."""

    title: str
    name: str
    href: str
    direction: str


@dataclass(frozen=True, slots=True)
class FigureHeading:
    """The heading of a column. n: "n = 468", or "" if the whole table shares it."""

    column: Column
    sort: SortLink
    n: str


@dataclass(frozen=True, slots=True)
class HeadingGroup:
    """Headings below a shared title; "" for a column on its own."""

    title: str
    headings: tuple[FigureHeading, ...]


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A row. name: its first name; more_names: the others that differ between rows, and a remark."""

    name: str
    more_names: str
    name_values: tuple[str, ...]
    cells: tuple[FigureCell, ...]
    href: str
    is_people: bool


@dataclass(frozen=True, slots=True)
class FigureSection:
    """Rows below a title; "" for none."""

    title: str
    rows: tuple[FigureRow, ...]


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A table for a page.

    shared: names and n that all rows share. reasons: footnotes, in order of their numbers.
    headline: the name of the column whose figure comes first on the cards of a phone.
    """

    label: str
    headline: str
    names: tuple[SortLink, ...]
    groups: tuple[HeadingGroup, ...]
    sections: tuple[FigureSection, ...]
    shared: str
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def headings(self) -> list[FigureHeading]:
        return [heading for group in self.groups for heading in group.headings]

    @property
    def is_long(self) -> bool:
        """Return True if the rows would fill several screens of a phone."""
        return sum(len(section.rows) for section in self.sections) > LONG_TABLE

    @property
    def has_group_titles(self) -> bool:
        return any(group.title for group in self.groups)

    @property
    def width(self) -> int:
        """Return the number of columns of the page's table."""
        return 1 + len(self.headings)


def figure_table(
    table: Table,
    *,
    label: str,
    address: QueryDict | None = None,
    sort: Sort | None = None,
    headline: str = "",
    style: TableStyle = PAGE_STYLE,
) -> FigureTable:
    """Return the table for a page. Columns without a value are not drawn, and named in a note.

    label: the name of the table for readers who do not see it. address: the parameters that links for sorting keep.
    sort: the order of the rows, which the caller has sorted. headline: the title of the first name of each row.
    """
    drawn, empty = _without_empty_columns(table)
    names, shared_names = _varying_names(drawn, headline)
    links = _SortLinks(address or QueryDict(), sort or Sort())
    shared_n, texts_of_n = _numbers_of_observations(drawn)
    footnotes = _Footnotes()
    cells = _CellMaker(drawn, style, texts_of_n, footnotes).rows()
    rows = [_row(row, drawn.name_titles, names, line) for row, line in zip(drawn.rows, cells, strict=True)]
    best = [BEST_NOTE] * any(cell.mark == "best" for line in cells for cell in line)
    ties = [TIES_NOTE] * any(row.ties for row in drawn.rows)
    plots = [INTERVAL_NOTE] * any(cell.plot for line in cells for cell in line)
    return FigureTable(
        label=label,
        headline=_headline_column(drawn, links.sort),
        names=tuple(links.of_name(drawn.name_titles[place]) for place in names),
        groups=tuple(_heading_group(group, links, texts_of_n) for group in drawn.groups),
        sections=_sections(drawn.rows, rows),
        shared=" · ".join([*shared_names, *([shared_n] if shared_n else [])]),
        reasons=tuple(footnotes.texts),
        notes=(*best, *ties, *plots, *empty, *table.notes),
    )


def _headline_column(table: Table, sort: Sort) -> str:
    """Return the column that sorts the table, else the first one that marks the best, else the first."""
    names = [column.name for column in table.columns]
    best = [column.name for column in table.columns if column.marks_best]
    return next(iter([*(name for name in names if name == sort.name), *best, *names]), "")


def _without_empty_columns(table: Table) -> tuple[Table, list[str]]:
    """Return the table with the columns that have a value, and a note that names the others by reason."""
    kept = [
        place
        for place in range(len(table.columns))
        if any((figure := row.figures[place]) is not None and figure.value is not None for row in table.rows)
    ]
    dropped = [place for place in range(len(table.columns)) if place not in kept]
    if not table.rows or not dropped:
        return table, []
    return _with_columns(table, kept), _notes_on_empty_columns(table, dropped)


def _with_columns(table: Table, places: Sequence[int]) -> Table:
    rows = (
        replace(
            row,
            figures=tuple(row.figures[place] for place in places),
            ties=frozenset(at for at, place in enumerate(places) if place in row.ties),
            cell_hrefs=tuple(row.cell_hrefs[place] for place in places) if row.cell_hrefs else (),
        )
        for row in table.rows
    )
    return replace(table, columns=tuple(table.columns[place] for place in places), rows=tuple(rows))


def _notes_on_empty_columns(table: Table, places: Sequence[int]) -> list[str]:
    titles: dict[str, list[str]] = {}
    for place in places:
        figures = [figure for row in table.rows if (figure := row.figures[place]) is not None]
        reasons = dict.fromkeys(figure.undefined or "no value" for figure in figures)
        titles.setdefault("; ".join(reasons) or "no value", []).append(table.columns[place].full_title)
    return [f"Without a value in any row: {', '.join(names)} ({reason})." for reason, names in titles.items()]


def _varying_names(table: Table, headline: str) -> tuple[list[int], list[str]]:
    """Return the places of the names that differ between rows, the headline first, and those that all rows share."""
    judged = [row for row in table.rows if not row.is_people]
    places = list(range(len(table.name_titles)))
    varying = [place for place in places if len({row.names[place] for row in judged}) > 1]
    first = [place for place in places if table.name_titles[place] == headline] or varying[:1] or places[:1]
    shared = [
        f"{table.name_titles[place].lower()} {judged[0].names[place]}"
        for place in places
        if judged and place not in (*varying, *first) and judged[0].names[place] != ""
    ]
    return [*first, *(place for place in varying if place not in first)], shared


def _numbers_of_observations(table: Table) -> tuple[str, dict[str, str]]:
    """Return the n that all figures share, or "", and column -> its n where they do not."""
    numbers = {
        column.name: {
            figure.n
            for row in table.rows
            if (figure := row.figures[place]) is not None and figure.value is not None and figure.n is not None
        }
        for place, column in enumerate(table.columns)
        if column.kind != "count"
    }
    every = set[int]().union(*numbers.values())
    if len(every) == 1:
        return f"n = {every.pop():,}", {}
    return "", {name: _range_of_n(own) for name, own in numbers.items() if own}


def _range_of_n(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"n = {low:,}" if low == high else f"n = {low:,}–{high:,}"


class _Footnotes:
    """The reasons of missing figures, each with a number."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def number_of(self, reason: str) -> int:
        """Return the number of a reason, from 1. A new one is added."""
        if reason not in self.texts:
            self.texts.append(reason)
        return self.texts.index(reason) + 1


@dataclass(frozen=True, slots=True)
class _CellMaker:
    """Makes the cells of a table. texts_of_n: column -> its n, where the table does not share one."""

    table: Table
    style: TableStyle
    texts_of_n: Mapping[str, str]
    footnotes: _Footnotes

    def rows(self) -> list[tuple[FigureCell, ...]]:
        scales = [
            scale_of([row.figures[place] for row in self.table.rows], column.reference)
            for place, column in enumerate(self.table.columns)
        ]
        printed = printed_cells(self.table, self.style)
        return [self._row(row, line, scales) for row, line in zip(self.table.rows, printed, strict=True)]

    def _row(self, row: Row, printed: Sequence[Cell], scales: Sequence[PlotScale | None]) -> tuple[FigureCell, ...]:
        hrefs = row.cell_hrefs or ("",) * len(printed)
        columns = zip(row.figures, self.table.columns, printed, scales, hrefs, strict=True)
        return tuple(
            self._cell(figure, column, cell, scale, href)
            if figure is not None
            else FigureCell(column=column, number="")
            for figure, column, cell, scale, href in columns
        )

    def _cell(self, figure: Figure, column: Column, printed: Cell, scale: PlotScale | None, href: str) -> FigureCell:
        if figure.value is None:
            reason = figure.undefined or "no value"
            return FigureCell(column=column, number=DASH, reason=reason, note=self.footnotes.number_of(reason))
        n = "" if figure.n is None or column.kind == "count" else f"n = {figure.n:,}"
        return FigureCell(
            column=column,
            number=_signed(printed.number),
            interval=_signed(printed.interval.replace("± ", "±")),
            mark=printed.mark,
            is_tied=printed.is_tied,
            details=", ".join(filter(None, [_interval_text(figure, column, self.style), n])),
            own_n=n if self.texts_of_n.get(column.name, n) != n else "",
            warning=few_observations(figure.n, column.observations) if column.observations else "",
            plot=scale.plot(figure) if scale else None,
            href=href,
            sort_value=f"{figure.value:.10g}",
        )


def _interval_text(figure: Figure, column: Column, style: TableStyle) -> str:
    if figure.low is None or figure.high is None:
        return ""
    low, high = (_signed(printed_number(end, column, style)) for end in (figure.low, figure.high))
    return f"95 % CI {low} to {high}{' %' if column.kind == 'share' else ''}"


def _signed(text: str) -> str:
    """Write a true minus sign."""
    return text.replace("-", MINUS)


class _SortLinks:
    """Links that sort the table. They keep the other parameters of the address."""

    def __init__(self, address: QueryDict, sort: Sort) -> None:
        self.address, self.sort = address, sort

    def of_figure(self, column: Column) -> SortLink:
        return self._link(column.title, column.name, usual="descending", opposite="ascending")

    def of_name(self, title: str) -> SortLink:
        return self._link(title, sort_name(title), usual="ascending", opposite="descending")

    def _link(self, title: str, name: str, *, usual: str, opposite: str) -> SortLink:
        parameters = self.address.copy()
        parameters["sort"] = self.sort.after_click(name)
        direction = (opposite if self.sort.is_opposite else usual) if self.sort.name == name else ""
        return SortLink(title, name, f"?{parameters.urlencode()}", direction)


def _heading_group(group: ColumnGroup, links: _SortLinks, texts_of_n: Mapping[str, str]) -> HeadingGroup:
    return HeadingGroup(
        group.title,
        tuple(
            FigureHeading(column, links.of_figure(column), texts_of_n.get(column.name, "")) for column in group.columns
        ),
    )


def _row(row: Row, titles: Sequence[str], names: Sequence[int], cells: tuple[FigureCell, ...]) -> FigureRow:
    if row.is_people:
        texts = [text for text in map(str, row.names) if text]
    else:
        texts = [_name(titles[place], row.names[place]) for place in names]
    first, *more = texts or [""]
    return FigureRow(first, " · ".join(filter(None, [*more, row.detail])), tuple(texts), cells, row.href, row.is_people)


def _name(title: str, name: str | int) -> str:
    """Write a name. A number is written behind its title, for example "run 7"."""
    return f"{title.lower()} {name}" if isinstance(name, int) else name


def _sections(rows: Sequence[Row], drawn: Sequence[FigureRow]) -> tuple[FigureSection, ...]:
    pairs = zip(rows, drawn, strict=True)
    return tuple(
        FigureSection(title, tuple(one for _, one in members))
        for title, members in groupby(pairs, key=lambda pair: pair[0].section)
    )
