"""A campaign's page for researchers: its progress and its chart, its people, and how far its votes can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from judging.models import Campaign
from judging.services.campaign_pairs.campaign_selection import describe_choice
from judging.services.campaigns.campaign_copies import name_of_copy
from judging.services.campaigns.campaign_history import campaign_history
from judging.services.campaigns.campaign_states import next_states
from judging.services.campaigns.guidelines import guidelines_versions
from judging.services.campaigns.overlaps import describe_overlaps
from judging.services.campaigns.progress.campaign_progress import (
    LabellingDay,
    annotator_progress,
    campaign_progress,
    labelling_days,
    skip_counts,
)
from judging.services.campaigns.progress.campaign_report import attribute_progress, attributes_with_own_scores
from judging.services.campaigns.progress.labelling_pace import (
    FINISHED,
    assigned_people,
    labelling_pace,
    parts_of_people,
)
from judging.services.campaigns.vote_exclusions import excluded_raters
from judging.web.markdown import render_markdown
from judging.web.role_checks import SignedInRequest, signed_in

WIDTH, HEIGHT = 640, 180
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 16, 24


@dataclass(frozen=True, slots=True)
class DayMark:
    """A day with votes. x, y: of its total. bar, bar_left: top and left edge of the bar of its own votes."""

    day: LabellingDay
    x: float
    y: float
    bar: float
    bar_left: float

    @property
    def bar_height(self) -> float:
        return HEIGHT - BOTTOM - self.bar


@dataclass(frozen=True, slots=True)
class ProgressChart:
    """Bars of the votes of each day, a line of all votes so far, and the planned votes at the top.

    planned_y: height of the planned votes. line: points of the line, as in SVG.
    forecast: its dashed end until all votes are in; empty without one.
    bar_width: of one day. bottom, left, right: of the drawing, whose size is width × height.
    """

    marks: Sequence[DayMark]
    line: str
    forecast: str
    bar_width: float
    planned: int
    planned_y: float
    first: date
    last: date
    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM
    left: int = LEFT
    right: int = WIDTH - RIGHT


def draw_progress(days: Sequence[LabellingDay], *, planned: int, end: date | None) -> ProgressChart | None:
    """Draw votes by day. planned: all votes of the campaign. end: the day on which they are expected; None: unknown.

    Returns None without a day.
    """
    if not days:
        return None
    first, last = days[0].day, max(days[-1].day, end or days[-1].day)
    step = (WIDTH - LEFT - RIGHT) / ((last - first).days + 1)
    most = max(planned, days[-1].total)
    bar_width = 0.6 * step
    marks = [_mark(day, _middle(day.day, first, step), most, bar_width) for day in days]
    points = [(float(LEFT), _height(0, most)), *((mark.x, mark.y) for mark in marks)]
    ahead = [] if end is None else [points[-1], (_middle(last, first, step), _height(planned, most))]
    lines = (_points(points), _points(ahead))
    return ProgressChart(marks, *lines, bar_width, planned, _height(planned, most), first, last)


def _mark(day: LabellingDay, x: float, most: int, bar_width: float) -> DayMark:
    return DayMark(day, x, _height(day.total, most), _height(day.votes, most), x - bar_width / 2)


def _middle(day: date, first: date, step: float) -> float:
    return LEFT + ((day - first).days + 0.5) * step


def _height(votes: int, most: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * votes / max(most, 1)


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


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
    excluded = excluded_raters(campaign)
    counted = [one for one in people if one.person.annotator.rater_name not in excluded]
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
            "finished": sum(one.standing == FINISHED for one in counted),
            "left_out": len(people) - len(counted),
            "enough": sum(bool(one.is_enough) for one in attributes),
            "days": days,
            "chart": draw_progress(days, planned=progress.planned, end=pace.end),
            "skips": skips,
            "most_skips": max((row.skips for row in skips), default=0),
            "invited": sum(row.takes_part for row in annotators),
            "assigned": assigned_people(campaign).count(),
            "excluded": excluded,
            "may_edit": Campaign.objects.editable_by(request.user).filter(pk=campaign.pk).exists(),
            "next_states": next_states(campaign),
            "takes_part": any(row.takes_part and row.annotator == request.user for row in annotators),
            "guidelines": render_markdown(campaign.guidelines),
            "name_of_copy": name_of_copy(campaign, request.user),
            "guidelines_versions": guidelines_versions(campaign),
            "overlaps": describe_overlaps(campaign),
            "pair_choice": describe_choice(campaign),
            "history": campaign_history(campaign),
            "later_rounds": campaign.later_rounds.order_by("pk"),
        },
    )
