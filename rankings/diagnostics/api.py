"""Diagnostics over HTTP: what the command `diagnostics` prints."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.models import Run
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.report.api import user_of, visible_run


class DiagnosticsSerializer(serializers.Serializer[Any]):
    """Whether a run can be relied on; docs/diagnostics.md says what each number is."""

    run = serializers.IntegerField()
    judge = serializers.CharField()
    method = serializers.CharField()
    prompt = serializers.CharField()
    attribute = serializers.CharField()
    comparisons = serializers.IntegerField(help_text="With an answer; scores for a run that scores.")
    unparsed = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]
    calibration = serializers.DictField()
    consistency = serializers.DictField()
    reliability = serializers.DictField(child=serializers.DictField(), help_text="By ranking.")
    prediction_powered = serializers.DictField()
    rater_fit = serializers.DictField()


class RunDiagnostics(APIView):
    @extend_schema(responses={200: DiagnosticsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Calibration, consistency, raters' fit, reliability, prediction-powered estimates of the systems.

        In the fit of raters, people stand beside the runs on the same attribute that one may see.
        """
        run = visible_run(request, pk)
        beside = Run.objects.visible_to(user_of(request)).filter(attribute=run.attribute_id).order_by("pk")
        return Response(diagnostics_of(run, beside=beside))
