"""Plain-text tables for a terminal."""

from collections.abc import Sequence

from rankings.tables.table import DASH, Table, TableStyle, printed_cells, printed_notes, under_headings


def text_table(table: Table, style: TableStyle) -> str:
    """Write a table in aligned columns, with its heads above, its notes and comments below."""
    titles = [*table.name_titles, *(column.heading for column in table.columns)]
    lines = [
        [*map(str, row.names), *(f"{cell.number} {cell.beside}".strip().replace(DASH, "-") for cell in cells)]
        for row, cells in zip(table.rows, printed_cells(table, style), strict=True)
    ]
    lines = under_headings(table, lines, lambda title: [title, *[""] * (len(titles) - 1)])
    below = "".join(f"{line}\n" for line in (*printed_notes(table, style), *table.comments))
    above = "".join(f"{line}\n" for line in table.heads)
    body = f"{above}\n{aligned([titles, *lines])}" if above else aligned([titles, *lines])
    return f"{body}\n{below}" if below else body


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Pad cells into columns, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "".join(f"{line.rstrip()}\n" for line in padded)
