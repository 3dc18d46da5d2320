"""The page of ranking curves."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Run
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run
from rankings.charts.chart_files import chart_file
from rankings.curves.curve_chart import curve_chart
from rankings.curves.curve_long_form import curve_long_form
from rankings.curves.curve_page import reasons_of, sentence_of
from rankings.curves.curve_report import curve_report
from rankings.curves.curve_tables import points_table, worth_table
from rankings.curves.forms import MEASURE_TITLES, CurveForm
from rankings.curves.needed_comparisons import needed_figure_table, needed_sentence, needed_table
from rankings.report.number_text import ranking_title
from rankings.tables.long_form import long_attachment


@require_safe
@researchers_only
def run_curve_long(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download the points of the curves of the page, one per line."""
    run = visible_comparing_run(request, run_id)
    form = curve_form(request, run)
    choice = form.choice()
    form.require_known_names()
    lines = curve_long_form(run, curve_report(run, choice))
    return long_attachment(lines, name=f"run-{run.pk}-curve", ending=ending)


def curve_form(request: SignedInRequest, run: Run) -> CurveForm:
    has_votes, has_scores = run.attribute.votes.in_figures().exists(), run.attribute.human_scores.exists()
    return CurveForm(request.GET, dataset=run.dataset, has_votes=has_votes, has_scores=has_scores)


@require_safe
@researchers_only
def run_curve(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """Show the ranking curve. With `part` in the address, return only the fragment that other pages include.

    `headline` names the ranking of the figures on that page.
    """
    run = visible_comparing_run(request, run_id)
    form = curve_form(request, run)
    choice = form.choice()
    report = curve_report(run, choice)
    chart = curve_chart(report.points, measure=MEASURE_TITLES[choice.measure].capitalize())
    if file := chart_file(request, chart):
        return file
    needed, title = needed_table(report, measure=choice.measure), MEASURE_TITLES[choice.measure].capitalize()
    context = {
        "run": run,
        "query": request.GET.urlencode(),
        "form": form,
        "without": report.without,
        "points": points_table(report, measure=title, address=request.GET),
        "needed_sentence": needed_sentence(
            needed, measure=choice.measure, ranking=ranking_title(request.GET.get("headline", ""))
        ),
        "needed": needed_figure_table(needed, request.GET),
        "reasons": reasons_of(report),
        "people": report.people,
        "has_votes": "people" in form.fields,
        "worth_sentence": sentence_of(report),
        "worth": worth_table(report, measure=title, address=request.GET),
        "has_beams": any(point.beam is not None for point in report.points),
        "is_part": "part" in request.GET,
        "chart": chart,
    }
    return render(
        request, "rankings/curves/_curve.html" if context["is_part"] else "rankings/curves/curve.html", context
    )
