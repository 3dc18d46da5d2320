"""A campaign as its annotators see it, for those who run it. Nothing is stored: the session keeps what is shown."""

import random
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from judging.models import Assignment, Campaign, CampaignPair, SkipReason
from judging.models.labelling.campaign_pairs import CampaignPairQuerySet
from judging.models.labelling.own_progress import OwnCounts, OwnProgress
from judging.views.votes import mark_differing_words
from judging.web.markdown import render_markdown
from judging.web.role_checks import SignedInRequest, researchers_only

PREVIEWED_PAIR = "previewed_pair"
FIELDS_OF_ANSWERS = ("choice", "rating", "reason")
NOTHING_TO_PREVIEW = "There is nothing to preview: this campaign has no {noun}s yet."


def previewed_campaign(request: SignedInRequest, campaign_id: int) -> Campaign:
    """Return a campaign that the user may change. Raises Http404 for any other."""
    campaigns = Campaign.objects.editable_by(request.user).select_related("dataset")
    return get_object_or_404(campaigns.prefetch_related("asked_attributes"), pk=campaign_id)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researchers_only
def campaign_preview(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the guidelines as annotators see them first. Posting leads to a random pair."""
    campaign = previewed_campaign(request, campaign_id)
    if request.method == "POST":
        request.session.pop(PREVIEWED_PAIR, None)
        return redirect("campaign-preview-pair", campaign.pk)
    return render(
        request,
        "judging/votes/guidelines.html",
        {"campaign": campaign, "guidelines": render_markdown(campaign.guidelines), "preview_address": request.path},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researchers_only
def campaign_preview_pair(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show a random pair or text as annotators see it. Posting an answer or a skip leads to the next one."""
    campaign = previewed_campaign(request, campaign_id)
    if request.method == "POST":
        return _take(request, campaign)
    shown = _shown(request, campaign) or _draw(request, campaign)
    if shown is None:
        messages.info(request, NOTHING_TO_PREVIEW.format(noun=campaign.shown_noun))
        return redirect(campaign)
    return render(request, "judging/votes/annotate.html", _page(request, campaign, shown))


def _take(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Follow a form of the page: an answer, a skip, a switch of the marks, or a report of visible time."""
    shown = _shown(request, campaign)
    if not any(name in request.POST for name in FIELDS_OF_ANSWERS):
        if shown is None or "milliseconds" in request.POST:
            return HttpResponse(status=204)
        request.session[PREVIEWED_PAIR] = request.session[PREVIEWED_PAIR] | {"marked": "show" in request.POST}
    elif shown is not None:
        _draw(request, campaign, after=shown)
    return redirect("campaign-preview-pair", campaign.pk)


def _shown(request: SignedInRequest, campaign: Campaign) -> Assignment | None:
    """Return the pair that the session keeps, as an assignment that is not stored; None if it keeps none."""
    kept: dict[str, Any] = request.session.get(PREVIEWED_PAIR, {})
    pair = _asked_pairs(campaign).filter(pk=kept.get("pair", 0)).first()
    return _as_assignment(request, campaign, pair, kept) if pair else None


def _draw(request: SignedInRequest, campaign: Campaign, *, after: Assignment | None = None) -> Assignment | None:
    """Keep the next pair in the session: the same texts on the next attribute, else two random texts."""
    pairs, kept = _asked_pairs(campaign), dict(request.session.get(PREVIEWED_PAIR, {}))
    following = None
    if after is not None:
        same_texts = pairs.filter(one=after.pair.one_id, other=after.pair.other_id)
        following = same_texts.filter(position__gt=after.pair.position).order_by("position").first()
    first_attribute = campaign.attributes_in_order()[0]
    pair = following or pairs.filter(attribute=first_attribute).order_by("?").first()
    if pair is None:
        return None
    swapped = kept["swapped"] if following else pair.other_id is not None and random.random() < 0.5
    answered = kept.get("answered", 0) + 1 if after else 0
    kept = {"pair": pair.pk, "swapped": swapped, "key": str(uuid4()), "answered": answered, "marked": False}
    request.session[PREVIEWED_PAIR] = kept
    return _as_assignment(request, campaign, pair, kept)


def _asked_pairs(campaign: Campaign) -> CampaignPairQuerySet:
    related = ("attribute", "one__context__dataset", "other")
    return CampaignPair.objects.asked().filter(campaign=campaign).select_related(*related)


def _as_assignment(
    request: SignedInRequest, campaign: Campaign, pair: CampaignPair, kept: dict[str, Any]
) -> Assignment:
    pair.campaign = campaign  # with its attributes, which are read already
    return Assignment(
        campaign=campaign,
        pair=pair,
        annotator=request.user,
        swapped=kept["swapped"],
        key=UUID(kept["key"]),
        held_until=timezone.now(),
    )


def _page(request: SignedInRequest, campaign: Campaign, shown: Assignment) -> dict[str, Any]:
    kept = request.session[PREVIEWED_PAIR]
    total = max(_asked_pairs(campaign).count(), kept["answered"] + 1)
    return {
        "campaign": campaign,
        "assignment": shown,
        "asked": campaign.asked_about(shown.pair.attribute_id),
        "guidelines": render_markdown(campaign.guidelines),
        "progress": OwnProgress(OwnCounts(voted=kept["answered"], free=total - kept["answered"])),
        "differences": mark_differing_words(shown) if kept["marked"] else {"is_shown": False},
        "reasons": list(enumerate(SkipReason.choices, start=1)),
        "preview_address": reverse("campaign-preview-pair", args=[campaign.pk]),
    }
