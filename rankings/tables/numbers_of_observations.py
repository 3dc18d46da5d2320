"""Numbers of observations as text: "n = 468", "n = 400–468" or "3 people", and the warning about few of them."""

from collections.abc import Collection

from evenhand.numerics import Figure
from evenhand.numerics.figure import FigureOver
from rankings.tables.table import Table

_Counted = tuple[str, str]
_ANSWERS: _Counted = ("", "")
CountedNumber = tuple[_Counted, int]


def text_of_n(figure: Figure) -> str:
    """Write the number of observations of a figure; "" for none."""
    return "" if figure.n is None else _range(counted_by(figure), [figure.n])


def counted_by(figure: Figure) -> _Counted:
    return figure.counted if isinstance(figure, FigureOver) else _ANSWERS


def numbers_of_observations(table: Table) -> tuple[str, dict[str, str]]:
    """Return the n that all figures share, or "", and column -> its n where they do not."""
    numbers = {
        column.name: {
            (counted_by(figure), figure.n)
            for row in table.rows
            if (figure := row.figures[place]) is not None and figure.value is not None and figure.n is not None
        }
        for place, column in enumerate(table.columns)
        if column.kind != "count"
    }
    every = set[CountedNumber]().union(*numbers.values())
    if len(every) == 1:
        return _text(every), {}
    return "", {name: _text(own) for name, own in numbers.items() if own}


def notes_on_n(table: Table) -> list[str]:
    """Return the numbers of observations: one note for all columns that share them."""
    titles: dict[str, list[str]] = {}
    for place, column in enumerate(table.columns):
        figures = [figure for row in table.rows if (figure := row.figures[place]) is not None]
        numbers = [figure.n for figure in figures if figure.n is not None and figure.value is not None]
        if column.kind != "count" and numbers:
            low, high = min(numbers), max(numbers)
            text = f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"
            titles.setdefault(text, []).append(column.full_title)
    return [f"{'; '.join(names)}: {text}." for text, names in titles.items()]


def _text(numbers: Collection[CountedNumber]) -> str:
    """Write numbers as ranges, one for each thing that they count."""
    kinds = sorted({counted for counted, _ in numbers})
    return "; ".join(_range(kind, [n for counted, n in numbers if counted == kind]) for kind in kinds)


def _range(counted: _Counted, numbers: Collection[int]) -> str:
    low, high = min(numbers), max(numbers)
    text = f"{low:,}" if low == high else f"{low:,}–{high:,}"
    one, several = counted
    return f"{text} {one if high == 1 else several}" if one else f"n = {text}"


ENOUGH_OBSERVATIONS = 10


def few_observations(n: int | None, noun: str) -> str:
    """Return the warning about a mean over few observations, for example "rests on 2 contexts"; "" for enough."""
    if n is None or n >= ENOUGH_OBSERVATIONS:
        return ""
    return f"rests on {n} {noun}{'' if n == 1 else 's'}"
