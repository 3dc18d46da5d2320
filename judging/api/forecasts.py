"""What runs would ask and cost, found out by a worker before anybody starts them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging import tasks
from judging.api.new_runs import NewRunSerializer, what_is_asked
from judging.api.permissions import ResearchersWrite, user_of
from judging.models import ForecastRequest
from judging.services.forecasts.forecast_requests import PILOT, request_forecast
from judging.services.forecasts.forecast_text import forecast_warnings
from judging.web.api_errors import ProblemsSerializer

MOST_QUESTIONS = 1_000


class NewForecastSerializer(NewRunSerializer):
    """The runs as for POST runs/, none of which is started.

    pilot: so many questions of each are really asked, to tell time and cost; 0 for none.
    """

    pilot = serializers.IntegerField(min_value=0, max_value=MOST_QUESTIONS, default=PILOT)


class ForecastSerializer(serializers.ModelSerializer[ForecastRequest]):
    """A forecast. state: pending, running, done or failed; error: why it failed. stale: no worker has taken it up.

    counted, tried: runs whose tokens are counted, and whose pilot is through. runs: what is known of each, as
    `judge --dry-run --json` has it (docs/runs.md); empty before all are counted; where
    the time was up, of those that were. warnings: why not every question
    would have an answer. Forecasts of a user that are older than the last twenty are deleted.
    """

    dataset = serializers.CharField(source="dataset.name")
    judge = serializers.CharField(source="judge.name")
    state = serializers.SerializerMethodField()
    error = serializers.CharField(source="problem")
    stale = serializers.BooleanField(source="is_stale")
    runs = serializers.ListField(source="rows", child=serializers.DictField())
    warnings = serializers.SerializerMethodField()

    class Meta:
        model = ForecastRequest
        fields = [
            "id",
            "dataset",
            "judge",
            "pilot",
            "state",
            "error",
            "stale",
            "counted",
            "tried",
            "runs",
            "warnings",
            "requested_at",
        ]

    @extend_schema_field(serializers.ChoiceField(ForecastRequest.State.choices))
    def get_state(self, forecast: ForecastRequest) -> str:
        return ForecastRequest.State.FAILED if forecast.problem else forecast.state

    def get_warnings(self, forecast: ForecastRequest) -> list[str]:
        return forecast_warnings(forecast.rows) if forecast.rows else []


class ForecastList(generics.GenericAPIView[ForecastRequest]):
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = ForecastRequest.objects.all()

    @extend_schema(request=NewForecastSerializer, responses={201: ForecastSerializer, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Have a worker find out what runs would ask and cost; GET forecasts/ID/ tells once it has."""
        given = NewForecastSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        asked: dict[str, Any] = given.validated_data
        user = user_of(request)
        forecast = request_forecast(what_is_asked(asked, user=user), user=user, pilot=asked["pilot"])
        tasks.start_forecast(forecast)
        return Response(ForecastSerializer(forecast).data, 201)


class ForecastDetail(generics.RetrieveAPIView[ForecastRequest]):
    """One of one's own forecasts."""

    serializer_class = ForecastSerializer
    queryset = ForecastRequest.objects.all()

    def get_queryset(self) -> QuerySet[ForecastRequest]:
        return ForecastRequest.objects.visible_to(user_of(self.request)).select_related("dataset", "judge")
