"""The HTTP API of juries: the JSON of the command `jury`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.views import APIView

from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import request_of, values_of_body
from judging.web.report_serializers import serializer_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.juries.new_juries import JURY_OPTIONS, jury_settings
from rankings.juries.stored_juries import JuryMember, juries_of, jury_fields, make_jury


class JurySerializer(serializers.Serializer[None]):
    """A jury. partly_answered: comparisons that only some members answered; they are not in the jury."""

    run = serializers.IntegerField()
    judge = serializers.CharField()
    method = serializers.CharField()
    by = serializers.CharField()
    attribute = serializers.CharField()
    comparisons = serializers.IntegerField()
    partly_answered = serializers.IntegerField()
    chosen_on = serializers.CharField(
        allow_null=True, help_text="Part of the contexts on which its weights were learned; null if cross-fitted."
    )
    members = serializer_of(JuryMember)(many=True)


NewJurySerializer = request_of(JURY_OPTIONS, name="NewJurySerializer")


class DatasetJuries(APIView):
    @extend_schema(responses=JurySerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """List the juries of a dataset that you may see, the latest first."""
        runs = visible_runs(request).filter(dataset=visible_dataset(request, pk)).order_by("pk")
        return Response([jury_fields(jury) for jury in juries_of(list(runs))])

    @extend_schema(request=NewJurySerializer, responses={201: JurySerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make a run of method jury from the comparisons that all of these runs answered."""
        dataset, user = visible_dataset(request, pk), user_of(request)
        jury = make_jury(user, **jury_settings(dataset, values_of_body(request.data), user=user))
        return Response(jury_fields(jury), HTTP_201_CREATED)
