"""Annotators' pages: guidelines, the next pair, own votes. They never show votes of other people."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.exceptions import Refused
from judging.forms.campaigns import PairForm, SkipForm, VoteForm
from judging.models import Assignment, Campaign, Participation, SkipReason
from judging.services.campaigns.assignments import next_pair
from judging.services.campaigns.campaign_progress import answers_since_break
from judging.services.campaigns.campaign_setup import note_guidelines_read
from judging.services.campaigns.own_progress import own_progress
from judging.services.campaigns.votes import OUT_OF_DATE, reopen_pair
from judging.services.invitations.completion import note_completed
from judging.services.invitations.consent import missing_consent
from judging.web.markdown import render_markdown
from judging.web.paging import page_of, query_without_page
from judging.web.role_checks import SignedInRequest, signed_in

VOTES_PER_PAGE = 25
BREAK_AFTER = 50


def own_campaign(request: SignedInRequest, campaign_id: int) -> Campaign:
    """Return a campaign that the user takes part in. Any other is a 404."""
    campaigns = Campaign.objects.open_to(request.user).select_related("attribute", "dataset")
    return get_object_or_404(campaigns, pk=campaign_id)


def own_participation(request: SignedInRequest, campaign: Campaign) -> Participation:
    """Return the user's part in a campaign. Raises Http404 if they were removed a moment ago."""
    participation = get_object_or_404(campaign.participations, annotator=request.user)
    participation.campaign, participation.annotator = campaign, request.user
    return participation


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def guidelines(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the guidelines. Posting marks them as read and leads to the first pair."""
    campaign = own_campaign(request, campaign_id)
    if missing_consent(campaign, annotator=request.user):
        return redirect("consent", campaign.pk)
    if request.method == "POST":
        note_guidelines_read(campaign, annotator=request.user)
        return redirect("annotate", campaign.pk)
    return render(
        request,
        "judging/votes/guidelines.html",
        {
            "campaign": campaign,
            "guidelines": render_markdown(campaign.guidelines),
            "read": own_participation(request, campaign).guidelines_read_at is not None,
        },
    )


@require_safe
@never_cache
@signed_in
def annotate(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the next pair, or thanks if none is left."""
    campaign = own_campaign(request, campaign_id)
    participation = own_participation(request, campaign)
    if missing_consent(campaign, annotator=request.user):
        return redirect("consent", campaign.pk)
    if participation.guidelines_read_at is None:
        return redirect("guidelines", campaign.pk)
    progress = own_progress(participation)
    assignment = None if participation.is_complete(progress.votes) else next_pair(campaign, annotator=request.user)
    answers = answers_since_break(request.user)
    return render(
        request,
        "judging/votes/annotate.html" if assignment else "judging/votes/done.html",
        {
            "campaign": campaign,
            "assignment": assignment,
            "guidelines": render_markdown(campaign.guidelines),
            "progress": progress,
            "is_complete": participation.is_complete(progress.votes),
            "latest": Assignment.objects.of(request.user, campaign=campaign).answered().first(),
            "reasons": SkipReason.choices,
            "answers_since_break": answers,
            "take_a_break": answers > 0 and answers % BREAK_AFTER == 0,
            "completion": None if assignment else note_completed(campaign, annotator=request.user),
        },
    )


@require_POST
@signed_in
def vote_record(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Record the vote and redirect to the next pair."""
    campaign, form = own_campaign(request, campaign_id), VoteForm(request.POST)
    apply_to_pair(request, campaign, form, form.record)
    return redirect("annotate", campaign.pk)


@require_POST
@signed_in
def pair_skip(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Skip the pair, with a reason, and redirect to the next one."""
    campaign, form = own_campaign(request, campaign_id), SkipForm(request.POST)
    apply_to_pair(request, campaign, form, form.skip)
    return redirect("annotate", campaign.pk)


@require_POST
@signed_in
def pair_reopen(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Withdraw the answer to a pair and show the pair again."""
    campaign = own_campaign(request, campaign_id)
    apply_to_pair(request, campaign, PairForm(request.POST), reopen_pair)
    return redirect("annotate", campaign.pk)


def apply_to_pair(
    request: SignedInRequest, campaign: Campaign, form: PairForm, action: Callable[[Assignment], object]
) -> bool:
    """Apply an action to the form's pair. Returns False, with a message, if it is refused."""
    assignment = own_assignment(request, campaign, form) if form.is_valid() else None
    if assignment is None:
        messages.warning(request, OUT_OF_DATE)
        return False
    try:
        action(assignment)
    except Refused as refused:
        for problem in refused.problems:
            messages.warning(request, problem)
        return False
    return True


def own_assignment(request: SignedInRequest, campaign: Campaign, form: PairForm) -> Assignment | None:
    """Return the user's assignment of the form's pair, or None if the user never saw it."""
    own = Assignment.objects.of(request.user, campaign=campaign).select_related("annotator", "pair")
    return own.filter(key=form.cleaned_data["pair"]).first()


@require_safe
@never_cache
@signed_in
def vote_list(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """List own answers, the latest first. With `?show=skipped`, list only skipped pairs."""
    campaign = own_campaign(request, campaign_id)
    answered = Assignment.objects.of(request.user, campaign=campaign).answered().with_texts()
    only_skipped = request.GET.get("show") == "skipped"
    if only_skipped:
        answered = answered.filter(status=Assignment.Status.SKIPPED)
    return render(
        request,
        "judging/votes/list.html",
        {
            "campaign": campaign,
            "page_obj": page_of(request, Paginator(answered, VOTES_PER_PAGE)),
            "query": query_without_page(request),
            "only_skipped": only_skipped,
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@signed_in
def vote_change(request: SignedInRequest, campaign_id: int, key: str) -> HttpResponse:
    """Show an own vote with its pair, in the order shown. Posting changes the vote."""
    campaign = own_campaign(request, campaign_id)
    voted = Assignment.objects.of(request.user, campaign=campaign).filter(status=Assignment.Status.VOTED)
    assignment = get_object_or_404(voted.with_texts(), key=key)
    if request.method == "POST":
        form = VoteForm(request.POST)
        if apply_to_pair(request, campaign, form, form.change):
            messages.success(request, "Your vote is saved as shown here.")
        return redirect("vote-list", campaign.pk)
    return render(
        request,
        "judging/votes/change.html",
        {"campaign": campaign, "assignment": assignment, "guidelines": render_markdown(campaign.guidelines)},
    )


@require_POST
@signed_in
def single_keys(request: SignedInRequest) -> HttpResponse:
    """Switch single-key voting on or off for the user."""
    request.user.single_keys = request.POST.get("single_keys") == "on"
    request.user.save(update_fields=["single_keys"])
    back = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return redirect(back if ours and back.startswith("/") else "home")
