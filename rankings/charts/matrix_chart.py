"""A square matrix of numbers with a name for each row and column, shaded by value."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.charts.dot_chart import LONGEST_NAME_ON_A_PHONE, fitting
from rankings.charts.palette import SURFACE, line_colour
from rankings.charts.plotly_chart import TEXT_SIZE, Chart, figure

ROW_PIXELS, LONGEST_ROW_NAME = 34, 34  # pixels, characters
MOST_WITH_NUMBERS = 20
"""Larger matrices have no number in their cells; it is shown at the pointer."""


def matrix_chart(
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    name: str,
    title: str,
    note: str,
    ends: tuple[float, float],
) -> Chart:
    """Draw a cell for each pair of names. title: of the scale. ends: values of the lightest and the darkest shade.

    values: None for an empty cell.
    """
    places = list(range(len(names)))
    shown = fitting(names, LONGEST_ROW_NAME)
    numbered = [f"{text}  {place + 1}" for place, text in enumerate(shown)]
    trace = {
        "type": "heatmap",
        "x": places,
        "y": places,
        "z": [list(row) for row in values],
        "text": [["" if value is None else f"{value:.2f}" for value in row] for row in values],
        "meta": {"names": list(names)},
        "coloraxis": "coloraxis",
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": "%{y}, %{x}: %{text}<extra></extra>",
    }
    if len(names) <= MOST_WITH_NUMBERS:
        trace["texttemplate"] = "%{text}"
    low, high = ends
    layout = {
        "height": 120 + ROW_PIXELS * len(names),
        "xaxis": {"tickvals": places, "ticktext": [str(place + 1) for place in places], "showgrid": False}
        | {"range": [-0.5, len(names) - 0.5], "title": title},
        "yaxis": {"tickvals": places, "ticktext": numbered, "range": [len(names) - 0.5, -0.5], "showgrid": False},
        "coloraxis": {
            "colorscale": [[0, SURFACE], [1, line_colour(0)]],
            "cmin": low,
            "cmax": high,
            "colorbar": {
                "title": {"text": "", "side": "right", "font": {"size": TEXT_SIZE}},
                "tickvals": [low, (low + high) / 2, high],
                "ticktext": [f"{end:.1f}" for end in (low, (low + high) / 2, high)],
                "outlinewidth": 0,
                "thickness": 14,
            },
        },
    }
    phone = [f"{text}  {place + 1}" for place, text in enumerate(fitting(names, LONGEST_NAME_ON_A_PHONE))]
    return figure([trace], layout, name=name, note=note, narrow={"yaxis": {"ticktext": phone}})
