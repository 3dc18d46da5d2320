"""The whole progress of a campaign, and of each of its attributes: votes or ratings, their spread, the agreement."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
from django.db.models import Count, OuterRef, Q

from evenhand.numerics import Figure
from evenhand.numerics.agreement.krippendorff import krippendorff_alpha
from evenhand.numerics.agreement.rating_tables import RatingTable
from evenhand.report_json import Flat, Unwritten
from judging.models import CHECK_PURPOSES, Assignment, Attribute, Campaign, HumanScore
from judging.models.row_counts import count_rows
from judging.services.campaigns.asked_attributes import is_enough
from judging.services.campaigns.progress.campaign_progress import (
    CampaignProgress,
    LabellingDay,
    SkipCount,
    VoteAgreement,
    agreement_so_far,
    annotator_progress,
    campaign_progress,
    labelled_by_people,
    labelling_days,
    skip_counts,
)
from judging.services.campaigns.progress.labelling_pace import (
    LabellingPace,
    PersonsPart,
    labelling_pace,
    parts_of_people,
)

NO_TWO_RATINGS = "no text has two ratings"


@dataclass(frozen=True, slots=True)
class RatingSummary:
    """Ratings that are not excluded. texts: with at least two of them. mean, deviation: None without enough ratings.

    alpha: Krippendorff's alpha, ordinal, with its interval over contexts [Krippendorff2011].
    """

    ratings: int
    texts: int
    mean: float | None
    deviation: float | None
    alpha: Figure


def rating_summary(campaign: Campaign, *, attribute: Attribute) -> RatingSummary:
    """Return the summary of a campaign's ratings on an attribute, in the dataset's order of contexts."""
    ratings = HumanScore.objects.in_figures().filter(assignment__campaign=campaign, attribute=attribute)
    ordered = ratings.order_by("candidate__context__position", "candidate__position", "pk")
    rows = list(ordered.values_list("candidate__context", "candidate", "rater", "value"))
    values = [value for *_, value in rows]
    per_text = Counter(text for _, text, _, _ in rows)
    texts = sum(number > 1 for number in per_text.values())
    return RatingSummary(
        ratings=len(rows),
        texts=texts,
        mean=fmean(values) if values else None,
        deviation=stdev(values) if len(values) > 1 else None,
        alpha=_alpha(rows) if texts else Figure.missing(NO_TWO_RATINGS),
    )


def attributes_with_own_scores(campaign: Campaign) -> list[str]:
    """Return the attributes of a campaign of ratings for which the dataset has human scores that are no ratings.

    Reports compare judges with those scores, not with the mean of the ratings.
    """
    if not campaign.is_of_ratings:
        return []
    scored = HumanScore.objects.filter(rater="", attribute__in=campaign.attributes_in_order()).order_by()
    with_scores = set(scored.values_list("attribute", flat=True).distinct())
    return [attribute.name for attribute in campaign.attributes_in_order() if attribute.pk in with_scores]


def _alpha(rows: list[tuple[int, int, str, float]]) -> Figure:
    """Compute alpha from rows of context, text, rater and value."""
    text_at = {text: place for place, text in enumerate(dict.fromkeys(text for _, text, _, _ in rows))}
    rater_at = {rater: place for place, rater in enumerate(dict.fromkeys(rater for _, _, rater, _ in rows))}
    context_at = {context: place for place, context in enumerate(dict.fromkeys(context for context, *_ in rows))}
    values = np.full((len(rater_at), len(text_at)), np.nan)
    contexts = np.zeros(len(text_at), dtype=np.intp)
    for context, text, rater, value in rows:
        values[rater_at[rater], text_at[text]] = value
        contexts[text_at[text]] = context_at[context]
    return krippendorff_alpha(RatingTable.of_values(values, contexts), "ordinal")


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
