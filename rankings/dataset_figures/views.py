"""The page of human judgments of a dataset, and of judges' answers on a context; both also as parts of other pages."""

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from judging.models import Context, Dataset
from judging.web.paging import page_of, query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.dataset_figures.context_matrices import (
    MOST_CANDIDATES,
    candidates_of_matrices,
    judge_matrices,
    judge_scores,
    runs_with_answers,
    runs_with_scores,
)
from rankings.dataset_figures.human_judgments import human_judgments
from rankings.report.forms import AttributeForm

MATRICES_PER_PAGE = 4
LINES_PER_PAGE = 50  # each is a line of a table


@require_safe
@researchers_only
def dataset_human_judgments(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show scores and agreement of people. With `part` in the address, return only the fragment."""
    dataset = visible_dataset(request, dataset_id)
    name = "_human_judgments" if "part" in request.GET else "human_judgments"
    context = {"dataset": dataset, "judgments": human_judgments(dataset)}
    return render(request, f"rankings/dataset_figures/{name}.html", context)


@require_safe
@researchers_only
def context_answers(request: SignedInRequest, context_id: int) -> HttpResponse:
    """Show a matrix for each judge. With `part` in the address, return only the fragment."""
    contexts = Context.objects.filter(dataset__in=Dataset.objects.visible_to(request.user))
    context = get_object_or_404(contexts.select_related("dataset"), pk=context_id)
    form = AttributeForm(request.GET, attributes=list(context.dataset.attributes.all()))
    name = "_context_answers" if "part" in request.GET else "context_answers"
    content = answers_content(request, context, form) | {"dataset": context.dataset, "context": context, "form": form}
    return render(request, f"rankings/dataset_figures/{name}.html", content)


def answers_content(request: SignedInRequest, context: Context, form: AttributeForm) -> dict[str, object]:
    """Return the template context of the answers. Raises Http404 if the dataset has no attribute."""
    attribute = form.chosen()
    if attribute is None:
        raise Http404("the dataset has no attribute")
    candidates = candidates_of_matrices(context, attribute)
    shown, is_pair = candidates[:MOST_CANDIDATES], len(candidates) == 2
    runs = visible_runs(request).ordinary()
    comparing, scoring = runs_with_answers(runs, context, attribute), runs_with_scores(runs, context, attribute)
    page = page_of(request, Paginator(comparing, LINES_PER_PAGE if is_pair else MATRICES_PER_PAGE))
    return {
        "attribute": attribute,
        "candidates": shown,
        "candidate_count": len(candidates),
        "is_pair": is_pair,
        "first_key": shown[0].candidate.key if shown else "",
        "page_obj": page,
        "query": query_without_page(request),
        "matrices": judge_matrices(list(page.object_list), context, shown),
        "judge_scores": judge_scores(list(scoring), context, shown),
    }
