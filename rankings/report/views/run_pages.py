"""The results pages of a run and of a dataset, and the parts that other pages load."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evenhand.numerics import DEFAULT_RANKING
from evenhand.numerics.accuracy import NO_TRUTH
from judging.models import Dataset
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run, visible_runs
from rankings.charts.chart_files import chart_file
from rankings.report import trust_checks
from rankings.report.answer_options import LEFT_OUT
from rankings.report.first_probabilities import first_probabilities, first_probabilities_chart
from rankings.report.forms import AnswersForm
from rankings.report.null_pair_figures import null_pairs, null_run_of
from rankings.report.pages import dataset_page, sentences_and_cards
from rankings.report.pages.headline_figures import headline_figures
from rankings.report.preferences import preferences_page
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import Sources, report_rows
from rankings.report.report_table import choice_notes
from rankings.report.views.table_source import TableSource, dataset_source, run_source
from rankings.tables.figure_table import FigureTable, figure_table
from rankings.tables.sorting import Sort

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
        "ranking": source.form.table_choice.ranking,
        "may_change_dataset": Dataset.objects.changeable_by(request.user).filter(pk=source.dataset.pk).exists(),
    }
    if len(source.rows) > 1:
        context |= {"table": subsets_table(request, source)}
    context |= run_figures(source.rows, source.form.table_choice.ranking)
    if source.rows and (null := null_run_of(source.runs[0], visible_runs(request))):
        table = Sources.of_run(source.runs[0], source.answers.report_choice).table
        context["null"] = null_pairs(table, null).cards
    return render(request, "rankings/report/run.html", context)


def subsets_table(request: SignedInRequest, source: TableSource) -> FigureTable:
    """Return the table of the subsets of a run, in the order of the dataset unless the address sorts it."""
    sort = Sort.parse(source.form.table_choice.sort)
    return figure_table(source.without_choice_notes(source.table), label="Subsets", address=request.GET, sort=sort)


@require_safe
@never_cache
@researchers_only
def run_headline(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the headline figures of a run as a part of its own page; of the answers so far while it runs."""
    run = visible_run(request, run_id)
    rows = [] if run.asks_null_pairs else report_rows(run.dataset, runs=[run], use_cache=not run.is_active)
    row = sentences_and_cards.overall(rows)[0] if rows else None
    figures = headline_figures(row, DEFAULT_RANKING) if row and row.counts.comparisons else []
    seconds = 5 if run.planned <= QUICK_RUN else 15
    constant = trust_checks.constant_sentences([row]) if row else []
    context = {"run": run, "row": row, "headline_figures": figures, "constant": constant, "seconds": seconds}
    return render(request, "rankings/report/_run_headline.html", context)


@require_safe
@researchers_only
def run_first_probabilities(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """Show how often the run answers each p_first. With `part` in the address, return only the fragment."""
    run = visible_run(request, run_id)
    if run.is_scoring:
        raise Http404(f"run {run.pk} scores candidates one by one; p needs comparisons")
    form = AnswersForm(request.GET, dataset=run.dataset, names=("order", *LEFT_OUT))
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
    whole = sentences_and_cards.overall(source.rows)
    figures = headline_figures(whole[0], source.form.table_choice.ranking) if whole else []
    figure = next((one for one in figures if one.value), None)
    return render(request, "rankings/report/_headline_link.html", {"run": source.runs[0], "figure": figure})


def answers_query(request: SignedInRequest) -> str:
    """Return the parameters of the address that curves and scores have too: order, and what is left out."""
    shared = QueryDict(mutable=True)
    for name in ("order", *LEFT_OUT):
        shared.setlist(name, request.GET.getlist(name))
    return shared.urlencode()


def run_figures(rows: Sequence[ReportRow], ranking: str) -> dict[str, object]:
    """Return the template context of a run; empty if nothing is answered yet. ranking: of the headline."""
    counts = [row.counts for row in sentences_and_cards.overall(rows)]
    if not any(one.comparisons or one.unparsed or one.errors for one in counts):
        return {}
    row = sentences_and_cards.overall(rows)[0]
    correlations = sentences_and_cards.correlation_tables(row)
    return {
        "row": row,
        "choice_notes": choice_notes(rows),
        "headline_figures": headline_figures(row, ranking),
        "headline": sentences_and_cards.headline(row),
        "constant": trust_checks.constant_sentences([row]),
        "needs_people": row.accuracy.undefined == NO_TRUTH,
        "bias_sentence": sentences_and_cards.bias_sentence(row),
        "agreement": sentences_and_cards.cards(row, "agreement", has_subsets=len(rows) > 1),
        "bias": sentences_and_cards.cards(row, "bias"),
        "hold_out": sentences_and_cards.hold_out_cards(row),
        "over_candidates": sentences_and_cards.candidate_cards(row),
        "correlations": correlations[:2],
        "more_correlations": correlations[2:],
        "with_ties": sentences_and_cards.with_ties(row),
        "soft_pairwise": figure_table(sentences_and_cards.soft_pairwise(row), label="Soft pairwise accuracy"),
        "trust_summary": trust_checks.summary(row),
        "trust_failed": trust_checks.failed(row),
        **preferences_page.preferences_context(row),
        "has_subsets": len(rows) > 1,
        "has_curve": sentences_and_cards.has_curve(row),
    }


@require_safe
@researchers_only
def dataset_results(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Show all runs of a dataset that this person may see, and a line for people."""
    source = dataset_source(request, dataset_id, only_shown=True)
    whole, sort = sentences_and_cards.overall(source.rows), Sort.parse(source.form.table_choice.sort)
    context = {
        "dataset": source.dataset,
        "form": source.form,
        "choice_form": source.answers,
        "has_demo": any(run.is_demo for run in source.runs),
        "table": source.rows
        and figure_table(source.without_choice_notes(source.table), label="All runs", address=request.GET, sort=sort),
        "failed_checks": dataset_page.failed_checks(whole),
        "constant": trust_checks.constant_sentences(whole),
        "choice_notes": source.choice_notes,
        "n_runs": len(source.form.offered_runs),
        "n_chosen": len(source.runs),
        "runs": source.runs,
        "hidden_subsets": source.form.n_hidden_subsets,
        "leader": "" if source.form.table_choice.over_prompts else sentences_and_cards.leader_sentence(whole),
        "adaptive": [*trust_checks.hold_out_warnings(whole), *trust_checks.bounded_warnings(whole)],
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
