"""The HTTP API of diagnostics: the JSON of the command `diagnostics`."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from judging.web.api_input import query_options
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_run, visible_runs
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.diagnostics.diagnostics_row import Diagnostics, diagnostics_long_form
from rankings.report.api import LeftOutSerializer, exclusion_in
from rankings.report.api_files import LongFormSerializer, report_response, responses_of
from rankings.report.report_serializers import serializer_of


class DiagnosticsSerializer(LeftOutSerializer, LongFormSerializer):
    """Systems and contexts to leave out, and the form of the response."""


class RunDiagnostics(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[DiagnosticsSerializer], responses=responses_of(serializer_of(Diagnostics)))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return calibration, consistency, raters' fit, reliability, prediction-powered estimates of the systems.

        The fit of raters covers people and the runs on the same attribute that you may see.
        """
        run = visible_run(request, pk)
        options = query_options(DiagnosticsSerializer, request)
        runs = visible_runs(request).ordinary().filter(attribute=run.attribute_id).order_by("pk")
        report = diagnostics_of(run, runs=runs, exclusion=exclusion_in(options))
        return report_response(report, options, diagnostics_long_form, name=f"run-{pk}-diagnostics")
