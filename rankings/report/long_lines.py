"""Figures of reports as lines of the long form. The walk over the JSON of a report serves every kind of report."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.csv_text import csv_lines
from evenhand.report_json import Json, as_json
from rankings.report.report_columns import SETTINGS, settings_of
from rankings.report.report_row import ReportRow
from rankings.report.run_names import RunName
from rankings.tables.long_form import NAME_COLUMNS, Line, LongForm

NO_VERDICT = "a note: no reason to doubt the figures"
FIGURE_FIELDS = ("value", "low", "high", "n", "undefined")
ENTRY_NAMES = ("check", "name", "system", "context", "rater")
"""Fields that name an entry of a list."""
NO_FIGURES = ("undefined", "family", "run")
ENTRY_RANGES = (("gap_from", "gap_to"), ("low", "high"))
"""Fields that are the range of an entry of a list."""
PARTS = ("_low", "_high", "_pairs")
"""Ends of the names of numbers that belong to another number: `system_low` to `system`."""


def report_long_form(rows: Sequence[ReportRow]) -> LongForm:
    """Return every figure of report rows."""
    extra = [*settings_of(rows), *(["without"] if any(row.without for row in rows) else [])]
    return LongForm(lambda: (line for row in rows for line in _lines_of_row(row)), extra=tuple(extra))


def document_of_row(row: ReportRow) -> dict[str, Json]:
    """Return the figures of a row as JSON, with the trust checks as figures: 1 passed, 0 failed."""
    document = without(as_json(row), [*as_json(row.name), "subset", "without", "excluded_votes"])
    passed = {"passed": True, "failed": False}
    for check in document["trust"]:
        why_not = {"note": NO_VERDICT, "cannot tell": check["why"]}.get(check["state"], check.get("undefined"))
        check["passed"] = {"value": passed.get(check["state"]), "undefined": why_not}
    return document


def _lines_of_row(row: ReportRow) -> Iterator[Line]:
    settings = {name: SETTINGS[name](row) for name in settings_of([row])}
    settings |= {"without": row.without.cell} if row.without else {}
    return figure_lines(document_of_row(row), {**names_of(row.name), "subset": row.subset, **settings})


def names_of(name: RunName) -> dict[str, str | int | None]:
    """Return the columns that name a run."""
    return {column: getattr(name, column, None) for column in NAME_COLUMNS}


def without(document: Mapping[str, Json], names: Sequence[str]) -> dict[str, Json]:
    """Return a JSON object without some of its entries."""
    return {key: value for key, value in document.items() if key not in names}


def figure_lines(document: Mapping[str, Json], names: Line) -> Iterator[Line]:
    """Yield a line for each number of a report in JSON, with its interval, n and reason.

    The first name of its path is the figure, the others are the variant: `spearman` and `win-ratio.raw.system`.
    """
    return (_line(figure, names, path) for path, figure in figures_in(document))


def figures_in(
    document: Mapping[str, Json], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Json]]]:
    """Yield each number of a report in JSON with its path. Only figures that can have an interval have a `low`."""
    for key, value in document.items():
        inner = (*path, key)
        if isinstance(value, Mapping):
            is_figure = "value" in value
            if is_figure:
                yield inner, value
            yield from figures_in(without(value, FIGURE_FIELDS[:-1]) if is_figure else value, inner)
        elif isinstance(value, list):
            yield from figures_in(_entries(value), inner)
        elif _is_figure(document, key):
            yield inner, _figure_of_number(document, key)


def _line(figure: Mapping[str, Json], names: Line, path: Sequence[str]) -> Line:
    numbers = {part: figure.get(part) for part in FIGURE_FIELDS}
    value = None if numbers["value"] is None else float(numbers["value"])
    return {**names, "figure": path[0], "variant": ".".join(path[1:]) or None, **numbers, "value": value}


def _is_figure(document: Mapping[str, Json], key: str) -> bool:
    """Return True for a number, or null, that belongs to no other number."""
    if key == "contexts" and "per_context" in document:
        return False
    belongs = any(key.endswith(end) and key.removesuffix(end) in document for end in PARTS)
    return not belongs and key not in NO_FIGURES and not isinstance(document[key], str)


def _figure_of_number(document: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    """Return a plain number as a figure, with the given parts."""
    why = document.get("undefined")
    if isinstance(why, Mapping):
        why = why.get(key) or why.get(f"{key}_low")
    ends = {end: document[f"{key}_{end}"] for end in ("low", "high") if f"{key}_{end}" in document}
    return {
        "value": document[key],
        **ends,
        "n": document.get(f"{key}_pairs", document.get("contexts") if key == "per_context" else None),
        "undefined": why if document[key] is None or document.get(f"{key}_low", 0) is None else None,
    }


def _entries(values: Sequence[Json]) -> dict[str, Json]:
    """Return the entries of a list by their name or range, else by number from 1."""
    entries: dict[str, Json] = {}
    for number, value in enumerate(values, 1):
        fields = value if isinstance(value, Mapping) else {}
        titles = [str(fields[name]) for name in ENTRY_NAMES if fields.get(name)]
        spans = [
            span for span in ENTRY_RANGES if {*span} <= fields.keys() and (span[0] != "low" or "value" not in fields)
        ]
        titles += [f"{fields[start]:g}-{fields[end]:g}" for start, end in spans]
        used = [*ENTRY_NAMES, *(name for span in spans for name in span)]
        entries[".".join(titles) or f"{number}"] = without(value, used) if fields else value
    return entries


def every_figure_csv(rows: Sequence[ReportRow]) -> str:
    """Write a line per row and a column per figure (`accuracy.low`), in full precision; undefined is empty."""
    flat = [dict(_flat(as_json(row))) for row in rows]
    columns = list(dict.fromkeys(column for row in flat for column in row))
    return "".join(csv_lines((dict.fromkeys(columns) | row for row in flat), columns=columns))


def _flat(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    """Yield each value with its path. Records of lists are named by check, name or number; texts share one cell."""
    for key, inner in value.items():
        if isinstance(inner, list) and all(isinstance(entry, Mapping) for entry in inner):
            named = {entry.get("check") or entry.get("name") or f"{at}": entry for at, entry in enumerate(inner, 1)}
            yield from _flat(named, f"{path}{key}.")
        elif isinstance(inner, list):
            yield f"{path}{key}", "; ".join(inner)
        elif isinstance(inner, Mapping):
            yield from _flat(inner, f"{path}{key}.")
        else:
            yield f"{path}{key}", inner
