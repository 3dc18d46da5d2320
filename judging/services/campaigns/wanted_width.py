"""The width of the agreement's interval that a campaign is to reach, and whether its votes are enough."""

from judging.models import Campaign
from judging.services.campaigns.progress.campaign_progress import VoteAgreement

NARROWEST, WIDEST = 0.001, 0.999


def is_enough(campaign: Campaign, agreement: VoteAgreement) -> bool | None:
    """Return True if the interval of the agreement is at most as wide as wanted; None if the campaign has no goal."""
    if campaign.wanted_width is None:
        return None
    return agreement.width is not None and agreement.width <= campaign.wanted_width
