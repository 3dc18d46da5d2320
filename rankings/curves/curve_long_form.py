"""The long form of a report of ranking curves: one line per point."""

from __future__ import annotations

from collections.abc import Iterator

from judging.models import Run
from rankings.curves.curve_choice import AVERAGED, DEBIASED, RAW
from rankings.curves.curve_records import CurveReport, Point, Worth
from rankings.report.left_out import with_left_out
from rankings.report.long_lines import names_of
from rankings.report.run_names import RunName
from rankings.tables.long_form import Line, LongForm

CURVE_COLUMNS = ("source", "ranking", "selection", "bias", "beam", "comparisons")


def curve_long_form(run: Run, report: CurveReport) -> LongForm:
    """Return every point of a curve, and the votes that equal it. n: the number of draws."""
    columns = (*CURVE_COLUMNS, "expert") if report.experts else CURVE_COLUMNS
    form = LongForm(lambda: _long_lines(names_of(RunName.of(run)), report), columns)
    return with_left_out(form, report.without)


def _long_lines(names: Line, report: CurveReport) -> Iterator[Line]:
    for point in report.points:
        yield {**names, **_curve_columns(point), **_point_columns(point), **_expert_column(point, report)}
    for one in report.worth or ():
        columns = {**_curve_columns(one), "source": "judge", "figure": "votes", **vars(one.votes)}
        yield {**names, **columns, **_expert_column(one, report)}


def _expert_column(point: Point | Worth, report: CurveReport) -> Line:
    """Return the expression of the expert; empty for other rankings. No column in a report without experts."""
    if not report.experts:
        return {}
    expressions = dict(expert.split("=", 1) for expert in report.experts)
    return {"expert": expressions.get(point.ranking)}


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
