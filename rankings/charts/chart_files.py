"""The files of a page's charts: pictures for papers, their numbers, and a LaTeX figure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from evenhand.csv_text import csv_lines
from judging.web.downloads import attachment
from rankings.charts.picture_formats import FORMATS, WIDTHS
from rankings.charts.plotly_chart import Chart, Trace
from rankings.tables.latex_table import escaped

PARAMETER = "picture"
FILE_COLUMNS = ("series", "x", "y", "low", "high")


def chart_file(request: HttpRequest, *charts: Chart | None) -> HttpResponseBase | None:
    """Return the file that the address asks of a page's charts, such as `?picture=curve.pdf&width=7`; None for none.

    Raises Http404 for an unknown chart, format or width.
    """
    wanted = request.GET.get(PARAMETER)
    if wanted is None:
        return None
    name, _, ending = wanted.rpartition(".")
    found = {one["layout"]["meta"]["name"]: one for one in charts if one}
    if name not in found:
        raise Http404(f"this page has no chart {name}; it has: {', '.join(found) or 'none'}")
    return _file(request, found[name], name, ending)


def _file(request: HttpRequest, chart: Chart, name: str, ending: str) -> HttpResponseBase:
    if ending == "csv":
        return attachment(csv_lines(chart_points(chart), columns=FILE_COLUMNS), name=f"{name}.csv")
    if ending == "tex":
        return attachment([_latex_figure(chart, name)], name=f"{name}.tex")
    width = request.GET.get("width", str(max(WIDTHS)))
    if ending not in FORMATS or width not in map(str, WIDTHS):
        raise Http404("give svg, pdf, png, csv or tex, and a width of 7 or 14")
    from rankings.charts.paper_pictures import picture_file  # noqa: PLC0415 - 40 MB that most processes never need

    response = HttpResponse(picture_file(chart, ending, width=int(width)), content_type=FORMATS[ending])
    shown = "inline" if ending == "svg" else "attachment"
    response["Content-Disposition"] = f'{shown}; filename="{name}-{width}cm.{ending}"'
    return response


def chart_points(chart: Chart) -> Iterator[Mapping[str, object]]:
    """Yield the points of a chart with their intervals or bands. In a heat map, y is the number of a cell.

    Traces without a text at the pointer, such as a diagonal, have no numbers of their own.
    """
    band: Trace | None = None
    for trace in chart["data"]:
        if trace.get("fill") == "toself":
            band = trace
            continue
        if trace.get("hoverinfo") == "skip":
            continue
        yield from _cells(trace) if trace["type"] == "heatmap" else _line(trace, band)
        band = None


def _cells(trace: Trace) -> Iterator[Mapping[str, object]]:
    """Yield the cells of a heat map. A matrix has names of its rows and columns; others have the middles of both."""
    names = trace.get("meta", {}).get("names")
    rows, columns = (names, names) if names else ([f"{y:g}" for y in trace["y"]], trace["x"])
    numbers = trace["z"] if names else trace["text"]
    for series, row in zip(rows, numbers, strict=True):
        for x, number in zip(columns, row, strict=True):
            yield {"series": series, "x": x, "y": number, "low": "", "high": ""}


def _line(trace: Trace, band: Trace | None) -> Iterator[Mapping[str, object]]:
    """Yield the points of a line. band: around it, along its upper edge and back along its lower edge."""
    values = trace["x"] if "error_x" in trace else trace["y"]
    n = len(values)
    names = trace["text"] if "error_x" in trace else [trace.get("meta", {}).get("series", trace.get("name", ""))] * n
    low, high = _ends(values, trace.get("error_x") or trace.get("error_y"))
    if band is not None:
        high, low = band["y"][:n], band["y"][n:][::-1]
    for at, name in enumerate(names):
        yield {"series": name, "x": trace["x"][at], "y": trace["y"][at], "low": low[at], "high": high[at]}


def _ends(values: Sequence[float], bars: Mapping[str, Any] | None) -> tuple[Sequence[object], Sequence[object]]:
    """Return the lower and upper ends of error bars; empty texts without them."""
    if bars is None:
        return [""] * len(values), [""] * len(values)
    below, above = bars.get("arrayminus", bars["array"]), bars["array"]
    return (
        [value - length for value, length in zip(values, below, strict=True)],
        [value + length for value, length in zip(values, above, strict=True)],
    )


def _latex_figure(chart: Chart, name: str) -> str:
    note = escaped(chart["layout"]["meta"]["note"])
    return "\n".join(
        [
            "\\begin{figure}",
            "  \\centering",
            f"  \\includegraphics[width=\\linewidth]{{{name}-14cm.pdf}}",
            f"  \\caption{{{note}}}",
            f"  \\label{{fig:{name}}}",
            "\\end{figure}",
            "",
        ]
    )
