"""The HTTP API of stopping when sure: the JSON of the command `stopping`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import query_options
from judging.web.visible_rows import visible_run
from rankings.report.api import LeftOutSerializer, report_choice_of
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.stopping.stopping_report import (
    MOST_STOPPING_DRAWS,
    STOPPING_BOUNDS,
    STOPPING_DRAWS,
    StoppingChoice,
    StoppingReport,
    stopping_report,
)


class StoppingSerializer(LeftOutSerializer):
    bound = serializers.ListField(
        child=serializers.FloatField(), default=list, help_text=f"Default: {', '.join(map(str, STOPPING_BOUNDS))}."
    )
    draws = serializers.IntegerField(min_value=1, max_value=MOST_STOPPING_DRAWS, default=STOPPING_DRAWS)
    seed = serializers.IntegerField(min_value=0, default=0)


class RunStopping(APIView):
    @extend_schema(parameters=[StoppingSerializer], responses=serializer_of(StoppingReport))
    def get(self, request: Request, pk: int) -> Response:
        """Return what stopping when sure would have saved this run, by replays of its answers, or did save."""
        run = visible_run(request, pk)
        options = query_options(StoppingSerializer, request)
        bounds = tuple(options["bound"]) or STOPPING_BOUNDS
        choice = StoppingChoice(bounds, options["draws"], options["seed"], report_choice_of(options))
        return Response(as_json(stopping_report(run, choice)))
