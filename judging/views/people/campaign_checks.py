"""The pairs that check annotators, for the creator of a campaign and admins: repeats and gold pairs."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from evenhand.file_problems import InvalidFile
from evenhand.formats.recorded.known_pairs import read_known_pairs
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.forms.people.campaign_checks import CheckSharesForm, KnownPairsFileForm, UnanimousForm
from judging.models import Campaign, CampaignKind
from judging.services.campaign_pairs.check_counts import count_repeats, list_gold_pairs
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs, add_unanimous_pairs, set_check_shares
from judging.services.campaign_pairs.training import set_training_pairs, training_results
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.uploaded_files import source_file


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
    """Change how often annotators get repeats and gold pairs."""
    campaign = checked_campaign(request, campaign_id)
    form = CheckSharesForm(campaign, request.POST)
    if not form.is_valid():
        return checks_page(request, campaign, shares_form=form)
    set_check_shares(campaign, **form.cleaned_data)
    messages.success(request, "Saved. The change takes effect with each annotator’s next pair.")
    return redirect("campaign-checks", campaign.pk)


@require_POST
@researchers_only
def gold_upload(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Add the gold pairs of a table, all of them or none."""
    campaign = checked_campaign(request, campaign_id)
    form = KnownPairsFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return checks_page(request, campaign, file_form=form)
    try:
        pairs = read_known_pairs(source_file(form.cleaned_data["file"]))
    except InvalidFile as invalid:
        problems = {"problems": invalid.problems, "problem_count": invalid.count}
        return checks_page(request, campaign, status=422, **problems)
    return _add_and_return(request, campaign, lambda: add_gold_pairs(campaign, pairs))


@require_POST
@researchers_only
def training_upload(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Replace the training pairs by those of a table."""
    campaign = checked_campaign(request, campaign_id)
    form = KnownPairsFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return checks_page(request, campaign, training_form=form)
    try:
        pairs = read_known_pairs(source_file(form.cleaned_data["file"]))
        set_training_pairs(campaign, pairs)
    except InvalidFile as invalid:
        problems = {"problems": invalid.problems, "problem_count": invalid.count}
        return checks_page(request, campaign, status=422, **problems)
    except Refused as refused:
        for problem in refused.problems:
            messages.error(request, problem)
    else:
        messages.success(request, f"{counted(len(pairs), 'training pair')} stored.")
    return redirect("campaign-checks", campaign.pk)


@require_POST
@researchers_only
def gold_draw(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Draw gold pairs from pairs on which all people agree."""
    campaign = checked_campaign(request, campaign_id)
    form = UnanimousForm(request.POST)
    if not form.is_valid():
        return checks_page(request, campaign, unanimous_form=form)
    chosen = form.cleaned_data
    seed = campaign.seed
    return _add_and_return(
        request,
        campaign,
        lambda: add_unanimous_pairs(campaign, chosen["number"], fewest_votes=chosen["fewest_votes"], seed=seed),
    )


def checks_page(request: SignedInRequest, campaign: Campaign, *, status: int = 200, **changes: object) -> HttpResponse:
    """Show the page. changes: forms with errors, or problems of a file."""
    gold = list_gold_pairs(campaign)
    context = {
        "campaign": campaign,
        "gold": gold,
        "gold_votes": sum(pair.votes for pair in gold),
        "gold_right": sum(pair.right for pair in gold),
        "repeats": count_repeats(campaign),
        "training": training_results(campaign),
        "training_form": KnownPairsFileForm(auto_id="training_%s"),
        "shares_form": CheckSharesForm(campaign),
        "file_form": KnownPairsFileForm(),
        "unanimous_form": UnanimousForm(),
    }
    return render(request, "judging/campaigns/checks.html", context | changes, status=status)


def _add_and_return(request: SignedInRequest, campaign: Campaign, add: Callable[[], int]) -> HttpResponse:
    try:
        added = add()
    except Refused as refused:
        for problem in refused.problems:
            messages.error(request, problem)
    else:
        messages.success(request, f"{counted(added, 'gold pair')} added.")
    return redirect("campaign-checks", campaign.pk)
