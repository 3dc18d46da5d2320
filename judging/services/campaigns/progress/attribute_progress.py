"""Progress of a campaign on each of its attributes, for researchers. Gold pairs and repeats are left out."""

from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q

from evenhand.report_json import Unwritten
from judging.models import CHECK_PURPOSES, Assignment, Attribute, Campaign
from judging.models.row_counts import count_rows
from judging.services.campaigns.progress.campaign_progress import VoteAgreement, agreement_so_far, labelled_by_people
from judging.services.campaigns.progress.rating_summary import RatingSummary, rating_summary
from judging.services.campaigns.wanted_width import is_enough


@dataclass(frozen=True, slots=True)
class AttributeProgress:
    """Progress on one attribute, by its name. complete: pairs with all their votes. done, planned: votes.

    is_enough: True if the interval of the agreement is as narrow as wanted; None if the campaign has no goal.
    ratings: the ratings of a campaign that rates single texts, which are counted as its pairs; else None.
    """

    attribute: str
    pairs: int
    complete: int
    done: int
    planned: int
    skips: int
    agreement: VoteAgreement
    is_enough: bool | None = None
    ratings: Unwritten[RatingSummary | None] = None


def attribute_progress(campaign: Campaign) -> list[AttributeProgress]:
    """Return the progress on each attribute, in the order asked."""
    attributes = campaign.attributes_in_order()
    planned = (campaign.pairs_planned or 0) // len(attributes)
    return [_progress_on(campaign, attribute, planned) for attribute in attributes]


def _progress_on(campaign: Campaign, attribute: Attribute, planned: int) -> AttributeProgress:
    """planned: pairs on the attribute, if they are chosen during voting; else 0."""
    is_ordinary = ~Q(assignments__purpose__in=CHECK_PURPOSES)
    voted = count_rows(labelled_by_people(campaign).filter(pair=OuterRef("pk")), by="pair")
    skipped = Count("assignments", filter=Q(assignments__status=Assignment.Status.SKIPPED) & is_ordinary)
    rows = campaign.pairs.asked().filter(attribute=attribute).annotate(voted=voted, skipped=skipped)
    counts = list(rows.values_list("voted", "skipped"))
    pairs = max(len(counts), planned)
    agreement = agreement_so_far(campaign, attribute=attribute)
    return AttributeProgress(
        attribute=attribute.name,
        pairs=pairs,
        complete=sum(votes >= campaign.votes_per_pair for votes, _ in counts),
        done=sum(votes for votes, _ in counts),
        planned=pairs * campaign.votes_per_pair,
        skips=sum(skips for _, skips in counts),
        agreement=agreement,
        is_enough=is_enough(campaign, agreement),
        ratings=rating_summary(campaign, attribute=attribute) if campaign.is_of_ratings else None,
    )
