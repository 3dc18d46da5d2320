"""Copy a campaign."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from evenhand.options import options_of
from judging.forms.option_form import OptionForm
from judging.models import Campaign
from judging.services.campaigns.campaign_copies import copy_campaign
from judging.services.campaigns.overlaps import describe_overlaps
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.web.form_fields import telling_refusals
from judging.web.options import Offered, find_rows
from judging.web.role_checks import SignedInRequest, researchers_only


@require_POST
@researchers_only
def campaign_copy(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Make a draft with the settings of a campaign that the user may see, and show it."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), pk=campaign_id)
    with telling_refusals(request):
        values, people = OptionForm(request, copy_campaign).values(), annotators_to_offer(request.user)
        values |= find_rows(options_of(copy_campaign), values, {"annotator": Offered(people)})
        copy = copy_campaign(campaign, request.user, **values)
        messages.success(request, f"This is a copy of {campaign.name}: a draft without people, with a fresh seed.")
        if overlaps := describe_overlaps(copy):
            messages.warning(request, overlaps)
        return redirect(copy)
    return redirect(campaign)
