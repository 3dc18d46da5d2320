"""Annotators' answers: votes on pairs, ratings of texts, and skips."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.api.labelling.annotation import PairSerializer, own_pair
from judging.models import ReadingAid, SkipReason
from judging.models.labelling.votes import EVERY_CHOICE
from judging.services.campaigns.answer_rules import LONGEST_COMMENT, VoteDetails
from judging.services.campaigns.answers import reopen_pair, skip_pair
from judging.services.campaigns.ratings import change_rating, record_rating
from judging.services.campaigns.votes import NO_DETAILS, ShownPair, change_vote, details_of, record_vote
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer

LARGEST_SECONDS = 2**31 / 1000
LARGEST_RATING = 1_000


class VoteBodySerializer(RequestSerializer):
    """A vote. first, second: names of the texts as they were shown. seconds: time on the pair.

    strength, confidence, comment: only where the campaign asks for them. reading_aids: aids that were used.
    """

    choice = serializers.ChoiceField(EVERY_CHOICE)
    first = serializers.CharField(max_length=100)
    second = serializers.CharField(max_length=100)
    strength = serializers.IntegerField(allow_null=True, required=False)
    confidence = serializers.IntegerField(allow_null=True, required=False)
    comment = serializers.CharField(allow_blank=True, max_length=LONGEST_COMMENT, required=False)
    seconds = serializers.FloatField(min_value=0, max_value=LARGEST_SECONDS, allow_null=True, default=None)
    reading_aids = serializers.MultipleChoiceField(choices=ReadingAid.choices, default=set)

    @property
    def shown(self) -> ShownPair:
        return ShownPair(self.validated_data["first"], self.validated_data["second"])

    def details(self, before: VoteDetails = NO_DETAILS) -> VoteDetails:
        """Return the details of the vote. before: for those that the request leaves out."""
        named = {name: self.validated_data[name] for name in VoteDetails.__slots__ if name in self.validated_data}
        return replace(before, **named)


class RatingBodySerializer(RequestSerializer):
    """A rating. text: name of the text as it was shown. seconds: time on the text."""

    rating = serializers.IntegerField(min_value=-LARGEST_RATING, max_value=LARGEST_RATING)
    text = serializers.CharField(max_length=100)
    seconds = serializers.FloatField(min_value=0, max_value=LARGEST_SECONDS, allow_null=True, default=None)


class SkipBodySerializer(RequestSerializer):
    reason = serializers.ChoiceField(SkipReason.choices)


class PairVote(APIView):
    """One's own answer on a pair."""

    @extend_schema(request=VoteBodySerializer, responses={200: PairSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int, key: UUID) -> Response:
        """Vote on a pair that was reserved. The same vote again changes nothing."""
        assignment, body = own_pair(request, pk, key), VoteBodySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        seconds = body.validated_data["seconds"]
        milliseconds = None if seconds is None else round(seconds * 1000)
        record_vote(
            assignment,
            choice=body.validated_data["choice"],
            shown=body.shown,
            details=body.details(),
            milliseconds=milliseconds,
            reading_aids=body.validated_data["reading_aids"],
        )
        return Response(PairSerializer(own_pair(request, pk, key)).data)

    @extend_schema(request=VoteBodySerializer, responses={200: PairSerializer, 400: ProblemsSerializer})
    def patch(self, request: Request, pk: int, key: UUID) -> Response:
        """Change the own vote. Its time on the pair and its reading aids stay, and so do details that are left out."""
        assignment, body = own_pair(request, pk, key), VoteBodySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        details = body.details(details_of(assignment))
        change_vote(assignment, choice=body.validated_data["choice"], shown=body.shown, details=details)
        return Response(PairSerializer(own_pair(request, pk, key)).data)

    @extend_schema(responses={200: PairSerializer, 400: ProblemsSerializer})
    def delete(self, request: Request, pk: int, key: UUID) -> Response:
        """Withdraw the own vote or skip. The pair is open again."""
        reopen_pair(own_pair(request, pk, key))
        return Response(PairSerializer(own_pair(request, pk, key)).data)


class TextRating(APIView):
    """One's own rating of a text."""

    @extend_schema(request=RatingBodySerializer, responses={200: PairSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int, key: UUID) -> Response:
        """Rate a text that was reserved. The same rating again changes nothing."""
        assignment, body = own_pair(request, pk, key), RatingBodySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        seconds = body.validated_data["seconds"]
        record_rating(
            assignment,
            rating=body.validated_data["rating"],
            shown=body.validated_data["text"],
            milliseconds=None if seconds is None else round(seconds * 1000),
        )
        return Response(PairSerializer(own_pair(request, pk, key)).data)

    @extend_schema(request=RatingBodySerializer, responses={200: PairSerializer, 400: ProblemsSerializer})
    def patch(self, request: Request, pk: int, key: UUID) -> Response:
        """Change the own rating. Its time stays."""
        assignment, body = own_pair(request, pk, key), RatingBodySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        change_rating(assignment, rating=body.validated_data["rating"], shown=body.validated_data["text"])
        return Response(PairSerializer(own_pair(request, pk, key)).data)


class PairSkip(APIView):
    """Skipping a pair."""

    @extend_schema(request=SkipBodySerializer, responses={200: PairSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int, key: UUID) -> Response:
        """Skip a pair, with a reason. A vote on it is withdrawn."""
        assignment, body = own_pair(request, pk, key), SkipBodySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        skip_pair(assignment, reason=body.validated_data["reason"])
        return Response(PairSerializer(own_pair(request, pk, key)).data)
