"""The HTTP API of any analysis: the JSON of its command."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import query_parameters
from judging.web.options import request_of, values_sent
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.analyses.registry import analysis_named
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of


def api_view_of(name: str) -> type[APIView]:
    """Return the API view of an analysis."""
    analysis = analysis_named(name)
    described = request_of(analysis.options, name=f"{name.title()}Options")
    visible = visible_dataset if analysis.of == "dataset" else visible_run

    class AnalysisView(APIView):
        @extend_schema(parameters=[described], responses=serializer_of(analysis.report), description=analysis.summary)
        def get(self, request: Request, **keys: int) -> Response:
            rows = [visible(request, key) for key in keys.values()]
            values = values_sent(query_parameters(request))
            return Response(as_json(analysis.answer(*rows, values=values, runs=visible_runs(request))))

    AnalysisView.__name__ = f"{analysis.of.title()}{name.title()}"
    return AnalysisView
