"""Consent: the text with its versions, for researchers; the page that asks annotators."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evenhand.refusals import Refused
from judging.forms.option_form import OptionForm
from judging.forms.people import ConsentForm
from judging.models import Campaign
from judging.services.invitations.consent import (
    CHANGED,
    accept_consent,
    consent_versions,
    current_consent_text,
    set_consent_text,
)
from judging.views.people.invitations import inviting_campaign
from judging.web.form_fields import showing_refusals
from judging.web.markdown import render_markdown
from judging.web.role_checks import SignedInRequest, researchers_only, signed_in


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def consent_text(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show and change the consent text of a campaign."""
    campaign = inviting_campaign(request, campaign_id)
    current = current_consent_text(campaign)
    form = OptionForm(request, set_consent_text, initial={"text": current.text if current else ""})
    if form.is_bound:
        with showing_refusals(form):
            text = set_consent_text(campaign, request.user, **form.values())
            saved = f"Version {text.version} is asked from now on." if text else "Annotators are asked for no consent."
            messages.success(request, saved)
            return redirect("consent-text", campaign_id)
    context = {"campaign": campaign, "form": form, "versions": consent_versions(campaign)}
    return render(request, "judging/people/consent_text.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@signed_in
def own_consent_page(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the consent text. Accepting it leads to the guidelines and the first pair."""
    campaign = get_object_or_404(Campaign.objects.open_to(request.user), pk=campaign_id)
    if request.method == "POST":
        return accept_and_continue(request, campaign)
    text = current_consent_text(campaign)
    if text is None:
        return redirect("annotate", campaign_id)
    context = {
        "campaign": campaign,
        "consent_text": text,
        "shown_text": render_markdown(text.text),
        "accepted": text.consents.filter(annotator=request.user).first(),
        "asked_before": text.version > 1
        and campaign.consent_texts.filter(consents__annotator=request.user).exclude(pk=text.pk).exists(),
    }
    return render(request, "judging/people/consent.html", context)


def accept_and_continue(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    form = ConsentForm(request.POST)
    try:
        if not form.is_valid():
            raise Refused(CHANGED)
        accept_consent(campaign, annotator=request.user, version=form.cleaned_data["version"])
    except Refused as refused:
        messages.warning(request, str(refused))
        return redirect("consent", campaign.pk)
    return redirect("annotate", campaign.pk)
