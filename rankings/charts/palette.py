"""The colours and marks of all charts, in one place.

A colour is a custom property. static/css/chart.css gives it two shades, light and dark; static/js/chart.js reads them.
"""

INK, SOFT, LINE, SURFACE = "var(--ink)", "var(--ink-soft)", "var(--line)", "var(--surface)"
SUNKEN = "var(--sunken)"
PEOPLE = "var(--people)"

SERIES = tuple(f"var(--series-{number})" for number in range(1, 9))
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star", "hexagram")

Shades = tuple[tuple[float, str], ...]
"""The colours of cells by their place on a scale from 0 to 1. INK is readable on all of them."""
CELL_SHADES: Shades = ((0, SURFACE), (1, "var(--cell-above)"))
SHADES_AROUND_HALF: Shades = ((0, "var(--cell-below)"), (0.5, SURFACE), (1, "var(--cell-above)"))
"""The scale of probabilities: one half has no colour; both sides differ for colour-blind readers too."""


def line_colour(place: int) -> str:
    """Return the colour of a line by its place from 0. Colours repeat after the last."""
    return SERIES[place % len(SERIES)]


def line_symbol(place: int) -> str:
    """Return the mark of a line by its place from 0. Marks repeat after the last."""
    return SYMBOLS[place % len(SYMBOLS)]
