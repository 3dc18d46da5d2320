"""The results page of a dataset."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.web.role_checks import SignedInRequest, researchers_only
from rankings.charts.chart_files import chart_file
from rankings.report import trust_checks
from rankings.report.pages import dataset_page, sentences_and_cards
from rankings.report.views.table_source import dataset_source
from rankings.tables.figure_table import figure_table
from rankings.tables.sorting import Sort


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
