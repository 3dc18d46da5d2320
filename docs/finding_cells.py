"""Cells of the tables of findings, and the rows of numbers that they are made of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def percent(value: float, digits: int = 0) -> str:
    """Return a share in percent, such as 4.5 %."""
    return f"{100 * value:.{digits}f} %"


def short(value: float) -> str:
    """Return a share in percent, with a decimal below ten; none for 0."""
    return percent(value, 1 if 0 < value < 0.0995 else 0)


def span(values: Sequence[float], text: Callable[[float], str]) -> str:
    """Return the least and the largest of some values, "3 to 7 %"; one alone if they read the same."""
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def chosen(rows: Iterable[Row], **wanted: object) -> list[Row]:
    """Return the rows with these values."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def values_of(rows: Iterable[Row], name: str) -> list[Any]:
    """Return the different values of a field, in their order."""
    return list(dict.fromkeys(row[name] for row in rows))


def grouped(rows: Sequence[Row], *names: str) -> list[tuple[tuple[Any, ...], list[Row]]]:
    """Return the rows by their values of some fields, in order of appearance."""
    keys = dict.fromkeys(tuple(row[name] for name in names) for row in rows)
    return [(key, chosen(rows, **dict(zip(names, key, strict=True)))) for key in keys]


def held(rows: Sequence[Row], key: str) -> str:
    """Return the range of a coverage; a dash without one."""
    values = [row[key] for row in rows if row[key] is not None]
    return span(values, percent) if values else "—"


def tenth(value: float) -> str:
    """Return a share in percent with a decimal; none for 0."""
    return percent(value, 1 if value else 0)
