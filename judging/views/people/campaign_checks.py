"""The pairs that check annotators, for the creator of a campaign and admins: repeats and gold pairs."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from evenhand.file_problems import InvalidFile
from evenhand.formats.recorded.known_pairs import read_known_pairs
from evenhand.units import counted
from judging.forms.campaigns import KnownPairsFileForm
from judging.forms.option_form import OptionForm
from judging.models import Campaign, CampaignKind
from judging.services.campaign_pairs.gold_pairs import (
    CHECK_SHARES,
    add_gold_pairs,
    add_unanimous_pairs,
    set_check_shares,
)
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.progress.labelling_effort import CHECK_NAMES, CampaignChecks, powers_in_words
from judging.web.form_fields import showing_refusals, telling_refusals
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.uploaded_files import source_file

UNANIMOUS_AT_FIRST = 10


def checked_campaign(request: SignedInRequest, campaign_id: int) -> Campaign:
    """Return a campaign whose checks this person may see and change. Raises Http404 for any other."""
    of_pairs = Campaign.objects.editable_by(request.user).filter(kind=CampaignKind.PAIRS)
    campaigns = of_pairs.select_related("dataset").prefetch_related("asked_attributes")
    return get_object_or_404(campaigns, pk=campaign_id)


@require_safe
@researchers_only
def campaign_checks(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the gold pairs with their votes, and the forms that add some."""
    campaign = checked_campaign(request, campaign_id)
    return checks_page(request, campaign)


@require_POST
@researchers_only
def check_shares(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Change how often annotators get repeats and gold pairs, and the pass mark of the training."""
    campaign = checked_campaign(request, campaign_id)
    form = OptionForm(request, set_check_shares)
    with showing_refusals(form):
        set_check_shares(campaign, **form.values())
        messages.success(request, "Saved. The change takes effect with each annotator’s next pair.")
        return redirect("campaign-checks", campaign.pk)
    return checks_page(request, campaign, shares_form=form)


@require_POST
@researchers_only
def gold_upload(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Add the gold pairs of a table, all of them or none."""
    return _store_file(request, campaign_id, add_gold_pairs, "{} added.", "gold pair", "file_form")


@require_POST
@researchers_only
def training_upload(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Replace the training pairs by those of a table."""
    return _store_file(request, campaign_id, set_training_pairs, "{} stored.", "training pair", "training_form")


@require_POST
@researchers_only
def gold_draw(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Draw gold pairs from pairs on which all people agree."""
    campaign = checked_campaign(request, campaign_id)
    form = OptionForm(request, add_unanimous_pairs)
    with showing_refusals(form):
        added = add_unanimous_pairs(campaign, **form.values())
        messages.success(request, f"{counted(added, 'gold pair')} added.")
        return redirect("campaign-checks", campaign.pk)
    return checks_page(request, campaign, unanimous_form=form)


def checks_page(request: SignedInRequest, campaign: Campaign, *, status: int = 200, **changes: object) -> HttpResponse:
    """Show the page. changes: forms with errors, or problems of a file."""
    checks = CampaignChecks.of(campaign)
    context = {
        "campaign": campaign,
        "gold": checks.gold_pairs,
        "gold_votes": sum(pair.votes for pair in checks.gold_pairs),
        "gold_right": sum(pair.right for pair in checks.gold_pairs),
        "repeats": checks.repeats,
        "powers": [(CHECK_NAMES[one.flag], one, f"{100 * one.power:.0f}") for one in checks.powers],
        "powers_in_words": powers_in_words(checks.powers),
        "training": checks.training_pairs,
        "training_form": KnownPairsFileForm(auto_id="training_%s"),
        "shares_form": OptionForm(
            None, set_check_shares, initial={name: getattr(checks, name) for name in CHECK_SHARES}
        ),
        "file_form": KnownPairsFileForm(),
        "unanimous_form": OptionForm(
            None, add_unanimous_pairs, initial={"unanimous": UNANIMOUS_AT_FIRST, "seed": campaign.seed}
        ),
    }
    return render(request, "judging/campaigns/checks.html", context | changes, status=status)


def _store_file(
    request: SignedInRequest, campaign_id: int, store: Callable[..., int], message: str, noun: str, form_name: str
) -> HttpResponse:
    """Store the pairs of a table. message: with {} for their number."""
    campaign = checked_campaign(request, campaign_id)
    form = KnownPairsFileForm(request.POST, request.FILES)
    if not form.is_valid():
        wrong: dict[str, Any] = {form_name: form}
        return checks_page(request, campaign, **wrong)
    try:
        with telling_refusals(request):
            stored = store(campaign, read_known_pairs(source_file(form.cleaned_data["file"])))
            messages.success(request, message.format(counted(stored, noun)))
    except InvalidFile as invalid:
        problems = {"problems": invalid.problems, "problem_count": invalid.count}
        return checks_page(request, campaign, status=422, **problems)
    return redirect("campaign-checks", campaign.pk)
