"""The width of the agreement's interval that a campaign is to reach, and whether its votes are enough."""

from __future__ import annotations

from evenhand.refusals import Refused
from judging.models import Campaign
from judging.services.campaigns.progress.campaign_progress import VoteAgreement

NARROWEST, WIDEST = 0.001, 0.999


def set_wanted_width(campaign: Campaign, *, width: float | None) -> None:
    """Store the wanted width of the 95 % interval, or None for no goal. Raises Refused for an impossible width."""
    if problem := width_problem(width):
        raise Refused(problem)
    Campaign.objects.filter(pk=campaign.pk).update(wanted_width=width)
    campaign.wanted_width = width


def width_problem(width: float | None) -> str:
    """Return what is wrong with a wanted width, or ""."""
    if width is None or NARROWEST <= width <= WIDEST:
        return ""
    return f"wanted width: {width:g} — give a number from {NARROWEST} to {WIDEST}, such as 0.1"


def is_enough(campaign: Campaign, agreement: VoteAgreement) -> bool | None:
    """Return True if the interval of the agreement is at most as wide as wanted; None if the campaign has no goal."""
    if campaign.wanted_width is None:
        return None
    return agreement.width is not None and agreement.width <= campaign.wanted_width
