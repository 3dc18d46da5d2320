"""Set the goal of a campaign: the wanted width of the agreement's interval."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from judging.models import Campaign
from judging.services.campaigns.wanted_width import NARROWEST, WIDEST, set_wanted_width
from judging.web.role_checks import SignedInRequest, researchers_only


class WantedWidthForm(forms.Form):
    """The wanted width; empty for no goal."""

    width = forms.FloatField(required=False, min_value=NARROWEST, max_value=WIDEST)


@require_POST
@researchers_only
def campaign_wanted_width(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Store or remove the goal of a campaign, and show the campaign. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    form = WantedWidthForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Width: {form.errors['width'][0]}")
        return redirect(campaign)
    width = form.cleaned_data["width"]
    set_wanted_width(campaign, width=width)
    goal = "has no goal now" if width is None else f"has enough votes once the interval is at most {width:g} wide"
    messages.success(request, f"The campaign {goal}.")
    return redirect(campaign)
