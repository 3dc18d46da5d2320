"""`TABLE_FORMATS`: the file formats of tables, by the ending of a file name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from rankings.tables.latex_table import latex_table
from rankings.tables.spreadsheets import csv_table, xlsx_table
from rankings.tables.table import (
    FOR_COMPARISON,
    Cell,
    Table,
    TableStyle,
    notes_with_marks,
    printed_cells,
    with_comparison,
)

HTML_MARKS: dict[str, Callable[[str], str]] = {
    "best": lambda number: format_html("<strong>{}</strong>", number),
    "second": lambda number: format_html("<u>{}</u>", number),
    "": lambda number: number,
}
MARKDOWN_MARKS = {"best": "**%s**", "second": "<ins>%s</ins>", "": "%s"}


def markdown_table(table: Table, style: TableStyle) -> str:
    """Return a table in Markdown. The best figure is bold, the second underlined."""
    titles = [*table.name_titles, *(column.heading for column in table.columns)]
    rules = ["---"] * len(table.name_titles) + ["---:"] * len(table.columns)
    body = [
        [*(_escaped(str(name)) for name in row.names), *(_markdown_cell(cell, style) for cell in cells)]
        for row, cells in zip(table.rows, printed_cells(table, style), strict=True)
    ]
    body = with_comparison(table, body, [f"*{FOR_COMPARISON}*", *[""] * (len(titles) - 1)])
    lines = [f"| {' | '.join(cells)} |" for cells in ([_escaped(title) for title in titles], rules, *body)]
    paragraphs = ["\n".join(lines), *(_escaped(note) for note in (*notes_with_marks(table, style), *table.comments))]
    above = [_escaped(line) for line in (*table.heads, style.caption) if line]
    return "\n\n".join([*above, *paragraphs]) + "\n"


def html_table(table: Table, style: TableStyle) -> str:
    """Return a table element, without styles. The best figure is strong, the second underlined."""
    titles = [*table.name_titles, *(column.heading for column in table.columns)]
    body = [
        format_html(
            "<tr>{}{}</tr>",
            format_html_join("", "<td>{}</td>", ((name,) for name in row.names)),
            format_html_join("", "<td>{}</td>", ((_html_cell(cell, style),) for cell in cells)),
        )
        for row, cells in zip(table.rows, printed_cells(table, style), strict=True)
    ]
    heading = format_html('<tr><th scope="rowgroup" colspan="{}">{}</th></tr>', len(titles), FOR_COMPARISON)
    body = with_comparison(table, body, heading)
    head = format_html_join("", '<th scope="col">{}</th>', ((title,) for title in titles))
    return format_html(
        "{}<table>\n<caption>{}</caption>\n<thead>\n<tr>{}</tr>\n</thead>\n<tbody>\n{}\n</tbody>\n</table>\n{}",
        format_html_join("", "<p>{}</p>\n", ((line,) for line in table.heads)),
        style.caption,
        head,
        format_html_join("\n", "{}", ((line,) for line in body)),
        format_html_join("", "<p>{}</p>\n", ((note,) for note in (*notes_with_marks(table, style), *table.comments))),
    )


def _markdown_cell(cell: Cell, style: TableStyle) -> str:
    number = MARKDOWN_MARKS[cell.mark] % cell.marked_number
    if cell.interval and style.interval == "subscript":
        return f"{number}<sub>{cell.interval}</sub>"
    return f"{number} {cell.interval}".strip()


def _html_cell(cell: Cell, style: TableStyle) -> SafeString:
    number = HTML_MARKS[cell.mark](cell.marked_number)
    if cell.interval and style.interval == "subscript":
        return format_html("{}<sub>{}</sub>", number, cell.interval)
    return format_html("{} {}", number, cell.interval) if cell.interval else format_html("{}", number)


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
