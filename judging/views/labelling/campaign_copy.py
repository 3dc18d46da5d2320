"""Copy a campaign."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from evenhand.refusals import Refused
from judging.models import Campaign
from judging.services.campaigns.campaign_copies import copy_campaign, name_of_copy
from judging.services.campaigns.overlaps import describe_overlaps
from judging.web.role_checks import SignedInRequest, researchers_only


@require_POST
@researchers_only
def campaign_copy(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Make a draft with the settings of a campaign that the user may see, and show it."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), pk=campaign_id)
    name = request.POST.get("name", "").strip() or name_of_copy(campaign)
    try:
        copy = copy_campaign(campaign, name=name, created_by=request.user)
    except Refused as refused:
        for problem in refused.problems:
            messages.error(request, problem)
        return redirect(campaign)
    messages.success(request, f"This is a copy of {campaign.name}: a draft without people, with a fresh seed.")
    if overlaps := describe_overlaps(copy):
        messages.warning(request, overlaps)
    return redirect(copy)
