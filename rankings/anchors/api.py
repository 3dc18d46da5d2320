"""The HTTP API of anchors: the JSON of the command `anchors`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.numerics import DEFAULT_RANKING, RANKINGS
from judging.web.api_input import query_options
from judging.web.visible_rows import visible_run
from rankings.anchors.anchor_report import AnchorChoice, AnchorReport, anchor_report
from rankings.report.api import LeftOutSerializer, report_choice_of
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of


class AnchorsSerializer(LeftOutSerializer):
    ranking = serializers.ChoiceField(choices=list(RANKINGS), default=DEFAULT_RANKING)


class RunAnchors(APIView):
    @extend_schema(parameters=[AnchorsSerializer], responses=serializer_of(AnchorReport))
    def get(self, request: Request, pk: int) -> Response:
        """Return the rankings of a run's systems from the comparisons with each system in turn."""
        run = visible_run(request, pk)
        options = query_options(AnchorsSerializer, request)
        return Response(as_json(anchor_report(run, AnchorChoice(options["ranking"], report_choice_of(options)))))
