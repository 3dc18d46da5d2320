"""The HTTP API of abstaining: the JSON of the command `abstain`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.views import APIView

from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of, query_options
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_run
from rankings.abstaining.abstaining_report import (
    SURENESS_TITLES,
    USUAL_ALPHA,
    USUAL_CONFIDENCE,
    Abstaining,
    abstaining_of,
)
from rankings.abstaining.doubtful_campaign import ask_people
from rankings.report.api import LeftOutSerializer, exclusion_in
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of


class ChosenThresholdSerializer(RequestSerializer):
    by = serializers.ChoiceField(choices=list(SURENESS_TITLES), default="probability", help_text="Measure of sureness.")
    alpha = serializers.FloatField(default=USUAL_ALPHA, help_text="Largest share of errors among answered comparisons.")
    confidence = serializers.FloatField(default=USUAL_CONFIDENCE)
    choose_on = serializers.CharField(
        default="",
        allow_blank=True,
        help_text="development: choose the threshold on this part of the contexts, and report it on the test part.",
    )


class ThresholdSerializer(LeftOutSerializer, ChosenThresholdSerializer):
    """The threshold, and the systems and contexts to leave out."""


class NewDoubtfulCampaignSerializer(ChosenThresholdSerializer):
    name = serializers.CharField(max_length=200, default="", help_text='Default: "Doubtful pairs of run N".')


class DoubtfulCampaignSerializer(serializers.Serializer[None]):
    campaign = serializers.IntegerField()
    name = serializers.CharField()
    pairs = serializers.IntegerField()


class RunAbstaining(APIView):
    @extend_schema(parameters=[ThresholdSerializer], responses=serializer_of(Abstaining))
    def get(self, request: Request, pk: int) -> Response:
        """Return accuracy against coverage, the threshold with a guarantee, and the pairs in doubt."""
        run, options = visible_run(request, pk), query_options(ThresholdSerializer, request)
        chosen = {name: options[name] for name in ("by", "alpha", "confidence", "choose_on")}
        return Response(as_json(abstaining_of(run, **chosen, exclusion=exclusion_in(options))))

    @extend_schema(
        request=NewDoubtfulCampaignSerializer, responses={201: DoubtfulCampaignSerializer, 400: ProblemsSerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Create a campaign with the doubtful pairs on which people have no preference."""
        run, chosen = visible_run(request, pk), body_of(NewDoubtfulCampaignSerializer, request)
        name = chosen.pop("name")
        campaign = ask_people(run, abstaining_of(run, **chosen), owner=user_of(request), name=name)
        made = {"campaign": campaign.pk, "name": campaign.name, "pairs": campaign.pairs.count()}
        return Response(made, HTTP_201_CREATED)
