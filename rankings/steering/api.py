"""The HTTP API of robustness: the JSON of the command `shift`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import RequestSerializer, query_options
from judging.web.visible_rows import visible_comparing_run, visible_runs
from rankings.report.api import LARGEST_KEY
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.steering.shift_report import ShiftReport, run_without_sentence, shift_report


class ShiftSerializer(RequestSerializer):
    against = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST_KEY,
        help_text="Run without the sentence; default: the one with equal settings.",
    )


class RunShift(APIView):
    @extend_schema(parameters=[ShiftSerializer], responses=serializer_of(ShiftReport))
    def get(self, request: Request, pk: int) -> Response:
        """Return how far the added sentence of a robustness run moved its judge."""
        run = visible_comparing_run(request, pk)
        number = query_options(ShiftSerializer, request).get("against")
        return Response(as_json(shift_report(run, run_without_sentence(run, visible_runs(request), number))))
