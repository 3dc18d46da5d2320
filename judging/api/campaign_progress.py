"""The progress of a campaign, for researchers: its votes, its annotators, and how far they agree."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.api.campaigns import visible_campaigns
from judging.services.campaigns.campaign_progress import (
    AnnotatorProgress,
    agreement_so_far,
    annotator_progress,
    campaign_progress,
)
from judging.services.campaigns.labelling_days import LabellingDay, SkipCount, labelling_days, skip_counts


class AnnotatorSerializer(serializers.Serializer[AnnotatorProgress]):
    """The progress of an annotator, under the pseudonym of the votes.

    quick: votes within two seconds. median_seconds: null if no time is known.
    """

    rater = serializers.CharField(source="annotator.rater_name")
    takes_part = serializers.BooleanField()
    votes = serializers.IntegerField()
    skips = serializers.IntegerField()
    quick = serializers.IntegerField()
    median_seconds = serializers.FloatField(allow_null=True)
    last_vote = serializers.DateTimeField(allow_null=True)


class VoteAgreementSerializer(serializers.Serializer[Any]):
    """Pairs of votes on the same pair. percent: share of equal ones, from 0 to 100; null without any."""

    agreeing = serializers.IntegerField()
    compared = serializers.IntegerField()
    pairs = serializers.IntegerField()
    percent = serializers.FloatField(allow_null=True)


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
    """

    pairs = serializers.IntegerField()
    complete = serializers.IntegerField()
    done = serializers.IntegerField()
    planned = serializers.IntegerField()
    skips = serializers.IntegerField()
    both_bad = serializers.IntegerField()
    cannot_judge = serializers.IntegerField()
    agreement = VoteAgreementSerializer()
    annotators = AnnotatorSerializer(many=True)
    days = LabellingDaySerializer(many=True)
    skip_reasons = SkipCountSerializer(many=True)


class CampaignReport(APIView):
    @extend_schema(responses={200: CampaignProgressSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return the progress of a campaign, by annotator and by day, its skips, and how far the votes agree."""
        campaign = get_object_or_404(visible_campaigns(request), pk=pk)
        progress = campaign_progress(campaign)
        counts = {name: getattr(progress, name) for name in progress.__slots__}
        people = {"agreement": agreement_so_far(campaign), "annotators": annotator_progress(campaign)}
        parts = {"days": labelling_days(campaign), "skip_reasons": skip_counts(campaign)}
        return Response(CampaignProgressSerializer(counts | people | parts).data)
