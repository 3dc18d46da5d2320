"""The long form of a report of ranking curves: one line per point."""

from __future__ import annotations

from collections.abc import Iterator

from rankings.curves.curve_choice import AVERAGED, DEBIASED, RAW
from rankings.curves.curve_records import CurveReport, Point, Worth
from rankings.report.left_out import with_left_out
from rankings.report.long_lines import names_of
from rankings.report.run_names import RunName
from rankings.tables.long_form import Line, LongForm

CURVE_COLUMNS = ("source", "ranking", "selection", "bias", "beam", "comparisons")


def curve_long_form(report: CurveReport) -> LongForm:
    """Return every point of a curve, and the votes that equal it. n: the number of draws."""
    assert report.run
    names = names_of(RunName.of(report.run))
    form = LongForm(lambda: _long_lines(names, report), CURVE_COLUMNS)
    return with_left_out(form, report.without)


def _long_lines(names: Line, report: CurveReport) -> Iterator[Line]:
    for point in report.points:
        yield {**names, **_curve_columns(point), **_point_columns(point)}
    for one in report.worth or ():
        yield {**names, **_curve_columns(one), "source": "judge", "figure": "votes", **vars(one.votes)}


def _curve_columns(point: Point | Worth) -> Line:
    bias = AVERAGED if point.average_orders else DEBIASED if point.debiased else RAW
    return {
        "ranking": point.ranking,
        "selection": point.selection,
        "bias": bias,
        "beam": point.beam,
        "comparisons": point.comparisons,
        "variant": f"{point.ranking}.{point.selection}.{bias}",
    }


def _point_columns(point: Point) -> Line:
    return {
        "source": point.source,
        "figure": point.measure,
        "value": point.mean,
        "low": point.low,
        "high": point.high,
        "n": point.draws,
        "undefined": point.undefined,
    }
