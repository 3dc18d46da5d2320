"""The HTTP API of repeatability: the JSON of the command `repeatability`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import query_options
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.repeats.repeatability_report import RepeatabilityReport, repeatability_of, repeatability_report
from rankings.report.api import RunsSerializer
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of


class DatasetRepeatability(APIView):
    @extend_schema(parameters=[RunsSerializer], responses=serializer_of(RepeatabilityReport))
    def get(self, request: Request, pk: int) -> Response:
        """Return how repeatable each judge is that was asked the same questions again. `run`: repeats to compare."""
        dataset = visible_dataset(request, pk)
        numbers = query_options(RunsSerializer, request)["run"]
        if numbers:
            return Response(as_json(repeatability_of([visible_run(request, number) for number in numbers])))
        return Response(as_json(repeatability_report(dataset, visible_runs(request).filter(dataset=dataset))))
