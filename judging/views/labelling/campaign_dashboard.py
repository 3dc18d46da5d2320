"""A campaign's own page for researchers: its progress, its people, and how far its votes can be trusted."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from judging.models import Campaign
from judging.services.campaign_pairs.campaign_selection import describe_choice
from judging.services.campaigns.campaign_changes import describe_growth
from judging.services.campaigns.campaign_copies import name_of_copy
from judging.services.campaigns.campaign_states import next_states
from judging.services.campaigns.guidelines import guidelines_versions
from judging.services.campaigns.overlaps import describe_overlaps
from judging.services.campaigns.progress.attribute_progress import attribute_progress
from judging.services.campaigns.progress.campaign_progress import annotator_progress, campaign_progress
from judging.services.campaigns.progress.labelling_days import labelling_days, skip_counts
from judging.services.campaigns.progress.labelling_pace import FINISHED, labelling_pace, parts_of_people
from judging.services.campaigns.progress.rating_summary import attributes_with_own_scores
from judging.views.labelling.progress_chart import draw_progress
from judging.web.markdown import render_markdown
from judging.web.role_checks import SignedInRequest, signed_in


@require_safe
@signed_in
def campaign_detail(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the progress of a campaign. Annotators are redirected to their next pair."""
    seen = Campaign.objects.visible_to(request.user) if request.user.is_researcher else Campaign.objects.none()
    related = seen.select_related("dataset", "created_by", "first_round").prefetch_related("asked_attributes")
    campaign = related.filter(pk=campaign_id).first()
    if campaign is None:
        get_object_or_404(Campaign.objects.open_to(request.user), pk=campaign_id)
        return redirect("annotate", campaign_id)
    progress, annotators, days = campaign_progress(campaign), annotator_progress(campaign), labelling_days(campaign)
    attributes = attribute_progress(campaign)
    people = parts_of_people(campaign, progress, annotators)
    pace, skips = labelling_pace(campaign, progress), skip_counts(campaign)
    return render(
        request,
        "judging/campaigns/detail.html",
        {
            "campaign": campaign,
            "progress": progress,
            "pace": pace,
            "attributes": attributes,
            "agreement": attributes[0].agreement,
            "own_scores": ", ".join(attributes_with_own_scores(campaign)),
            "people": people,
            "finished": sum(one.standing == FINISHED for one in people),
            "enough": sum(bool(one.is_enough) for one in attributes),
            "days": days,
            "chart": draw_progress(days, planned=progress.planned, end=pace.end),
            "skips": skips,
            "most_skips": max((row.skips for row in skips), default=0),
            "invited": sum(row.takes_part for row in annotators),
            "may_edit": Campaign.objects.editable_by(request.user).filter(pk=campaign.pk).exists(),
            "next_states": next_states(campaign),
            "takes_part": any(row.takes_part and row.annotator == request.user for row in annotators),
            "guidelines": render_markdown(campaign.guidelines),
            "name_of_copy": name_of_copy(campaign),
            "guidelines_versions": guidelines_versions(campaign),
            "overlaps": describe_overlaps(campaign),
            "pair_choice": describe_choice(campaign),
            "growths": describe_growth(campaign),
            "later_rounds": campaign.later_rounds.order_by("pk"),
        },
    )
