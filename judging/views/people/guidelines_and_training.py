"""Guidelines and training of an annotator: what changed since they read, and pairs with a known answer and feedback."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evenhand.refusals import Refused
from judging.models import Campaign, TrainingAnswer, TrainingPair
from judging.services.campaign_pairs.training import (
    ShownTrainingPair,
    answer_training_pair,
    failed_training,
    feedback_of,
    next_training_pair,
    repeat_training,
    show_training_pair,
)
from judging.services.campaigns.guidelines import (
    changed_lines,
    current_guidelines,
    has_read_guidelines,
    note_guidelines_read,
)
from judging.services.invitations.completion import note_completed
from judging.services.invitations.consent import missing_consent
from judging.services.invitations.screening import screened_out
from judging.views.votes import own_campaign, own_page, own_participation
from judging.web.form_fields import telling_refusals
from judging.web.markdown import render_markdown
from judging.web.role_checks import SignedInRequest


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def guidelines(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the guidelines. Posting marks them as read and leads to the first pair."""
    participation = own_participation(request, campaign_id)
    campaign = participation.campaign
    if missing_consent(campaign, annotator=request.user):
        return redirect("consent", campaign.pk)
    if request.method == "POST" and confirm_guidelines(request, campaign):
        return redirect("annotate", campaign.pk)
    before, current = participation.guidelines, current_guidelines(campaign)
    return render(
        request,
        "judging/votes/guidelines.html",
        {
            "campaign": campaign,
            "guidelines": render_markdown(current.text),
            "version": current.version,
            "read": before == current,
            "changes": changed_lines(before.text, current.text) if before and before != current else (),
            "read_at": participation.guidelines_read_at,
        },
    )


def confirm_guidelines(request: SignedInRequest, campaign: Campaign) -> bool:
    """Record that the user read the version of the form. Returns False, with a message, if there is a newer one."""
    version = request.POST.get("version", "")
    try:
        note_guidelines_read(campaign, annotator=request.user, version=int(version) if version.isdecimal() else 0)
    except Refused as refused:
        messages.warning(request, str(refused))
        return False
    return True


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@own_page
def training(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the next training pair, and take its answer. After the last one, lead to the first real pair,
    or say that too few answers are right.
    """
    participation = own_participation(request, campaign_id)
    campaign = participation.campaign
    if missing_consent(campaign, annotator=request.user):
        return redirect("consent", campaign.pk)
    if not has_read_guidelines(participation):
        return redirect("guidelines", campaign.pk)
    if request.method == "POST":
        return _begin_again(request, campaign) if "again" in request.POST else _answer(request, campaign)
    shown = next_training_pair(campaign, request.user)
    if shown:
        return _page(request, campaign, shown)
    failed = failed_training(campaign, request.user)
    is_screened = request.user.pk in screened_out(campaign, request.user)
    completion = note_completed(campaign, annotator=request.user) if is_screened else None
    context = {"campaign": campaign, "failed": failed, "completion": completion}
    return (
        render(request, "judging/votes/training_failed.html", context) if failed else redirect("annotate", campaign.pk)
    )


@require_http_methods(["GET", "HEAD"])
@never_cache
@own_page
def training_feedback(request: SignedInRequest, campaign_id: int, number: int) -> HttpResponse:
    """Show a training pair that the annotator has answered, with the known answer. number: from 1."""
    campaign = own_campaign(request, campaign_id)
    own = TrainingAnswer.objects.filter(annotator=request.user).values("pair")
    pair = get_object_or_404(TrainingPair.objects.filter(campaign=campaign).filter(pk__in=own), position=number - 1)
    return _page(request, campaign, show_training_pair(pair, request.user), feedback_of(pair, request.user))


def _begin_again(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    with telling_refusals(request):
        repeat_training(campaign, request.user)
    return redirect("training", campaign.pk)


def _answer(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    number = request.POST.get("number", "")
    position = int(number) - 1 if number.isdecimal() and len(number) < 6 else -1
    pair = get_object_or_404(
        TrainingPair.objects.filter(campaign=campaign).select_related("campaign"), position=position
    )
    try:
        answer_training_pair(pair, request.user, choice=request.POST.get("choice", ""))
    except Refused as refused:
        messages.warning(request, str(refused))
        return redirect("training", campaign.pk)
    return redirect("training-feedback", campaign.pk, number)


def _page(
    request: SignedInRequest, campaign: Campaign, shown: ShownTrainingPair, feedback: object = None
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "shown": shown,
        "asked": campaign.asked_about(shown.pair.attribute_id),
        "feedback": feedback,
        "guidelines": render_markdown(campaign.guidelines),
    }
    return render(request, "judging/votes/training.html", context)
