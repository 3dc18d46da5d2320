"""Datasets: the list, one dataset, downloads, a package to publish, and votes that are left out of figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, Q, QuerySet
from django.db.models.functions import Length, Substr
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evenhand.formats import write_dataset
from evenhand.options import read_options
from evenhand.units import counted
from judging.forms.datasets import PublishForm, SharingForm
from judging.forms.option_form import OptionForm
from judging.models import Attribute, Context, Dataset, HumanScore, Run, Vote, VoteExclusion
from judging.models.row_counts import count_rows
from judging.services.campaigns.vote_exclusions import EXCLUSION_OPTIONS, exclude_rater, restore_votes
from judging.services.datasets.dataset_changes import share_dataset, split_dataset
from judging.services.datasets.stored_dataset import dataset_record
from judging.services.datasets.table_mappings import saved_mapping
from judging.services.publishing.package import Package, zip_parts
from judging.services.publishing.published_runs import publishable_runs, published_runs
from judging.web.downloads import attachment, vote_file
from judging.web.form_fields import showing_refusals, telling_refusals
from judging.web.operations.new_datasets import SHARING_OPTIONS, dataset_settings
from judging.web.options import values_sent
from judging.web.paging import page_of, query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import changeable_dataset, dataset_with_changeable_votes, visible_dataset, visible_runs


@require_POST
@researchers_only
def rater_exclude(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Leave all votes of a person, or those of one campaign, out of figures, with a reason."""
    with telling_refusals(request):
        named = request.POST.get("campaign", "")
        dataset, campaign = dataset_with_changeable_votes(request, dataset_id, campaign=named)
        values = read_options(EXCLUSION_OPTIONS, values_sent(request.POST))
        values.pop("campaign")
        exclusion = exclude_rater(dataset, campaign, request.user, **values)
        number = counted(exclusion.votes.count(), "vote")
        where = f" in {campaign}" if campaign else ""
        messages.success(request, f"{number} of {exclusion.rater}{where} left out of figures.")
    return redirect("dataset-quality", dataset_id)


@require_POST
@researchers_only
def votes_restore(request: SignedInRequest, exclusion_id: int) -> HttpResponse:
    """Take excluded votes back into figures."""
    changeable = VoteExclusion.objects.changeable_by(request.user)
    exclusion = get_object_or_404(changeable.select_related("dataset"), pk=exclusion_id)
    number = counted(restore_votes(exclusion, user=request.user), "vote")
    messages.success(request, f"{number} of {exclusion.rater} back in figures.")
    return redirect("dataset-quality", exclusion.dataset_id)


DOWNLOAD = "download"


@require_safe
@researchers_only
def dataset_publish(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Show the form. With `download` in the address, send the package as a ZIP file."""
    dataset = visible_dataset(request, dataset_id)
    runs = visible_runs(request).filter(dataset=dataset)
    form = PublishForm(request.GET if DOWNLOAD in request.GET else None, runs=publishable_runs(runs))
    if not form.is_valid():
        return publish_page(request, dataset, form)
    chosen = published_runs(runs, [run.pk for run in form.cleaned_data["run"]])
    package = Package(dataset, chosen, form.publication)
    return attachment(zip_parts(package, folder=dataset.name), name=f"{dataset.name}.zip")


def publish_page(request: SignedInRequest, dataset: Dataset, form: PublishForm) -> HttpResponse:
    votes = Vote.objects.filter(attribute__dataset=dataset)
    context = {
        "dataset": dataset,
        "form": form,
        "votes": votes.count(),
        "raters": votes.values("rater").distinct().count(),
    }
    return render(request, "judging/publishing/publish.html", context, status=400 if form.is_bound else 200)


@require_safe
@researchers_only
def dataset_votes_download(request: SignedInRequest, dataset_id: int, ending: str) -> StreamingHttpResponse:
    """Download the votes. `?judges=on` adds the answers of judges, `?skips=on` the skipped pairs, `?checks=on` training
    answers.
    """
    rows = {name: name in request.GET for name in ("judges", "skips", "checks")}
    return vote_file(visible_dataset(request, dataset_id), visible_runs(request), ending=ending, **rows)


CONTEXTS_PER_PAGE = 25
RUNS_SHOWN = 10
EXCERPT_LENGTH = 240  # characters of a context's text in the list


@dataclass(frozen=True, slots=True)
class JudgmentTotals:
    """Human judgments of all attributes. scores: of candidates with a human score. votes: all that are stored."""

    scores: int
    votes: int


@require_safe
@researchers_only
def dataset_list(request: SignedInRequest) -> HttpResponse:
    datasets = Dataset.objects.visible_to(request.user).with_counts().prefetch_related("attributes")
    return render(request, "judging/datasets/list.html", {"datasets": datasets})


@require_safe
@researchers_only
def dataset_detail(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    datasets = Dataset.objects.visible_to(request.user).with_counts().select_related("owner")
    dataset = get_object_or_404(datasets, pk=dataset_id)
    runs = Run.objects.visible_to(request.user).filter(dataset=dataset)
    attributes = list(count_human_judgments(dataset))
    may_change = Dataset.objects.changeable_by(request.user).filter(pk=dataset.pk).exists()
    named = dataset.contexts.exclude(subset="").order_by("subset")
    return render(
        request,
        "judging/datasets/detail.html",
        {
            "dataset": dataset,
            "attributes": attributes,
            "totals": total_judgments(attributes),
            "subsets": [dict(row) for row in named.values("subset").annotate(contexts=Count("pk"))],
            "runs": runs.for_lists()[:RUNS_SHOWN],
            "run_count": runs.count(),
            "page_obj": contexts_page(request, dataset),
            "query": query_without_page(request),
            "search": request.GET.get("search", ""),
            "subset": request.GET.get("subset", ""),
            "may_change": may_change,
            "split_form": OptionForm(None, split_dataset),
            "mapping_options": saved_mapping(dataset).options() if dataset.mapping else "",
        },
    )


@require_POST
@researchers_only
def dataset_split(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Split the contexts into a development part and a test part."""
    dataset = changeable_dataset(request, dataset_id)
    with telling_refusals(request):
        split_dataset(dataset, **OptionForm(request, split_dataset).values())
        messages.success(request, "The contexts are split. Choose on development, report on test.")
    return redirect(dataset)


def count_human_judgments(dataset: Dataset) -> QuerySet[Attribute]:
    """Annotate attributes: `scored` candidates with a human score, `vote_count`, `raters` who voted, and `used_votes`.

    Votes without a decision and excluded votes are excluded from figures.
    """
    scores = HumanScore.objects.in_figures().filter(attribute=OuterRef("pk"))
    votes = Vote.objects.filter(attribute=OuterRef("pk"))
    return dataset.attributes.annotate(
        scored=count_rows(scores, by="attribute", distinct="candidate"),
        vote_count=count_rows(votes, by="attribute"),
        used_votes=count_rows(votes.in_figures(), by="attribute"),
        raters=count_rows(votes, by="attribute", distinct="rater"),
    )


def total_judgments(attributes: Sequence[Attribute]) -> JudgmentTotals:
    """Add up the counts of all attributes, which `count_human_judgments` annotates."""
    return JudgmentTotals(
        scores=sum(attribute.scored for attribute in attributes),  # type: ignore[attr-defined]
        votes=sum(attribute.vote_count for attribute in attributes),  # type: ignore[attr-defined]
    )


def contexts_page(request: SignedInRequest, dataset: Dataset) -> Page[Context]:
    """Return one page of the contexts that match `search` (in identifier or text) and `subset`."""
    contexts = dataset.contexts.annotate(
        excerpt=Substr("text", 1, EXCERPT_LENGTH), characters=Length("text"), candidate_count=Count("candidates")
    ).defer("text", "reference")
    search, subset = request.GET.get("search", "").strip(), request.GET.get("subset", "")
    if "\0" in search + subset:
        contexts = contexts.none()  # no text holds it, and PostgreSQL refuses it
    if search:
        contexts = contexts.filter(Q(key__icontains=search) | Q(text__icontains=search))
    if subset:
        contexts = contexts.filter(subset=subset)
    return page_of(request, Paginator(contexts.order_by("position"), CONTEXTS_PER_PAGE))


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_sharing(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Change who may see a dataset. Its owner and admins may; others get a 404."""
    dataset = changeable_dataset(request, dataset_id)
    people = list(dataset.shared_with.values_list("username", flat=True))
    initial = {"visibility": dataset.visibility, "shared_with": people}
    form = SharingForm(request.POST if request.method == "POST" else None, owner=dataset.owner, initial=initial)
    if request.method == "POST":
        with showing_refusals(form):
            chosen = dataset_settings(form.values(), owner=dataset.owner, user=request.user, options=SHARING_OPTIONS)
            share_dataset(dataset, **chosen)
            messages.success(request, "Changes saved.")
            return redirect(dataset)
    return render(request, "judging/datasets/sharing.html", {"dataset": dataset, "form": form})


@require_safe
@researchers_only
def dataset_download(request: SignedInRequest, dataset_id: int) -> StreamingHttpResponse:
    """Download the dataset as JSON Lines, as `export_dataset` writes it."""
    dataset = visible_dataset(request, dataset_id)
    return attachment(write_dataset(dataset_record(dataset)), name=f"{dataset.name}.jsonl")
