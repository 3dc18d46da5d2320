"""The page of the scores of a run, and its download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evenhand.csv_text import csv_lines
from evenhand.numerics import RANKINGS
from judging.models import Run
from judging.web.downloads import attachment
from judging.web.paging import address_without_page, query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run
from rankings.report.report_json import as_json
from rankings.report.run_figures import SCORE
from rankings.scores.forms import RankingForm
from rankings.scores.score_rows import (
    CANDIDATE_COLUMNS,
    SCORE_FIGURES,
    ScoreRow,
    is_distorted,
    scores_long_form,
    scores_of,
)
from rankings.scores.scores_table import score_sort, scores_table, sorted_scores
from rankings.scores.system_win_rates import systems_figure_table, systems_sentence
from rankings.tables.long_form import long_attachment

SCORES_PER_PAGE = 100
UNITS = {name: ranking.unit for name, ranking in RANKINGS.items()} | {SCORE: "As given by the judge or metric."}
"""ranking -> a sentence that says what its scores mean."""


@require_safe
@researchers_only
def run_scores(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the score of every candidate, by one ranking, best first within each context."""
    run = visible_run(request, run_id)
    form = ranking_form(request, run)
    chosen = form.chosen()
    report = scores_of(run, **chosen)
    sort, links = score_sort(request.GET), address_without_page(request)
    page = Paginator(sorted_scores(report.scores, sort), SCORES_PER_PAGE).get_page(request.GET.get("page"))
    context = {"run": run, "form": form, "page_obj": page, "query": query_without_page(request)} | chosen
    context["without"] = report.without
    rates = {one.system: one.win_rate for one in report.systems}
    context |= {"systems": systems_figure_table(rates, links), "systems_sentence": systems_sentence(rates)}
    context["is_distorted"] = is_distorted(run, chosen["ranking"])
    context["meaning"] = UNITS[chosen["ranking"]]
    context["table"] = scores_table(page, links, sort, hrefs=context_pages(run, list(page)))
    return render(request, "rankings/scores/scores.html", context)


def context_pages(run: Run, rows: Sequence[ScoreRow]) -> dict[str, str]:
    """Return context -> the address of the page with its texts."""
    contexts = run.dataset.contexts.filter(key__in={row.context for row in rows})
    return {key: reverse("context", args=[pk]) for key, pk in contexts.values_list("key", "pk")}


@require_safe
@researchers_only
def run_scores_download(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    run = visible_run(request, run_id)
    chosen = downloaded_choice(request, run)
    report = scores_of(run, **chosen)
    without = {"without": report.without.cell} if report.without else {}
    columns = [*CANDIDATE_COLUMNS, *SCORE_FIGURES, *without]
    lines = csv_lines([row | without for row in as_json(report.scores)], columns=columns)
    debiased = "-debiased" if chosen["debias"] else "-averaged" if chosen["average_orders"] else ""
    return attachment(lines, name=f"run-{run.pk}-{chosen['ranking']}{debiased}.csv")


@require_safe
@researchers_only
def run_scores_long(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download the scores of all candidates, one number per line."""
    run = visible_run(request, run_id)
    chosen = downloaded_choice(request, run)
    form = scores_long_form(run, scores_of(run, **chosen), **chosen)
    return long_attachment(form, name=f"run-{run.pk}-scores", ending=ending)


def ranking_form(request: SignedInRequest, run: Run) -> RankingForm:
    return RankingForm(request.GET, dataset=run.dataset, is_scoring=run.is_scoring)


def downloaded_choice(request: SignedInRequest, run: Run) -> dict[str, Any]:
    """Return the arguments of `scores_of`. Raises Http404 for unknown systems and contexts."""
    form = ranking_form(request, run)
    chosen = form.chosen()
    form.require_known_names()
    return chosen
