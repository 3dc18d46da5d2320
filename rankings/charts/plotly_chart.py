"""The layout shared by all charts. A chart is a figure in plotly's own format, as plain dicts."""

from collections.abc import Mapping
from typing import Any, TypedDict

from rankings.charts.palette import INK, LINE, SOFT, SURFACE

Trace = dict[str, Any]
Layout = dict[str, Any]


class Chart(TypedDict):
    """A plotly figure.

    layout["meta"] holds `narrow`, changes of the layout for a phone; `narrow_below`, the width in pixels below which
    they hold; `name`, of its files; `note`, its caption.
    """

    data: list[Trace]
    layout: Layout


TEXT_SIZE, SMALL_TEXT = 13, 12
TITLE_GAP = 8  # pixels
NARROW = 640  # pixels
MARGIN = {"l": 62, "r": 20, "t": 16, "b": 52}


def figure(
    data: list[Trace],
    layout: Layout,
    *,
    name: str,
    note: str,
    narrow: Layout | None = None,
    narrow_below: int = NARROW,
) -> Chart:
    """Complete a chart with the shared layout.

    layout: needs a height and both axes. note: the caption in a paper.
    narrow: changes of the layout where the chart has fewer than `narrow_below` pixels, as on a phone.
    """
    margin = MARGIN | layout.get("margin", {})
    common = {
        "font": {"size": TEXT_SIZE, "color": INK},
        "paper_bgcolor": SURFACE,
        "plot_bgcolor": SURFACE,
        "hovermode": "closest",
        "showlegend": False,
    }
    own = layout | {"margin": margin, "xaxis": axis(layout["xaxis"]), "yaxis": axis(layout["yaxis"])}
    meta = {"name": name, "narrow": narrow or {}, "narrow_below": narrow_below, "note": note}
    return {"data": data, "layout": common | own | {"meta": meta}}


def axis(options: Mapping[str, Any]) -> Layout:
    """Complete an axis with its title and the shared options."""
    text = options.get("title")
    title = {"text": text, "font": {"size": TEXT_SIZE}, "standoff": TITLE_GAP} if text else {}
    common = {
        "gridcolor": LINE,
        "linecolor": SOFT,
        "tickfont": {"color": SOFT},
        "zeroline": False,
        "automargin": True,
    }
    return common | dict(options) | {"title": title}


def colour_bar(title: str, ticks: Mapping[float, str]) -> Layout:
    """Return the scale beside the cells. ticks: value -> its text."""
    return {
        "title": {"text": title, "side": "right", "font": {"size": TEXT_SIZE}},
        "tickvals": list(ticks),
        "ticktext": list(ticks.values()),
        "outlinewidth": 0,
        "thickness": 14,
    }


def line_across(x: float, **looks: Any) -> Layout:  # noqa: ANN401 - as plotly has them
    """Return a vertical line through the whole chart. looks: color, width and dash."""
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": looks}


def label_above(x: float, text: str, *, side: str, **looks: Any) -> Layout:  # noqa: ANN401 - as plotly has them
    """Return a text above the chart. side: of the text, at x. looks: further ones."""
    place = {"x": x, "xanchor": side, "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    return {"text": text} | place | looks


def plain(text: str) -> str:
    """Escape a text for plotly, which reads tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
