"""The HTTP API of style control: the JSON of the command `style`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import query_options
from judging.web.visible_rows import visible_run
from rankings.report.api import OrderSerializer, report_choice_of
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.style.style_report import StyleReport, style_report


class RunStyle(APIView):
    @extend_schema(parameters=[OrderSerializer], responses=serializer_of(StyleReport))
    def get(self, request: Request, pk: int) -> Response:
        """Return the effects of length and Markdown on a run, and its ranking of systems with style held fixed."""
        run = visible_run(request, pk)
        choice = report_choice_of(query_options(OrderSerializer, request))
        return Response(as_json(style_report(run, choice)))
