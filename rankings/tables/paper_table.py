"""`paper_table`: the rows and columns that a page draws, as papers print them."""

from collections.abc import Sequence
from dataclasses import replace

from evenhand.numerics import Figure
from rankings.tables.table import Column, Row, Table, TableStyle


def paper_table(table: Table, style: TableStyle) -> tuple[Table, TableStyle]:
    """Return a table without the columns that a page leaves out, and the style with what all rows share in its caption.

    Where judges differ in n, it has a column of its own.
    """
    drawn, empty = without_empty_columns(table)
    places, shared = varying_names(drawn)
    said = ", ".join(shared)
    caption = f"{style.caption} {said[0].upper()}{said[1:]}.".strip() if said else style.caption
    drawn = replace(
        drawn,
        name_titles=tuple(drawn.name_titles[place] for place in places),
        rows=tuple(replace(row, names=_names(row, places)) for row in drawn.rows),
        notes=(*drawn.notes, *([] if drawn.figure_notes else empty)),
        headline="",
        elsewhere=(),
    )
    return _with_n(drawn), replace(style, caption=caption)


def _names(row: Row, places: Sequence[int]) -> tuple[str | int, ...]:
    if row.of == "judge":
        return tuple(row.names[place] for place in places)
    return (" · ".join(texts_of_names(row, places)), *[""] * (len(places) - 1))


def _with_n(table: Table) -> Table:
    """Add a column of n behind the first column in which judges differ in it."""
    for place, column in enumerate(table.columns):
        numbers = [one.n if (one := row.figures[place]) and one.value is not None else None for row in table.rows]
        judged = {n for n, row in zip(numbers, table.rows, strict=True) if row.of == "judge"} - {None}
        if column.kind != "count" and len(judged) > 1:
            break
    else:
        return table
    rows = tuple(
        replace(
            row,
            figures=(*row.figures, None if n is None else Figure(n)),
            cell_hrefs=(),
            cell_rivals=(*row.cell_rivals, "") if row.cell_rivals else (),
        )
        for row, n in zip(table.rows, numbers, strict=True)
    )
    width = len(table.columns)
    n = Column(name="n", title="n", group=column.group, kind="count", parts=())
    grown = replace(table, columns=(*table.columns, n), rows=rows)
    return grown.with_columns([*range(place + 1), width, *range(place + 1, width)])


def without_empty_columns(table: Table) -> tuple[Table, list[str]]:
    """Return the table with the columns that have a value, and a note that names the others by reason."""
    kept = [
        place
        for place in range(len(table.columns))
        if any((figure := row.figures[place]) is not None and figure.value is not None for row in table.rows)
    ]
    dropped = [place for place in range(len(table.columns)) if place not in kept]
    if not table.rows or not dropped:
        return table, []
    return table.with_columns(kept), _notes_on_empty_columns(table, dropped)


def _notes_on_empty_columns(table: Table, places: Sequence[int]) -> list[str]:
    titles: dict[str, list[str]] = {}
    for place in places:
        figures = [figure for row in table.rows if (figure := row.figures[place]) is not None]
        reasons = dict.fromkeys(figure.undefined or "no value" for figure in figures)
        titles.setdefault("; ".join(reasons) or "no value", []).append(table.columns[place].full_title)
    return [f"Not available: {', '.join(names)} ({reason})." for reason, names in titles.items()]


def varying_names(table: Table) -> tuple[list[int], list[str]]:
    """Return the places of the names that differ between rows, the headline first, and those that all rows share."""
    judged = [row for row in table.rows if row.of == "judge"]
    titles = table.name_titles
    places = [place for place, title in enumerate(titles) if title not in table.elsewhere]
    varying = [place for place in places if len({row.names[place] for row in judged}) > 1]
    first = [place for place in places if titles[place] == table.headline] or varying[:1] or places[:1]
    shared = [
        f"{titles[place].lower()} {judged[0].names[place]}"
        for place in places
        if judged and place not in (*varying, *first) and judged[0].names[place] != ""
    ]
    return [*first, *(place for place in varying if place not in first)], shared


def texts_of_names(row: Row, places: Sequence[int]) -> list[str]:
    """Return what is written of the names of a row. places: of the names that stand beside the figures.

    A row for comparison has its name there, or else where judges have that of their section.
    """
    near = [str(row.names[place]) for place in places if row.names[place] != ""]
    return near if near and row.of != "people" else [str(name) for name in row.names if name != ""]
