"""An annotator's training over HTTP: the next training pair, and the feedback on an answer."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.report_json import as_json
from judging.api.people.own_part import own_joined_campaign
from judging.models import Choice, TrainingPair
from judging.services.campaign_pairs.training import Feedback, answer_training_pair, next_training_pair
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of
from judging.web.report_serializers import serializer_of
from judging.web.role_checks import user_of


class TrainingPairSerializer(serializers.Serializer[Any]):
    """A training pair in the order in which this annotator sees it. number: from 1, of `total`."""

    number = serializers.IntegerField()
    total = serializers.IntegerField()
    context = serializers.CharField(source="pair.one.context.text")  # type: ignore[assignment]  # a field of the row
    first = serializers.CharField(source="first.text")
    second = serializers.CharField(source="second.text")


class TrainingAnswerSerializer(RequestSerializer):
    number = serializers.IntegerField(min_value=1)
    choice = serializers.ChoiceField(Choice.choices)


class OwnTraining(APIView):
    @extend_schema(
        responses={200: TrainingPairSerializer, 204: OpenApiResponse(description="No training pair is left.")}
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return the next training pair. Voting needs all of them answered."""
        shown = next_training_pair(own_joined_campaign(request, pk), user_of(request))
        return Response(TrainingPairSerializer(shown).data) if shown else Response(status=204)

    @extend_schema(request=TrainingAnswerSerializer, responses={200: serializer_of(Feedback), 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Answer a training pair, and return the known answer. The first answer counts."""
        campaign, values = own_joined_campaign(request, pk), body_of(TrainingAnswerSerializer, request)
        pairs = TrainingPair.objects.filter(campaign=campaign).select_related("campaign")
        pair = get_object_or_404(pairs, position=values["number"] - 1)
        feedback = answer_training_pair(pair, user_of(request), choice=values["choice"])
        return Response(as_json(feedback))
