"""`figure_table`: a table of figures as pages draw it, with the interval of each figure inside its cell.

templates/rankings/_figure_table.html draws it. static/css/tables.css and static/js/sort_table.js belong to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import QueryDict

from rankings.tables.figure_cells import CellMaker, FigureCell, Footnotes
from rankings.tables.numbers_of_observations import numbers_of_observations
from rankings.tables.paper_table import texts_of_names, varying_names, without_empty_columns
from rankings.tables.sorting import Sort, sort_name, sorted_table
from rankings.tables.table import (
    BEST_NOTE,
    PLUS_MINUS_NOTE,
    TIES_NOTE,
    Column,
    ColumnGroup,
    IntervalStyle,
    Row,
    Table,
    TableStyle,
)


@dataclass(frozen=True, slots=True)
class SortLink:
    """A heading that sorts. direction: of the rows at present, for aria-sort; "" for another column."""

    title: str
    name: str
    href: str
    direction: str


class SortLinks:
    """Links that sort the table. They keep the other parameters of the address."""

    def __init__(self, address: QueryDict, sort: Sort) -> None:
        self.address, self.sort = address, sort

    def of_figure(self, column: Column) -> SortLink:
        usual, opposite = ("ascending", "descending") if column.lowest_first else ("descending", "ascending")
        return self._link(column.title, column.name, usual=usual, opposite=opposite)

    def of_name(self, title: str) -> SortLink:
        return self._link(title, sort_name(title), usual="ascending", opposite="descending")

    def _link(self, title: str, name: str, *, usual: str, opposite: str) -> SortLink:
        parameters = self.address.copy()
        parameters["sort"] = self.sort.after_click(name)
        direction = (opposite if self.sort.is_opposite else usual) if self.sort.name == name else ""
        return SortLink(title, name, f"?{parameters.urlencode()}", direction)


LONG_TABLE = 30  # rows
PAGE_STYLE = TableStyle(interval="plus-minus")
INTERVAL_NOTES: Mapping[IntervalStyle, str] = {
    "plus-minus": "± is half the width of the 95 % interval; the line in a cell is the interval itself.",
    "brackets": "Brackets, and the line in a cell: the 95 % interval.",
    "subscript": "Subscripts, and the line in a cell: the 95 % interval.",
    "none": "The line in a cell is the 95 % interval.",
}


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

    heads: what a reader must know first. shared: names and n that all rows share.
    reasons: footnotes, in order of their numbers.
    headline: the name of the column whose figure comes first on the cards of a phone.
    is_part: the table is one page of a longer one, so that only the server can sort it.
    """

    label: str
    headline: str
    names: tuple[SortLink, ...]
    groups: tuple[HeadingGroup, ...]
    sections: tuple[FigureSection, ...]
    shared: str
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    heads: tuple[str, ...] = ()
    is_part: bool = False

    @property
    def headings(self) -> list[FigureHeading]:
        return [heading for group in self.groups for heading in group.headings]

    @property
    def n_rows(self) -> int:
        return sum(len(section.rows) for section in self.sections)

    @property
    def is_long(self) -> bool:
        """Return True if the rows would fill several screens. They scroll in a frame then, but on phones and paper."""
        return self.n_rows > LONG_TABLE

    @property
    def has_group_titles(self) -> bool:
        return any(group.title for group in self.groups)

    @property
    def width(self) -> int:
        """Return the number of columns of the page's table."""
        return 1 + len(self.headings)


def table_by_address(
    table: Table,
    label: str,
    address: QueryDict,
    *,
    sort: str = "",
    **looks: Any,  # noqa: ANN401 - as in `figure_table`
) -> FigureTable:
    """Return a table for a page, sorted as the address says, else by `sort`."""
    chosen = Sort.parse(address.get("sort", sort))
    return figure_table(sorted_table(table, chosen), label=label, address=address, sort=chosen, **looks)


def figure_table(
    table: Table,
    *,
    label: str,
    address: QueryDict | None = None,
    sort: Sort | None = None,
    first_on_cards: str = "",
    style: TableStyle = PAGE_STYLE,
    is_part: bool = False,
) -> FigureTable:
    """Return the table for a page. Columns without a value are not drawn, and named in a note.

    A table without any value has no other note.

    label: the name of the table for readers who do not see it. address: the parameters that links for sorting keep.
    sort: the order of the rows, which the caller has sorted.
    first_on_cards: the column whose figure comes first on a phone. Default: the one that sorts, else one with marks.
    is_part: the rows are one page of a longer table.
    """
    drawn, empty = without_empty_columns(table)
    names, shared_names = varying_names(drawn)
    links = SortLinks(address or QueryDict(), sort or Sort())
    shared_n, texts_of_n = numbers_of_observations(drawn)
    footnotes = Footnotes()
    cells = CellMaker(drawn, style, texts_of_n, footnotes).rows()
    rows = [_row(row, drawn.name_titles, names, line) for row, line in zip(drawn.rows, cells, strict=True)]
    best = [BEST_NOTE] * any(cell.mark == "best" for line in cells for cell in line)
    ties = [TIES_NOTE] * any(row.ties for row in drawn.rows)
    intervals = _interval_notes([cell for line in cells for cell in line], style.interval)
    return FigureTable(
        label=label,
        headline=_headline_column(drawn, links.sort, first_on_cards),
        names=tuple(links.of_name(drawn.name_titles[place]) for place in names),
        groups=tuple(_heading_group(group, links, texts_of_n) for group in drawn.groups),
        sections=_sections(drawn.rows, rows),
        shared=" · ".join([*shared_names, *([shared_n] if shared_n else [])]),
        reasons=tuple(footnotes.texts),
        notes=(*best, *ties, *intervals, *empty, *table.notes) if drawn.columns else tuple(empty),
        heads=table.heads,
        is_part=is_part,
    )


def _interval_notes(cells: Sequence[FigureCell], style: IntervalStyle) -> list[str]:
    """Return what the intervals in the cells mean, drawn or only written."""
    if any(cell.plot for cell in cells):
        return [INTERVAL_NOTES[style]]
    return [PLUS_MINUS_NOTE] * (style == "plus-minus" and any(cell.interval for cell in cells))


def _headline_column(table: Table, sort: Sort, chosen: str) -> str:
    """Return the column that sorts the table, else the chosen one, else one that marks the best, else the first."""
    names = [column.name for column in table.columns]
    best = [column.name for column in table.columns if column.marks_best]
    return next(iter([*(name for name in (sort.name, chosen) if name in names), *best, *names]), "")


def _heading_group(group: ColumnGroup, links: SortLinks, texts_of_n: Mapping[str, str]) -> HeadingGroup:
    return HeadingGroup(
        group.title,
        tuple(
            FigureHeading(column, links.of_figure(column), texts_of_n.get(column.name, "")) for column in group.columns
        ),
    )


def _row(row: Row, titles: Sequence[str], names: Sequence[int], cells: tuple[FigureCell, ...]) -> FigureRow:
    texts = texts_of_names(row, names)
    if row.of == "judge":
        texts = [_name(titles[place], row.names[place]) for place in names]
    first, *more = texts or [""]
    details = " · ".join(filter(None, [*more, row.detail]))
    return FigureRow(first, details, tuple(texts), cells, row.href, row.of != "judge")


def _name(title: str, name: str | int) -> str:
    """Write a name. A number is written behind its title, for example "run 7"."""
    return f"{title.lower()} {name}" if isinstance(name, int) else name


def _sections(rows: Sequence[Row], drawn: Sequence[FigureRow]) -> tuple[FigureSection, ...]:
    pairs = zip(rows, drawn, strict=True)
    return tuple(
        FigureSection(title, tuple(one for _, one in members))
        for title, members in groupby(pairs, key=lambda pair: pair[0].section)
    )
