"""The datasets, runs, studies and campaigns that a signed-in person may see, for pages and the HTTP API."""

from typing import Any

from django.apps import apps
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from rest_framework.request import Request

from judging.models import Campaign, Dataset, Run, Study
from judging.models.runs import RunQuerySet
from judging.services.names import row_of_name, seen_by
from judging.web.role_checks import user_of


def visible_dataset(request: HttpRequest | Request, pk: int) -> Dataset:
    """Return the dataset if this person may see it. Raises Http404 otherwise."""
    return get_object_or_404(Dataset.objects.visible_to(user_of(request)), pk=pk)


def changeable_dataset(request: HttpRequest | Request, pk: int) -> Dataset:
    """Return the dataset if this person may change it. Raises Http404 otherwise."""
    return get_object_or_404(Dataset.objects.changeable_by(user_of(request)), pk=pk)


def dataset_for_judgments(request: HttpRequest | Request, pk: int, *, of_judges: bool) -> Dataset:
    """Return the dataset if this person may add recorded judgments to it. Raises Http404 otherwise.

    of_judges: True for comparisons and scores, which make runs of one's own; votes and ratings change the dataset.
    """
    return (visible_dataset if of_judges else changeable_dataset)(request, pk)


def dataset_with_changeable_votes(
    request: HttpRequest | Request, pk: int, *, campaign: str
) -> tuple[Dataset, Campaign | None]:
    """Return the dataset and the named campaign if this person may exclude votes there. Raises Http404 otherwise.

    campaign: number or name of the campaign with the votes; empty for all votes on the dataset.
    """
    if not campaign:
        return changeable_dataset(request, pk), None
    known = Campaign.objects.with_votes_changeable_by(user_of(request)).filter(dataset=pk).select_related("dataset")
    found = row_of_name(known, campaign, user_of(request))
    if found is None and campaign.isdecimal():
        found = next((one for one in known if one.pk == int(campaign)), None)
    if found is None:
        raise Http404("no such campaign of theirs")
    return found.dataset, found


def visible_run(request: HttpRequest | Request, pk: int) -> Run:
    """Return the run if this person may see it. Raises Http404 otherwise."""
    return get_object_or_404(visible_runs(request), pk=pk)


def visible_comparing_run(request: HttpRequest | Request, pk: int) -> Run:
    """Return the run if this person may see it and it compares pairs. Raises Http404 otherwise."""
    run = visible_run(request, pk)
    if run.is_scoring:
        raise Http404(f"run {run.pk} scores candidates one by one; it has no comparisons")
    return run


def visible_runs(request: HttpRequest | Request) -> RunQuerySet:
    """Return the runs that this person may see, with the rows that pages and API name."""
    runs = Run.objects.visible_to(user_of(request))
    return runs.select_related("dataset", "attribute", "judge", "prompt", "owner")


def visible_study(request: HttpRequest | Request, pk: int) -> Study:
    """Return the study if this person may see it. Raises Http404 otherwise."""
    return get_object_or_404(Study.objects.visible_to(user_of(request)).select_related("owner"), pk=pk)


def changeable_study(request: HttpRequest | Request, pk: int) -> Study:
    """Return the study if this person may change it. Raises Http404 otherwise."""
    return get_object_or_404(Study.objects.changeable_by(user_of(request)).select_related("owner"), pk=pk)


def visible_study_runs(request: HttpRequest | Request, study: Study) -> RunQuerySet:
    """Return the study's runs that this person may see, in the study's order, with the rows that pages and API name."""
    return visible_runs(request).filter(memberships__study=study).order_by("memberships__position")


def visible_campaign(request: HttpRequest | Request, pk: int) -> Campaign:
    """Return the campaign if this person is a researcher who may see it. Raises Http404 otherwise."""
    user = user_of(request)
    seen = Campaign.objects.visible_to(user) if user.is_researcher else Campaign.objects.none()
    related = seen.select_related("dataset", "created_by", "first_round").prefetch_related("asked_attributes")
    return get_object_or_404(related, pk=pk)


class NamedFilter(filters.CharFilter):
    """Keeps what belongs to the visible row of a name, or of NAME#NUMBER: a list never mixes two rows of one name."""

    def filter(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        if not value:
            return rows
        user, kind = user_of(self.parent.request), apps.get_model("judging", self.field_name.rpartition("__")[2])
        row = row_of_name(seen_by(user, kind), value, user)
        return rows.filter(**{self.field_name: row}) if row else rows.none()
