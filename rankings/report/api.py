"""Figures over HTTP: what the commands `report`, `scores` and `curve` print."""

from __future__ import annotations

from typing import Any, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.models import Dataset, Run, User
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import GivenSerializer, asked_in_address
from rankings.curves.curve_report import CurveChoice, CurveReport, biases_of, curve_report
from rankings.numerics import CURVE_MEASURES, CURVE_RANKINGS, CURVE_SELECTIONS, PAIRS_SORT, RANKINGS
from rankings.report.report_json import as_json
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import ScoreRow, report_rows, scores_of
from rankings.report.run_figures import SCORE
from rankings.report.schema import serializer_of

LARGEST_SEED = 2**63 - 1
MOST_DRAWS = 200  # somebody waits for the answer; the command draws more


class ReportSerializer(serializers.Serializer[Any]):
    """One row per run and subset; docs/report.md says what each figure is."""

    rows = serializer_of(ReportRow)(many=True)


class ScoresSerializer(serializers.Serializer[Any]):
    """One row per candidate; docs/report.md says what each number is."""

    scores = serializer_of(ScoreRow)(many=True)


class RunsSerializer(GivenSerializer):
    run = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_SEED), default=list, help_text="Only these runs."
    )


class RankingSerializer(GivenSerializer):
    ranking = serializers.ChoiceField([*RANKINGS, SCORE])
    debias = serializers.BooleanField(default=False, help_text="With the position bias of the run taken out.")
    average_orders = serializers.BooleanField(default=False, help_text="Of both orders of each pair, the mean.")


class CurveChoiceSerializer(GivenSerializer):
    ranking = serializers.ListField(
        child=serializers.ChoiceField([*CURVE_RANKINGS, PAIRS_SORT]), default=list, help_text="Else all but pairs."
    )
    selection = serializers.ListField(
        child=serializers.ChoiceField(CURVE_SELECTIONS), default=list, help_text="Else random."
    )
    debias = serializers.BooleanField(default=False, help_text="With the position bias of the run taken out.")
    both = serializers.BooleanField(default=False, help_text="Raw and debiased.")
    average_orders = serializers.BooleanField(default=False, help_text="Of the mean of both orders of each pair.")
    people = serializers.BooleanField(default=False, help_text="Curves of people's votes too, over the same contexts.")
    measure = serializers.ChoiceField(list(CURVE_MEASURES), default="spearman")
    draws = serializers.IntegerField(min_value=1, max_value=MOST_DRAWS, default=50)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=0)


def user_of(request: Request) -> User:
    return cast(User, request.user)


def visible_run(request: Request, pk: int) -> Run:
    runs = Run.objects.visible_to(user_of(request)).select_related("dataset", "attribute", "judge")
    return get_object_or_404(runs, pk=pk)


def chosen(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """What the address asks for. Raises ValidationError."""
    asked = serializer(data=asked_in_address(request))
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


class DatasetReport(APIView):
    @extend_schema(parameters=[RunsSerializer], responses={200: ReportSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """The report of the runs of a dataset that one may see."""
        dataset = get_object_or_404(Dataset.objects.visible_to(user_of(request)), pk=pk)
        runs = Run.objects.visible_to(user_of(request)).filter(dataset=dataset).order_by("pk")
        if wanted := chosen(RunsSerializer, request)["run"]:
            runs = runs.filter(pk__in=wanted)
        return Response({"rows": as_json(report_rows(dataset, runs=runs))})


class RunReport(APIView):
    @extend_schema(responses={200: ReportSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """The report of one run: `all`, then its subsets."""
        run = visible_run(request, pk)
        return Response({"rows": as_json(report_rows(run.dataset, runs=[run]))})


class RunScores(APIView):
    @extend_schema(parameters=[RankingSerializer], responses={200: ScoresSerializer, 400: ProblemsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """A score for every candidate, by one ranking."""
        run = visible_run(request, pk)
        return Response({"scores": as_json(scores_of(run, **chosen(RankingSerializer, request)))})


class RunCurve(APIView):
    @extend_schema(
        parameters=[CurveChoiceSerializer], responses={200: serializer_of(CurveReport), 400: ProblemsSerializer}
    )
    def get(self, request: Request, pk: int) -> Response:
        """Agreement with people against the number of comparisons."""
        run = visible_run(request, pk)
        asked = chosen(CurveChoiceSerializer, request)
        rankings, selections = tuple(asked.pop("ranking")), tuple(asked.pop("selection"))
        biases = biases_of(**{name: asked.pop(name) for name in ("debias", "both", "average_orders")})
        return Response(as_json(curve_report(run, CurveChoice(rankings, selections, biases, **asked))))
