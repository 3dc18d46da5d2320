"""The page of a campaign's disputed pairs, and the start of a second round on them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from evenhand.csv_text import csv_lines
from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Campaign
from judging.services.campaigns.pair_decisions import DECISION_COLUMNS, decide_pairs, decisions_of
from judging.web.downloads import attachment
from judging.web.form_fields import add_problems_to_fields, telling_refusals
from judging.web.options import values_sent
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_campaign, visible_runs
from rankings.disputes.dispute_page import describe_by_attribute, describe_disputes, disputed_entries
from rankings.disputes.dispute_rows import judging_runs
from rankings.disputes.disputed_pairs import DISPUTE_KINDS, Disputes, find_disputes
from rankings.disputes.forms import DisputesForm, SecondRoundForm
from rankings.disputes.second_round import people_to_offer, round_settings, start_second_round

DISPUTES_PER_PAGE = 10


@require_safe
@researchers_only
def campaign_disputes(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the disputed pairs with their votes and the answers of judges."""
    campaign = visible_campaign(request, campaign_id)
    people = people_to_offer(request.user, campaign)
    return _show(request, campaign, SecondRoundForm(None, campaign=campaign, people=people))


@require_POST
@researchers_only
def campaign_second_round(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Create a campaign that asks about the disputed pairs of the address, and show it."""
    campaign = visible_campaign(request, campaign_id)
    disputes = find_disputes(campaign, _filters(request, campaign).choice())
    form = SecondRoundForm(request, campaign=campaign, people=people_to_offer(request.user, campaign))
    try:
        settings = round_settings(campaign, values_sent(request.POST), user=request.user)
        created = start_second_round(campaign, disputes.chosen, request.user, **settings)
    except Refused as refused:
        add_problems_to_fields(form, refused.problems)
        return _show(request, campaign, form)
    messages.success(request, f"The second round asks about {len(disputes.chosen):,} pairs.")
    return redirect(created)


@require_POST
@researchers_only
def campaign_decide(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Store the decision on a pair, or take it back, and show the page of disputed pairs again."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    with telling_refusals(request):
        names = ("context", "first", "second", "answer", "explanation", "attribute")
        context, first, second, answer, explanation, attribute = (request.POST.get(name, "") for name in names)
        pair = KnownPair(context, first, second, answer, explanation, attribute)
        decide_pairs(campaign, [pair], decided_by=request.user)
        messages.success(request, "Decision stored. No vote and no figure changes.")
    return redirect(f"{reverse('campaign-disputes', args=[campaign.pk])}?{request.GET.urlencode()}")


@require_safe
@researchers_only
def decisions_download(request: SignedInRequest, campaign_id: int) -> StreamingHttpResponse:
    """Download the decisions as CSV, which `import_votes` reads."""
    campaign = visible_campaign(request, campaign_id)
    rows = (as_json(one) for one in decisions_of(campaign))
    return attachment(csv_lines(rows, columns=DECISION_COLUMNS), name=f"{campaign.name}-decisions.csv")


def _filters(request: SignedInRequest, campaign: Campaign) -> DisputesForm:
    runs = judging_runs(campaign, list(visible_runs(request).ordinary().filter(dataset=campaign.dataset_id)))
    return DisputesForm(request.GET, campaign=campaign, runs=runs)


def _show(request: SignedInRequest, campaign: Campaign, again: SecondRoundForm) -> HttpResponse:
    form = _filters(request, campaign)
    choice = form.choice()
    disputes: Disputes = find_disputes(campaign, choice)
    attribute = choice.attribute or campaign.only_attribute
    page = Paginator(disputes.chosen, DISPUTES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "may_edit": Campaign.objects.editable_by(request.user).filter(pk=campaign.pk).exists(),
        "form": form,
        "again": again,
        "later_rounds": Campaign.objects.filter(first_round=campaign).with_progress(),
        "filtered": bool(form.active_filters()),
        "more_filtered": form.uses_more_fields,
        "attribute": attribute,
        "sentence": describe_disputes(disputes) if attribute else describe_by_attribute(campaign),
        "meanings": [f"{kind.title}: {kind.meaning[0].lower()}{kind.meaning[1:]}" for kind in DISPUTE_KINDS.values()],
        "query": query_without_page(request),
        "page_obj": page,
        "disputes": disputes,
        "entries": disputed_entries(list(page.object_list), disputes.votes, form.chosen_runs()),
    }
    return render(request, "rankings/disputes/disputes.html", context)
