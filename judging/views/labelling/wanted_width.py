"""Set the goal of a campaign: the wanted width of the agreement's interval."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from judging.models import Campaign
from judging.services.campaigns.campaign_changes import change_campaign
from judging.web.form_fields import telling_refusals
from judging.web.operations.new_campaigns import campaign_changes
from judging.web.role_checks import SignedInRequest, researchers_only


@require_POST
@researchers_only
def campaign_wanted_width(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Store or remove the goal of a campaign, and show the campaign. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    with telling_refusals(request):
        changes = campaign_changes(campaign, {"wanted_width": request.POST.get("width")}, user=request.user)
        change_campaign(campaign, changes, changed_by=request.user)
        width = campaign.wanted_width
        goal = "has no goal now" if width is None else f"has enough votes once the interval is at most {width:g} wide"
        messages.success(request, f"The campaign {goal}.")
    return redirect(campaign)
