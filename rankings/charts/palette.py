"""The colours and marks of all charts, in one place.

A colour is a custom property. static/css/chart.css gives it two shades, light and dark; static/js/chart.js reads them.
"""

INK, SOFT, LINE, SURFACE = "var(--ink)", "var(--ink-soft)", "var(--line)", "var(--surface)"
PEOPLE = "var(--people)"
"""People stand out from every ranking."""

SERIES = tuple(f"var(--series-{number})" for number in range(1, 9))
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star", "hexagram")


def line_colour(place: int) -> str:
    """The colour of a line, by its place from 0. After the last colour comes the first."""
    return SERIES[place % len(SERIES)]


def line_symbol(place: int) -> str:
    """The mark of a line, by its place from 0. After the last mark comes the first."""
    return SYMBOLS[place % len(SYMBOLS)]
