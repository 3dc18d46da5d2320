"""The pages with a methods paragraph and BibTeX, to copy."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.web.role_checks import SignedInRequest, researchers_only
from rankings.citations.methods_text import methods_text
from rankings.report.views.table_source import TableSource, dataset_source, run_source


@require_safe
@researchers_only
def dataset_methods(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show the paragraph of the runs on the results page with the same query."""
    source = dataset_source(request, dataset_id)
    return methods_page(request, source, {"dataset": source.dataset})


@require_safe
@researchers_only
def run_methods(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the paragraph of one run."""
    source = run_source(request, run_id)
    return methods_page(request, source, {"run": source.runs[0]})


def methods_page(request: SignedInRequest, source: TableSource, context: dict[str, object]) -> HttpResponse:
    if source.rows:
        ranking = source.form.table_choice.ranking
        context["text"] = methods_text(source.dataset, source.runs, source.rows, ranking=ranking)
    return render(request, "rankings/citations/methods.html", context)
