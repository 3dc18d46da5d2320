"""Annotators' answers: votes on pairs, ratings of texts, and skips."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option
from judging.api.labelling.annotation import PairSerializer, own_pair
from judging.models import ReadingAid, SkipReason
from judging.models.labelling.votes import EVERY_CHOICE
from judging.services.campaigns.answer_rules import LONGEST_COMMENT, VoteDetails
from judging.services.campaigns.ratings import change_rating, record_rating
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.votes import NO_DETAILS, ShownPair, change_vote, details_of, record_vote
from judging.web.api_input import RequestSerializer, body_of, options_in_body, request_of

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


class RatingBodySerializer(RequestSerializer):
    """A rating. text: name of the text as it was shown. seconds: time on the text."""

    rating = serializers.IntegerField(min_value=-LARGEST_RATING, max_value=LARGEST_RATING)
    text = serializers.CharField(max_length=100)
    seconds = serializers.FloatField(min_value=0, max_value=LARGEST_SECONDS, allow_null=True, default=None)


SKIP = (Option(name="reason", choices=dict(SkipReason.choices)),)


def details_in(vote: dict[str, Any], before: VoteDetails = NO_DETAILS) -> VoteDetails:
    """Return the details of a vote. before: for those that the request leaves out."""
    return replace(before, **{name: vote[name] for name in VoteDetails.__slots__ if name in vote})


def milliseconds_in(answer: dict[str, Any]) -> int | None:
    return None if answer["seconds"] is None else round(answer["seconds"] * 1000)


class PairVote(APIView):
    """One's own answer on a pair."""

    @extend_schema(request=VoteBodySerializer, responses={200: PairSerializer})
    def post(self, request: Request, pk: int, key: UUID) -> Response:
        """Vote on a pair that was reserved. The same vote again changes nothing."""
        assignment, vote = own_pair(request, pk, key), body_of(VoteBodySerializer, request)
        record_vote(
            assignment,
            choice=vote["choice"],
            shown=ShownPair(vote["first"], vote["second"]),
            details=details_in(vote),
            milliseconds=milliseconds_in(vote),
            reading_aids=vote["reading_aids"],
        )
        return Response(PairSerializer(own_pair(request, pk, key)).data)

    @extend_schema(request=VoteBodySerializer, responses={200: PairSerializer})
    def patch(self, request: Request, pk: int, key: UUID) -> Response:
        """Change the own vote. Its time on the pair and its reading aids stay, and so do details that are left out."""
        assignment, vote = own_pair(request, pk, key), body_of(VoteBodySerializer, request)
        shown, details = ShownPair(vote["first"], vote["second"]), details_in(vote, details_of(assignment))
        change_vote(assignment, choice=vote["choice"], shown=shown, details=details)
        return Response(PairSerializer(own_pair(request, pk, key)).data)

    @extend_schema(responses={200: PairSerializer})
    def delete(self, request: Request, pk: int, key: UUID) -> Response:
        """Withdraw the own vote or skip. The pair is open again."""
        reopen_pair(own_pair(request, pk, key))
        return Response(PairSerializer(own_pair(request, pk, key)).data)


class TextRating(APIView):
    """One's own rating of a text."""

    @extend_schema(request=RatingBodySerializer, responses={200: PairSerializer})
    def post(self, request: Request, pk: int, key: UUID) -> Response:
        """Rate a text that was reserved. The same rating again changes nothing."""
        assignment, values = own_pair(request, pk, key), body_of(RatingBodySerializer, request)
        rating, milliseconds = values["rating"], milliseconds_in(values)
        record_rating(assignment, rating=rating, shown=values["text"], milliseconds=milliseconds)
        return Response(PairSerializer(own_pair(request, pk, key)).data)

    @extend_schema(request=RatingBodySerializer, responses={200: PairSerializer})
    def patch(self, request: Request, pk: int, key: UUID) -> Response:
        """Change the own rating. Its time stays."""
        assignment, values = own_pair(request, pk, key), body_of(RatingBodySerializer, request)
        change_rating(assignment, rating=values["rating"], shown=values["text"])
        return Response(PairSerializer(own_pair(request, pk, key)).data)


class PairSkip(APIView):
    """Skipping a pair."""

    @extend_schema(request=request_of(SKIP, name="SkipBodySerializer"), responses={200: PairSerializer})
    def post(self, request: Request, pk: int, key: UUID) -> Response:
        """Skip a pair, with a reason. A vote on it is withdrawn."""
        skip_pair(own_pair(request, pk, key), **options_in_body(request, SKIP))
        return Response(PairSerializer(own_pair(request, pk, key)).data)
