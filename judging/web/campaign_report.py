"""The progress of a campaign as JSON, for the HTTP API and the command: votes, pace, annotators, agreement."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from judging.models import Campaign
from judging.services.campaigns.progress.attribute_progress import AttributeProgress, attribute_progress
from judging.services.campaigns.progress.campaign_progress import annotator_progress, campaign_progress
from judging.services.campaigns.progress.labelling_days import LabellingDay, SkipCount, labelling_days, skip_counts
from judging.services.campaigns.progress.labelling_pace import (
    LabellingPace,
    PersonsPart,
    labelling_pace,
    parts_of_people,
)


class PaceSerializer(serializers.Serializer[LabellingPace]):
    """Votes a day over the last seven days, or since the first vote. end: day of the last vote at this pace.

    undefined: why there is no such day; empty if there is one.
    """

    votes_per_day = serializers.FloatField(allow_null=True)
    end = serializers.DateField(allow_null=True)
    undefined = serializers.CharField()


class AnnotatorSerializer(serializers.Serializer[PersonsPart]):
    """The progress of an annotator, under the pseudonym of the votes.

    quick: votes within two seconds. median_seconds: null if no time is known.
    part: votes that are the person's part; null for somebody who was removed.
    standing: finished, not started, behind, or empty.
    """

    rater = serializers.CharField(source="person.annotator.rater_name")
    takes_part = serializers.BooleanField(source="person.takes_part")
    votes = serializers.IntegerField(source="person.votes")
    skips = serializers.IntegerField(source="person.skips")
    quick = serializers.IntegerField(source="person.quick")
    median_seconds = serializers.FloatField(source="person.median_seconds", allow_null=True)
    last_vote = serializers.DateTimeField(source="person.last_vote", allow_null=True)
    part = serializers.IntegerField(allow_null=True)
    standing = serializers.CharField()


class VoteAgreementSerializer(serializers.Serializer[Any]):
    """Pairs of votes on the same pair. percent: share of equal ones, from 0 to 100; null without any.

    low, high: its 95 % interval over contexts. width: of this interval as a share, from 0 to 1.
    disputed: pairs with two different votes.
    """

    agreeing = serializers.IntegerField()
    compared = serializers.IntegerField()
    pairs = serializers.IntegerField()
    disputed = serializers.IntegerField()
    percent = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    width = serializers.FloatField(allow_null=True)


class AttributeProgressSerializer(serializers.Serializer[AttributeProgress]):
    """The progress on one attribute. complete: pairs with all their votes. done, planned: votes.

    is_enough: whether the interval of the agreement is at most as wide as wanted; null if the campaign has no goal.
    """

    attribute = serializers.CharField(source="attribute.name")
    pairs = serializers.IntegerField()
    complete = serializers.IntegerField()
    done = serializers.IntegerField()
    planned = serializers.IntegerField()
    skips = serializers.IntegerField()
    agreement = VoteAgreementSerializer()
    is_enough = serializers.BooleanField(allow_null=True)


class LabellingDaySerializer(serializers.Serializer[LabellingDay]):
    """The votes of one day, in UTC. people: annotators who voted. total: all votes up to the end of the day."""

    day = serializers.DateField()
    votes = serializers.IntegerField()
    people = serializers.IntegerField()
    total = serializers.IntegerField()


class SkipCountSerializer(serializers.Serializer[SkipCount]):
    """Skipped pairs with one reason. text: the reason in the words that annotators read."""

    reason = serializers.CharField()
    text = serializers.CharField()
    skips = serializers.IntegerField()


class CampaignProgressSerializer(serializers.Serializer[Any]):
    """The progress of a campaign. complete: pairs with all their votes. done, planned: votes. skips: skipped pairs.

    both_bad, cannot_judge: votes of these kinds, which are in `done`, and excluded from figures.
    wanted_width: the goal, a width of the agreement's interval; null without one.
    agreement: of a campaign with one attribute, else null. attributes: the progress and agreement on each one.
    """

    pairs = serializers.IntegerField()
    complete = serializers.IntegerField()
    done = serializers.IntegerField()
    planned = serializers.IntegerField()
    skips = serializers.IntegerField()
    both_bad = serializers.IntegerField()
    cannot_judge = serializers.IntegerField()
    wanted_width = serializers.FloatField(allow_null=True)
    pace = PaceSerializer()
    agreement = VoteAgreementSerializer(allow_null=True)
    attributes = AttributeProgressSerializer(many=True)
    annotators = AnnotatorSerializer(many=True)
    days = LabellingDaySerializer(many=True)
    skip_reasons = SkipCountSerializer(many=True)


def campaign_report(campaign: Campaign) -> dict[str, Any]:
    """Return the progress of a campaign as JSON."""
    progress, people = campaign_progress(campaign), annotator_progress(campaign)
    attributes = attribute_progress(campaign)
    counts = {name: getattr(progress, name) for name in progress.__slots__}
    parts = {
        "wanted_width": campaign.wanted_width,
        "pace": labelling_pace(campaign, progress),
        "agreement": attributes[0].agreement if len(attributes) == 1 else None,
        "attributes": attributes,
        "annotators": parts_of_people(campaign, progress, people),
        "days": labelling_days(campaign),
        "skip_reasons": skip_counts(campaign),
    }
    return dict(CampaignProgressSerializer(counts | parts).data)
