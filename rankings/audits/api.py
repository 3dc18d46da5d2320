"""The HTTP API of audits: the JSON of the command `audit`."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_run
from rankings.audits.audit_report import AuditReport, audit_long_form, audit_report
from rankings.report.api import query_options
from rankings.report.api_files import LongFormSerializer, responses_of
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.tables.long_form import long_attachment


class RunAudit(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[LongFormSerializer], responses=responses_of(serializer_of(AuditReport)))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the share of wrong verdicts whose explanation identifies the flaw, by people's marks."""
        report = audit_report(visible_run(request, pk))
        options = query_options(LongFormSerializer, request)
        if "long" in options:
            return long_attachment(audit_long_form(report), name=f"run-{pk}-audit", ending=options["long"])
        return Response(as_json(report))
