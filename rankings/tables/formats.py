"""`TABLE_FORMATS`: the file formats of tables, by the ending of a file name; among them CSV and XLSX."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import chain
from types import MappingProxyType
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evenhand.csv_text import csv_text
from rankings.tables.latex_table import latex_table
from rankings.tables.paper_table import paper_table
from rankings.tables.table import Cell, Column, Row, Table, TableStyle, printed_cells, printed_notes, under_headings

Value = str | float | int | None


def csv_table(table: Table) -> str:
    """Write columns `accuracy.value`, `accuracy.low` …, and the reasons of undefined figures in the last one.

    A column of differences is called `accuracy.difference`.

    The file has one line per run and subset, then the rows for comparison, and no other line for people.
    """
    rows = [row for row in table.rows if row.of != "people"]
    return csv_text([headings(table), *(values_of(row, table) for row in rows)])


def xlsx_table(table: Table, style: TableStyle) -> bytes:
    """Write a sheet with the columns of the CSV file, and a sheet with the notes."""
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Table"
    sheet.append(headings(table))
    for row in table.rows:
        sheet.append(list(values_of(row, table)))
    fonts = {"best": Font(bold=True), "": Font()}
    _format(sheet.iter_rows(min_row=2, min_col=len(table.name_titles) + 1), table, style, fonts)
    sheet.freeze_panes = sheet.cell(2, len(table.name_titles) + 1)
    notes = book.create_sheet("Notes")
    for line in (*table.heads, style.caption, *table.notes, *table.figure_notes, *table.comments):
        notes.append([line])
    for cell in chain.from_iterable(chain(sheet.iter_rows(), notes.iter_rows())):
        if cell.data_type == "f":  # a text that starts like a formula is a text
            cell.data_type = "s"
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _format(lines: Iterable[tuple[Any, ...]], table: Table, style: TableStyle, fonts: Mapping[str, Any]) -> None:
    """Show shares as percentages and mark the best figures. lines: the cells of the figures."""
    percentage = f"0.{'0' * style.digits}%" if style.digits else "0%"
    for line, printed in zip(lines, printed_cells(table, style), strict=True):
        for cell, (place, part) in zip(line, _parts(table), strict=False):  # the last cell has the reasons
            if table.columns[place].kind == "share" and part != "n":
                cell.number_format = percentage
            if part == "value":
                cell.font = fonts[printed[place].mark]


def headings(table: Table) -> list[str]:
    """Return the names of the columns of both files."""
    titles = [title.lower() for title in table.name_titles]
    figures = [(table.columns[place], part) for place, part in _parts(table)]
    return [*titles, *(_heading(column, part) for column, part in figures), "undefined"]


def _heading(column: Column, part: str) -> str:
    if column.kind == "count" and not column.is_difference:
        return column.name
    return f"{column.name}.{'difference' if column.is_difference and part == 'value' else part}"


def values_of(row: Row, table: Table) -> Iterator[Value]:
    """Yield the values of a row; None for an empty cell."""
    yield from row.names
    for place, part in _parts(table):
        figure = row.figures[place]
        value: Value = None if figure is None else getattr(figure, part, None)
        if isinstance(value, float) and value.is_integer() and table.columns[place].kind == "count":
            value = int(value)
        yield value
    yield "; ".join(
        f"{column.name}: {figure.undefined}"
        for column, figure in zip(table.columns, row.figures, strict=True)
        if figure is not None and figure.value is None
    )


def _parts(table: Table) -> Iterator[tuple[int, str]]:
    """Yield the place of a column and the field of its figures, for every column of the files."""
    for place, column in enumerate(table.columns):
        yield from ((place, part) for part in ("value", *(() if column.kind == "count" else column.parts)))


def markdown_table(table: Table, style: TableStyle) -> str:
    """Return a table in Markdown, as `paper_table` prints it. The best figure is bold."""
    table, style = paper_table(table, style)
    titles = [*table.name_titles, *(column.heading for column in table.columns)]
    rules = ["---"] * len(table.name_titles) + ["---:"] * len(table.columns)
    body = [
        [*(_escaped(str(name)) for name in row.names), *(_markdown_cell(cell, style) for cell in cells)]
        for row, cells in zip(table.rows, printed_cells(table, style), strict=True)
    ]
    body = under_headings(table, body, lambda title: [f"*{_escaped(title)}*", *[""] * (len(titles) - 1)])
    lines = [f"| {' | '.join(cells)} |" for cells in ([_escaped(title) for title in titles], rules, *body)]
    paragraphs = [
        "\n".join(lines),
        *(_escaped(note) for note in (*printed_notes(table, style, has_marks=True), *table.comments)),
    ]
    above = [_escaped(line) for line in (*table.heads, style.caption) if line]
    return "\n\n".join([*above, *paragraphs]) + "\n"


def html_table(table: Table, style: TableStyle) -> str:
    """Return a table element, without styles, as `paper_table` prints it. The best figure is strong."""
    table, style = paper_table(table, style)
    titles = [*table.name_titles, *(column.heading for column in table.columns)]
    body = [
        format_html(
            "<tr>{}{}</tr>",
            format_html_join("", "<td>{}</td>", ((name,) for name in row.names)),
            format_html_join("", "<td>{}</td>", ((_html_cell(cell, style),) for cell in cells)),
        )
        for row, cells in zip(table.rows, printed_cells(table, style), strict=True)
    ]
    heading = '<tr><th scope="rowgroup" colspan="{}">{}</th></tr>'
    body = under_headings(table, body, lambda title: format_html(heading, len(titles), title))
    head = format_html_join("", '<th scope="col">{}</th>', ((title,) for title in titles))
    return format_html(
        "{}<table>\n<caption>{}</caption>\n<thead>\n<tr>{}</tr>\n</thead>\n<tbody>\n{}\n</tbody>\n</table>\n{}",
        format_html_join("", "<p>{}</p>\n", ((line,) for line in table.heads)),
        style.caption,
        head,
        format_html_join("\n", "{}", ((line,) for line in body)),
        format_html_join(
            "", "<p>{}</p>\n", ((note,) for note in (*printed_notes(table, style, has_marks=True), *table.comments))
        ),
    )


def _markdown_cell(cell: Cell, style: TableStyle) -> str:
    number = f"**{cell.marked_number}**" if cell.mark else cell.marked_number
    if cell.interval and style.interval == "subscript":
        return f"{number}<sub>{cell.interval}</sub> {cell.kappa}".strip()
    return f"{number} {cell.beside}".strip()


def _html_cell(cell: Cell, style: TableStyle) -> SafeString:
    number = format_html("<strong>{}</strong>" if cell.mark else "{}", cell.marked_number)
    if cell.interval and style.interval == "subscript":
        number, cell = format_html("{}<sub>{}</sub>", number, cell.interval), replace(cell, interval="")
    return format_html("{} {}", number, cell.beside) if cell.beside else number


def _escaped(text: str) -> str:
    """Escape what Markdown would read in a line of text."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", " ".join(text.split()))


@dataclass(frozen=True, slots=True)
class TableFormat:
    """A file format of tables. title: on pages. is_text: it can be copied from a page."""

    title: str
    write: Callable[[Table, TableStyle], str | bytes]
    is_text: bool = True


TABLE_FORMATS: Mapping[str, TableFormat] = MappingProxyType(
    {
        "tex": TableFormat("LaTeX", latex_table),
        "md": TableFormat("Markdown", markdown_table),
        "html": TableFormat("HTML", html_table),
        "csv": TableFormat("CSV", lambda table, style: csv_table(table)),
        "xlsx": TableFormat("XLSX", xlsx_table, is_text=False),
    }
)
