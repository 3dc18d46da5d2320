"""Forecasts: tokens, time and cost of runs before they start, estimated by a worker."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging import tasks
from judging.api.new_runs import NewRunSerializer, requested_runs
from judging.models import ForecastRequest
from judging.services.forecasts.forecast_requests import PILOT, request_forecast
from judging.services.forecasts.forecast_text import forecast_warnings
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import body_of
from judging.web.role_checks import ResearchersWrite, user_of

MOST_QUESTIONS = 1_000


class NewForecastSerializer(NewRunSerializer):
    """The runs as for POST runs/. None of them is started.

    pilot: number of questions of each run that are really asked, to estimate time and cost; 0 for none.
    """

    pilot = serializers.IntegerField(min_value=0, max_value=MOST_QUESTIONS, default=PILOT)


class ForecastSerializer(serializers.ModelSerializer[ForecastRequest]):
    """A forecast. state: pending, running, done or failed. error: why it failed. stale: no worker has started it.

    counted, tried: numbers of runs with counted tokens and with a finished pilot. runs: the estimate of each run, as
    in `judge --dry-run --json` (docs/explanation/runs.md); empty until all are counted; after a timeout, only the
    counted runs.
    warnings: reasons why some questions would have no answer. Only a user's last 500 forecasts are kept.
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
            *("id", "dataset", "judge", "pilot", "state", "error", "stale"),
            *("counted", "tried", "runs", "warnings", "requested_at"),
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
        """Let a worker estimate tokens, time and cost of runs. GET forecasts/ID/ shows the result."""
        settings = body_of(NewForecastSerializer, request)
        user = user_of(request)
        forecast = request_forecast(requested_runs(settings, user=user), user=user, pilot=settings["pilot"])
        tasks.start_forecast(forecast)
        return Response(ForecastSerializer(forecast).data, 201)


class ForecastDetail(generics.RetrieveAPIView[ForecastRequest]):
    """One of the user's own forecasts."""

    serializer_class = ForecastSerializer
    queryset = ForecastRequest.objects.all()

    def get_queryset(self) -> QuerySet[ForecastRequest]:
        return ForecastRequest.objects.visible_to(user_of(self.request)).select_related("dataset", "judge")
