"""Charts as pictures for papers: SVG, PDF and PNG, drawn by matplotlib from the figure that pages give plotly.

It takes 40 MB, so the web process imports it only when somebody wants a picture.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import unescape
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import Any

import matplotlib as mpl
from django.contrib.staticfiles import finders
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import MultipleLocator, PercentFormatter
from matplotlib.transforms import blended_transform_factory

from rankings.charts.palette import SYMBOLS
from rankings.charts.picture_formats import WIDTHS
from rankings.charts.plotly_chart import Chart, Layout, Trace

CENTIMETRES_PER_INCH = 2.54
SHAPE = {7: 0.8, 14: 0.55}
"""width in centimetres -> height as a share of it."""
LEGEND_LINE = 0.4  # centimetres
LEGEND_FROM = 2
"""Lines from which a narrow picture has a legend. A wide one has it where the page has one."""
LEGEND_COLUMNS = {7: 1, 14: 2}
"""width in centimetres -> names beside each other in a legend."""
PNG_DOTS_PER_INCH = 300
POINTS_PER_INCH = 72
DIGIT_WIDTH = 0.7
"""The width of a digit as a share of the type size, with some room for the scale beside the cells."""
SMALLEST_NUMBER = 4  # points
LINE_STYLES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-.", "longdash": (0, (8, 3))}
SYMBOL_MARKS = dict(zip(SYMBOLS, "osD^xP*h", strict=True))
STYLE_SHEETS = ("css/site.css", "css/chart.css")
LIGHT = re.compile(r"(--[\w-]+):\s*light-dark\((#[0-9a-fA-F]{3,6})\s*,")


def picture_file(chart: Chart, ending: str, *, width: int) -> bytes:
    """Draw a chart. ending: svg, pdf or png. width: a key of WIDTHS. Texts stay texts in SVG and PDF."""
    settings: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "evenhand", "font.size": WIDTHS[width]}
    file = BytesIO()
    with mpl.rc_context(settings):
        picture = _picture(chart, width)
        metadata = {"Date": None} if ending == "svg" else {"CreationDate": None} if ending == "pdf" else {}
        picture.savefig(file, format=ending, dpi=PNG_DOTS_PER_INCH, metadata=metadata)
    return file.getvalue()


def _picture(chart: Chart, width: int) -> Picture:
    named = [trace for trace in chart["data"] if trace.get("name")]
    layout, columns = chart["layout"], LEGEND_COLUMNS[width]
    has_legend = (bool(named) and layout["showlegend"]) or (width == min(WIDTHS) and len(named) >= LEGEND_FROM)
    height = width * SHAPE[width] + has_legend * ceil(len(named) / columns) * LEGEND_LINE
    picture = Picture(figsize=(width / CENTIMETRES_PER_INCH, height / CENTIMETRES_PER_INCH), layout="constrained")
    axes = picture.add_subplot()
    for trace in chart["data"]:
        _draw(axes, trace, layout)
    _set_axis(axes, "x", layout["xaxis"])
    _set_axis(axes, "y", layout["yaxis"])
    for shape in layout.get("shapes", ()):
        _draw_line_across(axes, shape)
    if has_legend:
        picture.legend(loc="outside lower left", frameon=False, ncols=columns)
    for note in () if has_legend else layout.get("annotations", ()):
        _write(axes, note)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    return picture


def _draw(axes: Axes, trace: Trace, layout: Layout) -> None:
    if trace["type"] == "bar":
        step = min(b - a for a, b in zip(trace["x"], trace["x"][1:], strict=False))
        width = step * (1 - layout.get("bargap", 0.1))
        axes.bar(trace["x"], trace["y"], width=width, color=_colour(trace["marker"]["color"]))
    elif trace["type"] == "heatmap":
        _draw_heatmap(axes, trace, layout)
    elif trace.get("fill") == "toself":
        axes.fill(trace["x"], trace["y"], color=_colour(trace["fillcolor"]), alpha=trace["opacity"], linewidth=0)
    else:
        _draw_points(axes, trace)


def _draw_points(axes: Axes, trace: Trace) -> None:
    line, marker = trace.get("line", {}), trace.get("marker", {})
    colour = _colour(line.get("color") or marker.get("color"))
    symbol, is_open = _mark(marker.get("symbol", "circle"))
    axes.errorbar(
        trace["x"],
        trace["y"],
        xerr=_errors(trace.get("error_x")),
        yerr=_errors(trace.get("error_y")),
        color=colour,
        linestyle=LINE_STYLES[line.get("dash", "solid")] if "lines" in trace["mode"] else "none",
        linewidth=0.6 * line.get("width", 2),
        marker=symbol if "markers" in trace["mode"] else "none",
        markersize=marker.get("size", 6) / 2,
        markerfacecolor="white" if is_open else colour,
        markeredgewidth=0.8,
        elinewidth=1,
        capsize=2,
        label=_plain_text(trace["name"]) if trace.get("name") else "_none",
        clip_on=trace.get("cliponaxis", True),
    )


def _draw_heatmap(axes: Axes, trace: Trace, layout: Layout) -> None:
    axis = layout[trace["coloraxis"]]
    scale = [(place, _colour(colour)) for place, colour in axis["colorscale"]]
    shades = LinearSegmentedColormap.from_list("shades", scale)
    axes.set_facecolor(_colour(layout["plot_bgcolor"]))
    values = [[float("nan") if value is None else value for value in row] for row in trace["z"]]
    mesh = axes.pcolormesh(trace["x"], trace["y"], values, cmap=shades, vmin=axis["cmin"], vmax=axis["cmax"])
    if "texttemplate" in trace:
        _write_numbers(axes, trace)
    bar = axes.figure.colorbar(mesh, ax=axes, label=axis["colorbar"]["title"]["text"])
    bar.set_ticks(axis["colorbar"]["tickvals"], labels=axis["colorbar"]["ticktext"])
    bar.outline.set_visible(False)


def _write_numbers(axes: Axes, trace: Trace) -> None:
    """Write the text of each cell. Narrow cells have none."""
    size = _size_of_numbers(axes, trace)
    if size < SMALLEST_NUMBER:
        return
    for y, texts in zip(trace["y"], trace["text"], strict=True):
        for x, text in zip(trace["x"], texts, strict=True):
            axes.text(x, y, text, ha="center", va="center", color=_colour(trace["textfont"]["color"]), fontsize=size)


def _size_of_numbers(axes: Axes, trace: Trace) -> float:
    """Return the type size in points in which the longest text fits into a cell."""
    cell = axes.bbox.width / axes.figure.dpi * POINTS_PER_INCH / len(trace["x"])
    longest = max(len(text) for row in trace["text"] for text in row)
    return min(float(mpl.rcParams["font.size"]), cell / (DIGIT_WIDTH * max(longest, 1)))


def _errors(bars: Mapping[str, Any] | None) -> list[Sequence[float]] | None:
    if bars is None:
        return None
    return [bars.get("arrayminus", bars["array"]), bars["array"]]


def _set_axis(axes: Axes, name: str, options: Mapping[str, Any]) -> None:
    axis = getattr(axes, f"{name}axis")
    if title := options.get("title"):
        axis.set_label_text(_plain_text(title["text"]))
    if "range" in options:
        getattr(axes, f"set_{name}lim")(options["range"])
    if "tickvals" in options:
        axis.set_ticks(options["tickvals"], labels=[_plain_text(text) for text in options["ticktext"]])
    if "dtick" in options:
        axis.set_major_locator(MultipleLocator(options["dtick"]))
    if options.get("tickformat") == ".0%":
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    if options.get("showgrid", True):
        axis.grid(visible=True, color=_colour("var(--line)"), linewidth=0.5)


def _draw_line_across(axes: Axes, shape: Mapping[str, Any]) -> None:
    line = shape["line"]
    axes.axvline(
        shape["x0"], color=_colour(line["color"]), linestyle=LINE_STYLES[line["dash"]], linewidth=0.6 * line["width"]
    )


def _write(axes: Axes, note: Mapping[str, Any]) -> None:
    is_above = note.get("yref") == "paper"
    axes.annotate(
        _plain_text(note["text"]),
        (note["x"], note["y"]),
        xycoords=blended_transform_factory(axes.transData, axes.transAxes) if is_above else "data",
        xytext=(note.get("xshift", 0) / 2, 2 if is_above else 0),
        textcoords="offset points",
        horizontalalignment=note["xanchor"],
        verticalalignment="bottom" if is_above else "center",
        color=_colour(note.get("font", {}).get("color", "var(--ink)")),
        annotation_clip=False,
    )


def _mark(symbol: str) -> tuple[str, bool]:
    """Return matplotlib's mark of plotly's symbol, and True if it is open."""
    name, opening, _ = symbol.partition("-open")
    return SYMBOL_MARKS[name], bool(opening)


def _plain_text(text: str) -> str:
    """Undo what plotly wants escaped; line breaks stay."""
    return unescape(text.replace("<br>", "\n"))


def _colour(text: str) -> str:
    """Return a colour of the light scheme. text: a custom property such as `var(--ink)`, or a colour."""
    return _light_colours()[text[4:-1]] if text.startswith("var(") else text


@cache
def _light_colours() -> Mapping[str, str]:
    """Return custom property -> its light colour, from the style sheets of the pages."""
    texts = (Path(str(finders.find(sheet))).read_text(encoding="utf-8") for sheet in STYLE_SHEETS)
    return dict(pair for text in texts for pair in LIGHT.findall(text))
