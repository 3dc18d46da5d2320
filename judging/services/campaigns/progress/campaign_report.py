"""The whole progress of a campaign, for the HTTP API and the command: votes, pace, annotators, agreement."""

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.report_json import Flat
from judging.models import Campaign
from judging.services.campaigns.progress.attribute_progress import AttributeProgress, attribute_progress
from judging.services.campaigns.progress.campaign_progress import (
    CampaignProgress,
    LabellingDay,
    SkipCount,
    VoteAgreement,
    annotator_progress,
    campaign_progress,
    labelling_days,
    skip_counts,
)
from judging.services.campaigns.progress.labelling_pace import (
    LabellingPace,
    PersonsPart,
    labelling_pace,
    parts_of_people,
)


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """The progress of a campaign. wanted_width: the goal, a width of the agreement's interval; null without one.

    agreement: of a campaign with one attribute, else null. attributes: the progress and agreement on each one.
    """

    progress: Flat[CampaignProgress]
    wanted_width: float | None
    pace: LabellingPace
    agreement: VoteAgreement | None
    attributes: Sequence[AttributeProgress]
    annotators: Sequence[PersonsPart]
    days: Sequence[LabellingDay]
    skip_reasons: Sequence[SkipCount]


@dataclass(frozen=True, slots=True)
class MadeCampaign:
    """A campaign just made. campaign: its number."""

    campaign: int
    name: str
    pairs: int


def campaign_report(campaign: Campaign) -> CampaignReport:
    progress, attributes = campaign_progress(campaign), attribute_progress(campaign)
    return CampaignReport(
        progress,
        campaign.wanted_width,
        labelling_pace(campaign, progress),
        attributes[0].agreement if len(attributes) == 1 else None,
        attributes,
        parts_of_people(campaign, progress, annotator_progress(campaign)),
        labelling_days(campaign),
        skip_counts(campaign),
    )
