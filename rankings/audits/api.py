"""The explanations of wrong verdicts over HTTP: what the command `audit` prints."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rankings.audits.audit_report import audit_report
from rankings.report.api import visible_run


class AuditSerializer(serializers.Serializer[Any]):
    """Whether explanations of wrong verdicts name what is wrong; docs/explanations.md says what each number is."""

    run = serializers.IntegerField()
    judge = serializers.CharField()
    method = serializers.CharField()
    prompt = serializers.CharField()
    attribute = serializers.CharField()
    explained = serializers.IntegerField(help_text="Verdicts against people that have an explanation.")
    asked = serializers.IntegerField(help_text="How many of them people are shown.")
    marked = serializers.IntegerField(help_text="How many of them somebody marked.")
    named = serializers.DictField()
    agreement = serializers.DictField()
    krippendorff_alpha = serializers.DictField()
    raters = serializers.ListField(child=serializers.DictField())


class RunAudit(APIView):
    @extend_schema(responses={200: AuditSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """The share of wrong verdicts whose explanation names the true weakness, as people marked it."""
        return Response(audit_report(visible_run(request, pk)))
