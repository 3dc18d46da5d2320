"""The HTTP API of any analysis: the JSON of its command."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import query_parameters
from judging.web.options import request_of, values_sent
from judging.web.visible_rows import visible_run
from rankings.analyses.registry import analysis_of_run
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of


def api_view_of(name: str) -> type[APIView]:
    """Return the API view of an analysis of a run."""
    analysis = analysis_of_run(name)
    described = request_of(analysis.options, name=f"{name.title()}Options")

    class RunAnalysis(APIView):
        @extend_schema(
            parameters=[described], responses=serializer_of(analysis.report), description=f"{analysis.summary}"
        )
        def get(self, request: Request, pk: int) -> Response:
            run = visible_run(request, pk)
            return Response(as_json(analysis.answer(run, values_sent(query_parameters(request)))))

    RunAnalysis.__name__ = f"Run{name.title()}"
    return RunAnalysis
