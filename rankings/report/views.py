"""The results pages of a run and of a dataset, and their downloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.models import Dataset, Run
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.charts.chart_files import chart_file
from rankings.loading import subset_names
from rankings.numerics import DEFAULT_RANKING, Figure
from rankings.numerics.accuracy import NO_TRUTH
from rankings.report import trust_checks
from rankings.report.first_probabilities import first_probabilities, first_probabilities_chart
from rankings.report.forms import LEFT_OUT_FIELDS, ChoiceForm, OrderForm, StyleForm, TableForm, chosen_field
from rankings.report.long_lines import report_long_form
from rankings.report.means_over_prompts import PromptMean, means_long_form, means_over_prompts
from rankings.report.pages import dataset_page, run_page
from rankings.report.pages.headline_figures import headline_figures
from rankings.report.preferences import preferences_page
from rankings.report.prompt_means_table import table_of_choice
from rankings.report.report_choice import ALL
from rankings.report.report_columns import DATASET_COLUMNS, RUN_COLUMNS
from rankings.report.report_json import json_document
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import report_rows
from rankings.report.report_table import caption_of, choice_notes, chosen_rows
from rankings.tables.figure_table import FigureTable, figure_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import long_attachment
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import Table

MOST_ROWS_AT_FIRST = 40
QUICK_RUN = 5_000
"""Planned answers of a run whose headline takes a fraction of a second."""


@require_safe
@researchers_only
def run_results(request: SignedInRequest, run_id: int) -> HttpResponse:
    source = run_source(request, run_id)
    context = {
        "run": source.runs[0],
        "choice_form": source.answers,
        "table_form": source.form,
        "query": request.GET.urlencode(),
        "answers_query": answers_query(request),
    }
    if len(source.rows) > 1:
        context |= {"table": subsets_table(request, source)}
    return render(
        request, "rankings/report/run.html", context | run_figures(source.rows, source.form.table_choice.ranking)
    )


def subsets_table(request: SignedInRequest, source: TableSource) -> FigureTable:
    """Return the table of the subsets of a run, in the order of the dataset unless the address sorts it."""
    sort = Sort.parse(source.form.table_choice.sort)
    table = sorted_table(source.table, sort)
    return figure_table(table, label="Subsets", address=request.GET, sort=sort, headline="Subset")


@require_safe
@never_cache
@researchers_only
def run_headline(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the headline figures of a run as a part of its own page; of the answers so far while it runs."""
    run = visible_run(request, run_id)
    rows = report_rows(run.dataset, runs=[run], use_cache=not run.is_active)
    row = run_page.overall(rows)[0] if rows else None
    figures = headline_figures(row, DEFAULT_RANKING) if row and row.counts.comparisons else []
    seconds = 5 if run.planned <= QUICK_RUN else 15
    context = {"run": run, "row": row, "headline_figures": figures, "seconds": seconds}
    return render(request, "rankings/report/_run_headline.html", context)


@require_safe
@researchers_only
def run_first_probabilities(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """Show how often the run answers each P(first). With `part` in the address, return only the fragment."""
    run = visible_run(request, run_id)
    if run.is_scoring:
        raise Http404(f"run {run.pk} scores candidates one by one; P(first) needs comparisons")
    form = OrderForm(request.GET, dataset=run.dataset)
    histogram = first_probabilities(run, form.report_choice)
    chart = first_probabilities_chart(histogram)
    if file := chart_file(request, chart):
        return file
    context = {"run": run, "histogram": histogram, "chart": chart}
    template = "_first_probabilities" if "part" in request.GET else "first_probabilities"
    return render(request, f"rankings/report/{template}.html", context)


@require_safe
@researchers_only
def run_headline_link(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Render the first headline figure of a run, for lists of runs."""
    source = run_source(request, run_id)
    whole = run_page.overall(source.rows)
    figures = headline_figures(whole[0], source.form.table_choice.ranking) if whole else []
    figure = next((one for one in figures if one.value), None)
    return render(request, "rankings/report/_headline_link.html", {"run": source.runs[0], "figure": figure})


def answers_query(request: SignedInRequest) -> str:
    """Return the parameters of the address that curves and scores have too: order, and what is left out."""
    shared = QueryDict(mutable=True)
    for name in ("order", *LEFT_OUT_FIELDS):
        shared.setlist(name, request.GET.getlist(name))
    return shared.urlencode()


def run_figures(rows: Sequence[ReportRow], ranking: str) -> dict[str, object]:
    """Return the template context of a run; empty if it has no answer yet. ranking: of the headline."""
    if not rows:
        return {}
    row = run_page.overall(rows)[0]
    correlations = run_page.correlation_tables(row)
    return {
        "row": row,
        "choice_notes": choice_notes(rows),
        "headline_figures": headline_figures(row, ranking),
        "headline": run_page.headline(row),
        "needs_people": row.accuracy.undefined == NO_TRUTH,
        "bias_sentence": run_page.bias_sentence(row),
        "agreement": run_page.cards(row, "agreement", has_subsets=len(rows) > 1),
        "bias": run_page.cards(row, "bias"),
        "hold_out": run_page.hold_out_cards(row),
        "over_candidates": run_page.candidate_cards(row),
        "correlations": correlations[:2],
        "more_correlations": correlations[2:],
        "with_ties": run_page.with_ties(row),
        "trust_summary": trust_checks.summary(row),
        "trust_failed": trust_checks.failed(row),
        **preferences_page.preferences_context(row),
        "has_subsets": len(rows) > 1,
    }


@require_safe
@researchers_only
def dataset_results(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Show all runs of a dataset that this person may see, and a line for people."""
    source = dataset_source(request, dataset_id)
    whole = run_page.overall(source.rows)
    context = {
        "dataset": source.dataset,
        "form": source.form,
        "choice_form": source.answers,
        "has_demo": any(run.is_demo for run in source.runs),
        "table": runs_table(request, source) if source.rows else None,
        "checks": dataset_page.checks_of_runs(whole),
        "choice_notes": choice_notes(source.rows),
        "n_runs": len(source.form.offered_runs),
        "n_chosen": len(source.runs),
        "hidden_subsets": source.form.n_hidden_subsets,
        "leader": "" if source.form.table_choice.over_prompts else run_page.leader_sentence(whole),
        "adaptive": trust_checks.hold_out_warnings(whole),
        "query": request.GET.urlencode(),
    }
    if "chart" in request.GET:
        chart = dataset_page.accuracy_chart(whole)
        if file := chart_file(request, chart):
            return file
        label = "Accuracy of each run with its interval"
        about = {"chart": chart, "label": label, "definition": "report/#accuracy"}
        return render(request, "rankings/_chart.html", about)
    return render(request, "rankings/report/dataset.html", context)


def runs_table(request: SignedInRequest, source: TableSource) -> FigureTable:
    """Return the table of all runs, sorted as the address says; default: by accuracy, highest first."""
    unfinished = [run for run in source.runs if run.status != Run.Status.DONE]
    partial = {run.pk: run.get_status_display().lower() for run in unfinished}
    choice = replace(source.form.table_choice, sort="")
    table = table_of_choice(source.rows, choice, people=source.people, runs=source.runs)
    if choice.over_prompts:
        table = dataset_page.page_of_means(table, people=source.people)
    else:
        table = dataset_page.page_table(table, chosen_rows(source.rows, choice), partial, people=source.people)
    sort = Sort.parse(source.form.table_choice.sort)
    return figure_table(sorted_table(table, sort), label="All runs", address=request.GET, sort=sort, headline="Judge")


@dataclass(frozen=True, slots=True)
class TableSource:
    """The runs of a results page with their rows, and the choices of its address. is_run: the page is about one run."""

    dataset: Dataset
    runs: Sequence[Run]
    rows: list[ReportRow]
    form: TableForm
    answers: ChoiceForm
    is_run: bool

    @property
    def table(self) -> Table:
        """Return the table of the page. The page of a run has no row for people."""
        return table_of_choice(self.rows, self.form.table_choice, people=self.people, runs=self.runs)

    @property
    def means(self) -> list[PromptMean] | None:
        """Return the means over prompts; None if the address does not choose them."""
        return means_over_prompts(self.runs, self.rows) if self.form.table_choice.over_prompts else None

    @property
    def people(self) -> dict[str, Figure]:
        """Return attribute -> agreement between people; nothing for the page of a run."""
        return {} if self.is_run else dataset_page.people(run_page.overall(self.rows))


def dataset_source(request: SignedInRequest, dataset_id: int) -> TableSource:
    """Return the runs of a dataset that this person may see. Raises Http404 for an invisible dataset."""
    dataset = visible_dataset(request, dataset_id)
    runs = visible_runs(request).filter(dataset=dataset).order_by("pk")
    attributes = list(dataset.attributes.values_list("name", flat=True))
    if (attribute := request.GET.get("attribute")) in attributes:
        runs = runs.filter(attribute__name=attribute)
    return table_source(request, dataset, list(runs))


def usual_subsets(subsets: Sequence[str], rows: Sequence[ReportRow]) -> list[str]:
    """Return the subsets that the page of a dataset shows at first: all if the table stays short, else whole runs."""
    return list(subsets) if len(rows) <= MOST_ROWS_AT_FIRST else [ALL]


def run_source(request: SignedInRequest, run_id: int) -> TableSource:
    """Return one run. Raises Http404 if this person may not see it."""
    run = visible_run(request, run_id)
    return table_source(request, run.dataset, [run], is_run=True)


def table_source(
    request: SignedInRequest, dataset: Dataset, runs: Sequence[Run], *, is_run: bool = False
) -> TableSource:
    by = chosen_field(request.GET, dataset.context_fields)
    answers = ChoiceForm(
        request.GET, dataset=dataset, fields=dataset.context_fields, subsets=subset_names(dataset, subsets_by=by)
    )
    chosen = [run for run in runs if str(run.pk) in request.GET.getlist("run")] or runs
    rows = report_rows(dataset, runs=chosen, choice=answers.report_choice)
    subsets = list(dict.fromkeys(row.subset for row in rows if not row.subsets))
    of_run = {"column": RUN_COLUMNS, "subset": subsets}
    of_dataset = {"column": DATASET_COLUMNS, "subset": usual_subsets(subsets, rows), "sort": [dataset_page.USUAL_SORT]}
    form = TableForm(
        request.GET,
        attributes=list(dataset.attributes.values_list("name", flat=True)),
        subsets=subsets,
        usual=of_run if is_run else of_dataset,
        runs=() if is_run else runs,
        experts=[expert.name for expert in answers.report_choice.experts],
    )
    return TableSource(dataset, chosen, rows, form, answers, is_run)


@require_safe
@researchers_only
def run_report(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    return report_file(request, run_source(request, run_id), name=f"run-{run_id}", ending=ending)


@require_safe
@researchers_only
def dataset_report(request: SignedInRequest, dataset_id: int, ending: str) -> HttpResponseBase:
    """Download the table of the page with the same address, or the whole report as JSON."""
    source = dataset_source(request, dataset_id)
    return report_file(request, source, name=source.dataset.name, ending=ending)


def report_file(request: SignedInRequest, source: TableSource, *, name: str, ending: str) -> HttpResponseBase:
    source.answers.require_known_names()
    if ending == "json":
        means = {} if source.means is None else {"means": source.means}
        return attachment([json_document({"rows": source.rows, **means})], name=f"{name}.json")
    if ending not in TABLE_FORMATS:
        raise Http404(f"no report ends in .{ending}")
    style = style_form(request, source).style
    return attachment([TABLE_FORMATS[ending].write(source.table, style)], name=f"{name}.{ending}")


@require_safe
@researchers_only
def run_long(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download every figure of a run, one per line."""
    return long_file(run_source(request, run_id), name=f"run-{run_id}", ending=ending)


@require_safe
@researchers_only
def dataset_long(request: SignedInRequest, dataset_id: int, ending: str) -> HttpResponseBase:
    """Download every figure of the runs of the page with the same address, one per line."""
    source = dataset_source(request, dataset_id)
    return long_file(source, name=source.dataset.name, ending=ending)


def long_file(source: TableSource, *, name: str, ending: str) -> HttpResponseBase:
    source.answers.require_known_names()
    form = report_long_form(source.rows) if source.means is None else means_long_form(source.means)
    return long_attachment(form, name=name, ending=ending)


def style_form(request: SignedInRequest, source: TableSource) -> StyleForm:
    caption = caption_of(source.dataset, source.runs[0] if source.is_run else None)
    return StyleForm(request.GET, usual={"caption": caption, "label": "tab:agreement"})


@require_safe
@researchers_only
def dataset_table(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show the table of the results page as text for a paper, to copy or download."""
    source = dataset_source(request, dataset_id)
    return table_page(request, source, {"dataset": source.dataset, "report": "dataset-report", "pk": dataset_id})


@require_safe
@researchers_only
def run_table(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the rows of a run as text for a paper, to copy or download."""
    source = run_source(request, run_id)
    return table_page(request, source, {"run": source.runs[0], "report": "run-report", "pk": run_id})


def table_page(request: SignedInRequest, source: TableSource, context: dict[str, object]) -> HttpResponse:
    form = style_form(request, source)
    context |= {
        "style_form": form,
        "ending": form.chosen_format,
        "text": TABLE_FORMATS[form.chosen_format].write(source.table, form.style),
        "chosen": [
            (name, value) for name, values in request.GET.lists() if name not in form.fields for value in values
        ],
        "query": request.GET.urlencode(),
        "has_rows": bool(source.rows),
    }
    return render(request, "rankings/report/table.html", context)
