"""`TABLE_FORMATS`: the file formats of tables, by the ending of a file name."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from rankings.tables.latex_table import latex_table
from rankings.tables.paper_table import paper_table
from rankings.tables.spreadsheets import csv_table, xlsx_table
from rankings.tables.table import Cell, Table, TableStyle, printed_cells, printed_notes, under_headings


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
