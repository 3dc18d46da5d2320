"""Results: of one run, of all runs of a dataset side by side, scores, and the same to take home."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from judging.models import Dataset, Run
from judging.web.access import SignedInRequest, researchers_only
from judging.web.downloads import attachment, csv_lines
from judging.web.paging import query_without_page
from rankings.charts.dots import agreement_chart
from rankings.report import dataset_page, preferences_page, run_page, scores_page, trust_checks
from rankings.report.forms import ComparisonOfRunsForm, RankingForm
from rankings.report.hold_out import is_distorted
from rankings.report.hold_out_page import hold_out_cards, hold_out_sentences
from rankings.report.report_rows import report_rows, scores_of
from rankings.report.tables import Row, csv_text, latex_table

SCORES_PER_PAGE = 100
SCORE_COLUMNS = ["context", "candidate", "system", "score", "standard_error", "rank", "human"]


def visible_run(request: SignedInRequest, run_id: int) -> Run:
    """The run, if this person may see it; a 404 otherwise."""
    runs = Run.objects.visible_to(request.user).select_related("dataset", "attribute", "judge", "owner")
    return get_object_or_404(runs, pk=run_id)


@require_safe
@researchers_only
def run_results(request: SignedInRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    rows = report_rows(run.dataset, runs=[run])
    return render(request, "rankings/report/run.html", {"run": run} | run_figures(rows))


def run_figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What the page shows of a run; nothing where it has no answer yet."""
    if not rows:
        return {}
    row = run_page.overall(rows)[0]
    return {
        "row": row,
        "headline": run_page.headline(row),
        "bias_sentence": run_page.bias_sentence(row),
        "agreement": run_page.cards(row, run_page.AGREEMENT if len(rows) > 1 else run_page.AGREEMENT_WITHOUT_SUBSETS),
        "bias": run_page.cards(row, run_page.BIAS),
        "hold_out": hold_out_cards(row),
        "correlations": run_page.correlation_tables(row, ("spearman", "kendall")),
        "more_correlations": run_page.correlation_tables(row, ("pearson", "kendall_c")),
        "with_ties": run_page.with_ties(row),
        **trust_checks.shown(row),
        **preferences_page.shown(row),
        "subsets": run_page.of_subsets(rows),
        "reasons": run_page.reasons(run_page.of_subsets(rows), (*run_page.TABLE_FIGURES, "human")),
    }


@require_safe
@researchers_only
def dataset_results(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """All runs of a dataset that this person may see, side by side, with a line for people."""
    dataset = get_object_or_404(Dataset.objects.visible_to(request.user), pk=dataset_id)
    form = ComparisonOfRunsForm(request.GET, attributes=list(dataset.attributes.values_list("name", flat=True)))
    runs = runs_of(request, dataset, form)
    rows = report_rows(dataset, runs=runs)
    whole = run_page.overall(rows)
    partial = {run.pk: run.get_status_display().lower() for run in runs if run.status != Run.Status.DONE}
    lines = dataset_page.side_by_side(rows, ranking=form.chosen()["ranking"], partial=partial)
    people = dataset_page.people(whole)
    context = {
        "dataset": dataset,
        "form": form,
        "has_demo": any(run.judge.is_demo for run in runs),
        "rows": lines,
        "people": people,
        "reasons": dataset_page.reasons(lines, people),
        "ranking": form.chosen()["ranking"],
        "leaders": run_page.leaders(whole),
        "adaptive": hold_out_sentences(whole),
        "chart": agreement_chart(whole),
        "query": query_without_page(request),
    }
    return render(request, "rankings/report/dataset.html", context)


def runs_of(request: SignedInRequest, dataset: Dataset, form: ComparisonOfRunsForm) -> list[Run]:
    runs: QuerySet[Run] = Run.objects.visible_to(request.user).filter(dataset=dataset)
    if attribute := form.chosen()["attribute"]:
        runs = runs.filter(attribute__name=attribute)
    return list(runs.select_related("dataset", "attribute", "judge", "prompt"))


@require_safe
@researchers_only
def run_scores(request: SignedInRequest, run_id: int) -> HttpResponse:
    """A score for every candidate, by one ranking."""
    run = visible_run(request, run_id)
    form = RankingForm(request.GET, is_scoring=run.is_scoring)
    chosen = form.chosen()
    page = Paginator(scores_of(run, **chosen), SCORES_PER_PAGE).get_page(request.GET.get("page"))
    context = {"run": run, "form": form, "page_obj": page, "query": query_without_page(request)} | chosen
    context["is_distorted"] = is_distorted(run, chosen["ranking"])
    context["meaning"] = scores_page.MEANINGS[chosen["ranking"]]
    context["reasons"] = scores_page.reasons(list(page))
    return render(request, "rankings/report/scores.html", context)


@require_safe
@researchers_only
def run_scores_download(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    run = visible_run(request, run_id)
    chosen = RankingForm(request.GET, is_scoring=run.is_scoring).chosen()
    lines = csv_lines(scores_of(run, **chosen), columns=SCORE_COLUMNS)
    debiased = "-debiased" if chosen["debias"] else "-averaged" if chosen["average_orders"] else ""
    return attachment(lines, name=f"run-{run.pk}-{chosen['ranking']}{debiased}.csv")


@require_safe
@researchers_only
def run_report(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    run = visible_run(request, run_id)
    return report_file(report_rows(run.dataset, runs=[run]), name=f"run-{run.pk}.{ending}")


@require_safe
@researchers_only
def dataset_report(request: SignedInRequest, dataset_id: int, ending: str) -> HttpResponseBase:
    """The report of the runs that the page with the same address shows."""
    dataset = get_object_or_404(Dataset.objects.visible_to(request.user), pk=dataset_id)
    form = ComparisonOfRunsForm(request.GET, attributes=list(dataset.attributes.values_list("name", flat=True)))
    return report_file(report_rows(dataset, runs=runs_of(request, dataset, form)), name=f"{dataset.name}.{ending}")


def report_file(rows: list[dict[str, Any]], *, name: str) -> HttpResponseBase:
    """The rows as CSV, JSON or LaTeX, by the ending of the name: what the command `report` prints."""
    writers = {"csv": csv_text, "json": json_document, "tex": latex_table}
    ending = name.rpartition(".")[2]
    if ending not in writers:
        raise Http404(f"no report ends in .{ending}")
    return attachment([writers[ending](rows)], name=name)


def json_document(rows: Sequence[Row]) -> str:
    return json.dumps({"rows": list(rows)}, ensure_ascii=False, allow_nan=False)
