"""An annotator's own answers: their list, and the change of one."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from judging.forms.answers import answer_form
from judging.models import Assignment, Campaign
from judging.services.campaigns.campaign_states import require_taking_votes
from judging.services.campaigns.guidelines import has_read_guidelines
from judging.services.campaigns.ratings import NOT_RATED
from judging.services.campaigns.votes import NOT_VOTED
from judging.views.votes import apply_to_pair, own_campaign, own_page, own_participation
from judging.web.markdown import render_markdown
from judging.web.paging import page_of, query_without_page
from judging.web.role_checks import SignedInRequest

VOTES_PER_PAGE = 25


@require_safe
@never_cache
@own_page
def vote_list(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """List own answers, the latest first. With `?show=skipped`, list only skipped pairs."""
    campaign = own_campaign(request, campaign_id)
    answered = Assignment.objects.of(request.user, campaign=campaign).answered().with_texts()
    only_skipped = request.GET.get("show") == "skipped"
    if only_skipped:
        answered = answered.filter(status=Assignment.Status.SKIPPED)
    page = page_of(request, Paginator(answered, VOTES_PER_PAGE))
    for one in page:
        one.pair.campaign = campaign  # with its attributes, which are read already
    return render(
        request,
        "judging/votes/list.html",
        {
            "campaign": campaign,
            "page_obj": page,
            "query": query_without_page(request),
            "only_skipped": only_skipped,
            "changed": request.GET.get("changed", ""),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@own_page
def vote_change(request: SignedInRequest, campaign_id: int, key: str) -> HttpResponse:
    """Show an own vote with its pair, in the order shown. Posting changes the vote."""
    campaign = own_campaign(request, campaign_id)
    assignment = get_object_or_404(Assignment.objects.of(request.user, campaign=campaign).with_texts(), key=key)
    if assignment.status != Assignment.Status.VOTED:
        messages.warning(request, NOT_RATED if campaign.is_of_ratings else NOT_VOTED)
        return redirect(address_in_list(request, campaign))
    if request.method != "POST":
        require_taking_votes(campaign)
        if not has_read_guidelines(own_participation(request, campaign_id)):
            return redirect("guidelines", campaign.pk)
    else:
        form = answer_form(campaign, request.POST)
        is_saved = apply_to_pair(request, campaign, form, form.change)
        return redirect(address_in_list(request, campaign, changed=key if is_saved else ""))
    return render(
        request,
        "judging/votes/change.html",
        {
            "campaign": campaign,
            "assignment": assignment,
            "asked": campaign.asked_about(assignment.pair.attribute_id),
            "guidelines": render_markdown(campaign.guidelines),
            "back": address_in_list(request, campaign),
        },
    )


def address_in_list(request: SignedInRequest, campaign: Campaign, *, changed: object = "") -> str:
    """Return the address of the page of the list that the user came from. changed: the pair to mark there."""
    query = {"page": request.GET.get("page", ""), "changed": str(changed)}
    parameters = urlencode({name: value for name, value in query.items() if value})
    return reverse("vote-list", args=[campaign.pk]) + (f"?{parameters}" if parameters else "")
