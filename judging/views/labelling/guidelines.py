"""The guidelines of a campaign for its annotators, and what changed since they read them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evenhand.refusals import Refused
from judging.models import Campaign
from judging.services.campaigns.guidelines import changed_lines, current_guidelines, note_guidelines_read
from judging.services.invitations.consent import missing_consent
from judging.views.votes import own_page, own_participation
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
