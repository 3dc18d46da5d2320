"""Annotators' pages: the next pair or text. They never show answers of other people."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import ParamSpec

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from evenhand.refusals import Refused
from judging.forms.answers import DifferencesForm, PairForm, SkipForm, VisibleTimeForm, answer_form
from judging.models import Assignment, Campaign, Participation, SkipReason
from judging.services.campaign_pairs.training import needs_training, with_training
from judging.services.campaigns.campaign_states import CampaignNotOpen, require_taking_votes
from judging.services.campaigns.guidelines import has_read_guidelines, with_current_guidelines
from judging.services.campaigns.next_pair import next_pair, pairs_held_by_others
from judging.services.campaigns.progress.working_session import working_session
from judging.services.campaigns.skips_and_undo import OUT_OF_DATE, reopen_pair, withdrawn_answer
from judging.services.invitations.completion import note_completed
from judging.services.invitations.consent import with_consent
from judging.services.invitations.screening import screened_out
from judging.web.markdown import render_markdown
from judging.web.role_checks import GuardedView, PageView, SignedInRequest, signed_in
from judging.web.word_differences import word_differences

MARKED_PAIR = "marked_pair"
P = ParamSpec("P")


LOCKED = 423
"""HTTP status of an answer to a campaign that takes no votes now. static/js/vote.js keeps such answers."""


class TakesPartNoLonger(Exception):
    """Raised when somebody opens a campaign that they were removed from."""


def own_page(view: PageView[P]) -> GuardedView[P]:
    """Open a page to every account. It explains why an answer was not saved: the person was removed, or the campaign
    takes no votes now.
    """

    @wraps(view)
    def explaining(request: SignedInRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except TakesPartNoLonger:
            return render(request, "judging/votes/removed.html", {"is_answer": request.method == "POST"}, status=403)
        except CampaignNotOpen as refusal:
            return show_not_open(request, refusal)

    return signed_in(explaining)


def show_not_open(request: SignedInRequest, refusal: CampaignNotOpen) -> HttpResponse:
    """Say why the campaign takes no votes. An answer that came too late can be sent again from this page."""
    is_answer = request.method == "POST"
    fields = [field for field in request.POST.items() if field[0] != "csrfmiddlewaretoken"]
    is_closed = refusal.campaign.is_closed
    completion = note_completed(refusal.campaign, annotator=request.user) if is_closed else None
    return render(
        request,
        "judging/votes/not_open.html",
        {
            "campaign": refusal.campaign,
            "reason": str(refusal),
            "is_closed": is_closed,
            "is_answer": is_answer,
            "fields": fields,
            "completion": completion,
        },
        status=LOCKED if is_answer else 200,
    )


def own_campaign(request: SignedInRequest, campaign_id: int) -> Campaign:
    """Return a campaign that the user takes part in.

    Raises TakesPartNoLonger if they answered pairs of it before, else Http404.
    """
    campaign = Campaign.objects.open_to(request.user).select_related("dataset").filter(pk=campaign_id)
    if found := campaign.prefetch_related("asked_attributes").first():
        return found
    raise taking_no_part(request, campaign_id)


def taking_no_part(request: SignedInRequest, campaign_id: int) -> Exception:
    answered = Assignment.objects.filter(campaign=campaign_id, annotator=request.user)
    return TakesPartNoLonger() if answered.exists() else Http404()


def own_participation(request: SignedInRequest, campaign_id: int) -> Participation:
    """Return the user's part in a campaign, with the campaign. Raises like `own_campaign`."""
    own = Participation.objects.filter(campaign=campaign_id, annotator=request.user).with_exclusion()
    own = own.select_related("campaign__dataset", "guidelines").prefetch_related("campaign__asked_attributes")
    participation = with_current_guidelines(with_training(with_consent(own))).first()
    if participation is None or not request.user.is_annotator:
        raise taking_no_part(request, campaign_id)
    participation.annotator = request.user
    return participation


def takes_forms(view: Callable[[SignedInRequest, Campaign], HttpResponse]) -> Callable[..., HttpResponseBase]:
    """Open an address for the forms of the voting page. Somebody who follows a link to it is led to that page."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @never_cache
    @own_page
    @wraps(view)
    def taking(request: SignedInRequest, campaign_id: int) -> HttpResponse:
        campaign = own_campaign(request, campaign_id)
        return view(request, campaign) if request.method == "POST" else redirect("annotate", campaign.pk)

    return taking


@require_safe
@never_cache
@own_page
def annotate(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the next pair, or thanks if none is left. People whose part is complete read so in every state."""
    return next_page(request, campaign_id)


def next_page(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    participation = own_participation(request, campaign_id)
    campaign = participation.campaign
    is_complete = participation.is_complete()
    if not is_complete:
        require_taking_votes(campaign)
    if participation.needs_consent:  # type: ignore[attr-defined]  # annotated
        return redirect("consent", campaign.pk)
    if not has_read_guidelines(participation):
        return redirect("guidelines", campaign.pk)
    if needs_training(participation):
        return redirect("training", campaign.pk)
    is_excluded: bool = participation.is_excluded  # type: ignore[attr-defined]  # annotated
    is_screened = request.user.pk in screened_out(campaign, request.user)
    gets_none = is_complete or is_excluded or is_screened
    assignment = None if gets_none else next_pair(campaign, annotator=request.user)
    progress = campaign.progress_for(request.user)  # after the pair is reserved, which may free others
    Participation.objects.keep_told(request.user, {campaign.pk: progress})
    return render(
        request,
        "judging/votes/annotate.html" if assignment else "judging/votes/done.html",
        {
            "campaign": campaign,
            "assignment": assignment,
            "given": withdrawn_answer(assignment) if assignment else None,
            "asked": campaign.asked_about(assignment.pair.attribute_id) if assignment else None,
            "guidelines": render_markdown(campaign.guidelines),
            "progress": progress,
            "is_complete": is_complete,
            "is_excluded": is_excluded or is_screened,
            "differences": shown_differences(request, assignment),
            "latest": Assignment.objects.of(request.user, campaign=campaign).answered().first(),
            "reasons": list(enumerate(SkipReason.choices, start=1)),
            "session": working_session(request.user, dismissed_at=break_dismissed_at(request)),
            "held": 0 if assignment else pairs_held_by_others(campaign, request.user),
            "completion": None if assignment else note_completed(campaign, annotator=request.user),
        },
    )


def show_next(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Show the next pair at once to the script of the page, which saves a request. Redirect other browsers to it."""
    address = reverse("annotate", args=[campaign.pk])
    if "HX-Request" not in request.headers:
        return redirect(address)
    try:
        response = next_page(request, campaign.pk)
    except (CampaignNotOpen, TakesPartNoLonger):  # after the answer was stored
        return redirect(address)
    response["Content-Location"] = address
    return response


@takes_forms
def vote_record(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Record the vote or rating, and show the next pair or text."""
    form = answer_form(campaign, request.POST)
    apply_to_pair(request, campaign, form, form.record)
    return show_next(request, campaign)


@takes_forms
def pair_skip(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Skip the pair, with a reason, and show the next one."""
    form = SkipForm(request.POST)
    apply_to_pair(request, campaign, form, form.skip)
    return show_next(request, campaign)


@takes_forms
def pair_reopen(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Withdraw the answer to a pair and show the pair again."""
    apply_to_pair(request, campaign, PairForm(request.POST), reopen_pair)
    return show_next(request, campaign)


@takes_forms
def mark_differences(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Mark the words in which the texts of the pair differ, or hide the marks."""
    form = DifferencesForm(request.POST)
    if apply_to_pair(request, campaign, form, form.note):
        request.session[MARKED_PAIR] = str(form.cleaned_data["pair"]) if form.cleaned_data["show"] else ""
    return show_next(request, campaign)


def shown_differences(request: SignedInRequest, assignment: Assignment | None) -> dict[str, object]:
    """Return both texts with marks, if the user asked for marks on this pair. Long texts have none."""
    if (
        assignment is None
        or assignment.pair.other_id is None
        or request.session.get(MARKED_PAIR) != str(assignment.key)
    ):
        return {"is_shown": False}
    return mark_differing_words(assignment)


def mark_differing_words(assignment: Assignment) -> dict[str, object]:
    """Return both texts with marks. Long texts have none."""
    first, second = word_differences(assignment.first.text, assignment.second.text) or (None, None)
    return {"is_shown": True, "first": first, "second": second}


@takes_forms
def visible_time(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Add the time for which a pair was visible. Nobody sees the response."""
    form = VisibleTimeForm(request.POST)
    assignment = own_assignment(request, campaign, form) if form.is_valid() else None
    if assignment is not None:
        form.add(assignment)
    return HttpResponse(status=204)


@takes_forms
def break_dismiss(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Hide the hint to take a break, for the next fifty answers."""
    request.session["break_dismissed_at"] = timezone.now().isoformat()
    return redirect("annotate", campaign.pk)


def break_dismissed_at(request: SignedInRequest) -> datetime | None:
    dismissed_at = request.session.get("break_dismissed_at")
    return datetime.fromisoformat(dismissed_at) if dismissed_at else None


def apply_to_pair(
    request: SignedInRequest, campaign: Campaign, form: PairForm, action: Callable[[Assignment], object]
) -> bool:
    """Apply an action to the form's pair. Returns False, with a message, if it is refused.

    Raises CampaignNotOpen if the campaign takes no votes now.
    """
    assignment = own_assignment(request, campaign, form) if form.is_valid() else None
    if assignment is None:
        messages.warning(request, OUT_OF_DATE)
        return False
    try:
        action(assignment)
    except CampaignNotOpen:
        raise
    except Refused as refused:
        for problem in refused.problems:
            messages.warning(request, problem)
        return False
    return True


def own_assignment(request: SignedInRequest, campaign: Campaign, form: PairForm) -> Assignment | None:
    """Return the user's assignment of the form's pair, or None if the user never saw it."""
    own = Assignment.objects.of(request.user, campaign=campaign).select_related("annotator", "pair")
    return own.filter(key=form.cleaned_data["pair"]).first()
