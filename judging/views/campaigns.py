"""Campaigns as researchers see them: the list, a new one, one with its progress, the download of votes."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.exceptions import Refused
from judging.forms.campaigns import CampaignEditForm, CampaignForm
from judging.models import Campaign, Dataset, Run, Vote
from judging.services.campaign_pairs.campaign_selection import describe_choice
from judging.services.campaigns.answer_rules import CHANGEABLE, has_votes, revise_rules
from judging.services.campaigns.campaign_progress import agreement_so_far, annotator_progress, campaign_progress
from judging.services.campaigns.campaign_setup import (
    create_campaign,
    discard_campaign,
    set_annotators,
)
from judging.services.campaigns.campaign_states import EFFECTS, change_deadline, change_state, next_states
from judging.services.campaigns.overlaps import describe_overlaps
from judging.services.invitations.campaign_people import annotators_to_offer, enrolled_annotators
from judging.web.downloads import attachment, csv_lines
from judging.web.markdown import render_markdown
from judging.web.role_checks import SignedInRequest, researchers_only, signed_in

VOTE_CSV_COLUMNS = {
    "context": "context__key",
    "attribute": "attribute__name",
    "first": "first__key",
    "second": "second__key",
    "choice": "choice",
    "rater": "rater",
    "first_system": "first__system",
    "second_system": "second__system",
    "purpose": "purpose",
    "strength": "strength",
    "confidence": "confidence",
    "comment": "comment",
    "seconds": "seconds",
    "voted_at": "voted_at",
    "changed_at": "changed_at",
}


@require_safe
@signed_in
def campaign_list(request: SignedInRequest) -> HttpResponse:
    """Show researchers the campaigns on datasets they may see, and annotators those they take part in."""
    user = request.user
    campaigns = Campaign.objects.visible_to(user).select_related("dataset", "attribute")
    return render(
        request,
        "judging/campaigns/list.html",
        {
            "all_campaigns": campaigns.with_progress() if user.is_researcher else None,
            "campaigns": Campaign.objects.open_to(user).with_own_progress(user) if user.is_annotator else None,
        },
    )


@require_safe
@signed_in
def campaign_detail(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the progress of a campaign. Annotators are redirected to their next pair."""
    seen = Campaign.objects.visible_to(request.user) if request.user.is_researcher else Campaign.objects.none()
    campaign = seen.filter(pk=campaign_id).select_related("dataset", "attribute", "created_by").first()
    if campaign is None:
        get_object_or_404(Campaign.objects.open_to(request.user), pk=campaign_id)
        return redirect("annotate", campaign_id)
    annotators = annotator_progress(campaign)
    return render(
        request,
        "judging/campaigns/detail.html",
        {
            "campaign": campaign,
            "progress": campaign_progress(campaign),
            "agreement": agreement_so_far(campaign),
            "annotators": annotators,
            "invited": sum(row.takes_part for row in annotators),
            "may_edit": Campaign.objects.editable_by(request.user).filter(pk=campaign.pk).exists(),
            "next_states": next_states(campaign),
            "takes_part": any(row.takes_part and row.annotator == request.user for row in annotators),
            "guidelines": render_markdown(campaign.guidelines),
            "overlaps": describe_overlaps(campaign),
            "pair_choice": describe_choice(campaign),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def campaign_new(request: SignedInRequest) -> HttpResponse:
    """Ask for the dataset (`?dataset=`), then for everything else."""
    datasets = Dataset.objects.visible_to(request.user)
    if not request.GET.get("dataset", "").isdecimal():
        return render(request, "judging/campaigns/new_dataset.html", {"datasets": datasets.with_counts()})
    dataset = get_object_or_404(datasets, pk=request.GET["dataset"])
    form = CampaignForm(dataset, request.POST or None)
    form.offer_annotators(annotators_to_offer(request.user))
    form.offer_runs(Run.objects.visible_to(request.user).filter(dataset=dataset))
    if request.method == "POST" and form.is_valid():
        try:
            campaign = create_campaign(dataset, **form.cleaned_data, created_by=request.user)
        except Refused as refused:
            form.add_error(None, list(refused.problems))
        else:
            messages.success(request, f"Campaign created with {campaign.pairs.count()} pairs.")
            if overlaps := describe_overlaps(campaign):
                messages.warning(request, overlaps)
            return redirect(campaign)
    return render(request, "judging/campaigns/new.html", {"dataset": dataset, "form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def campaign_edit(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Change a campaign. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    form = CampaignEditForm(campaign, request.POST or None)
    form.offer_annotators(annotators_to_offer(request.user, campaign=campaign))
    if request.method == "POST" and form.is_valid():
        try:
            save_changes(campaign, form)
        except Refused as refused:
            form.add_error(None, list(refused.problems))
        else:
            messages.success(request, "Changes saved.")
            return redirect(campaign)
    return render(
        request, "judging/campaigns/edit.html", {"campaign": campaign, "form": form, "fixed": has_votes(campaign)}
    )


@require_POST
@researchers_only
def campaign_state(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Open, pause or close a campaign. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    try:
        change_state(campaign, state=request.POST.get("state", ""))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"The campaign is {campaign.state.label.lower()}. {EFFECTS[campaign.state]}")
    return redirect(campaign)


@require_POST
@researchers_only
def campaign_discard(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Delete a campaign without votes. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    try:
        discard_campaign(campaign)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("campaign", campaign_id)
    messages.success(request, f"Campaign {campaign.name} deleted.")
    return redirect("campaign-list")


@transaction.atomic
def save_changes(campaign: Campaign, form: CampaignEditForm) -> None:
    data = form.cleaned_data
    revise_rules(campaign, {name: data[name] for name in CHANGEABLE})
    change_deadline(campaign, deadline=data["deadline"])
    set_annotators(campaign, annotators=[*data["annotators"], *enrolled_annotators(campaign)])


@require_safe
@researchers_only
def campaign_download(request: SignedInRequest, campaign_id: int) -> StreamingHttpResponse:
    """Download the votes as CSV, one row each, with the column names of recorded comparisons."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), pk=campaign_id)
    lines = csv_lines(campaign_vote_rows(campaign), columns=list(VOTE_CSV_COLUMNS))
    return attachment(lines, name=f"{campaign.name}-votes.csv")


def campaign_vote_rows(campaign: Campaign) -> Iterator[dict[str, object]]:
    votes = Vote.objects.filter(assignment__campaign=campaign).order_by("pk")
    for values in votes.values_list(*VOTE_CSV_COLUMNS.values()).iterator(chunk_size=2000):
        row = dict(zip(VOTE_CSV_COLUMNS, values, strict=True))
        times = {name: row[name] and row[name].isoformat() for name in ("voted_at", "changed_at")}
        yield row | times
