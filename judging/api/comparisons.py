"""The answers of a run: its comparisons one by one, and the file with all its answers."""

import math
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from evenhand.csv_text import csv_lines
from evenhand.options import Option
from judging.models import AnswerProblem, Comparison, Outcome, Run
from judging.services.exports.exported_answers import answer_columns, answer_rows
from judging.services.plans.adaptive_pairs import is_held_out
from judging.services.plans.run_plan import CandidatePair
from judging.web.api_files import FilesOrJson
from judging.web.api_input import options_in_query, request_of
from judging.web.downloads import CONTENT_TYPES, attachment, json_lines
from judging.web.visible_rows import visible_run

ZERO_PROBABILITY = "the judge gave the label no probability"


class LogProbability(serializers.FloatField):
    """A log-probability; null for minus infinity, which JSON lacks."""

    def to_representation(self, value: float) -> float | None:  # type: ignore[override]
        return value if math.isfinite(value) else None


class ComparisonSerializer(serializers.ModelSerializer[Comparison]):
    """An ordered pair and its answer.

    held_out: an adaptive run drew the pair at random, before its first answer; false in other runs.
    thinking: the judge's thinking before its answer. p_first_before: p_first without thinking; null if not known.
    problem: kind of an unparsed answer, or of thinking that was cut or empty.
    undefined: reason why a log-probability is null in an answered comparison.
    """

    context = serializers.CharField(source="context.key")  # type: ignore[assignment]  # a field of the row
    first = serializers.CharField(source="first.key")
    second = serializers.CharField(source="second.key")
    held_out = serializers.SerializerMethodField()
    raw_first = LogProbability(allow_null=True)
    raw_second = LogProbability(allow_null=True)
    raw_tie = LogProbability(allow_null=True)
    undefined = serializers.SerializerMethodField()

    class Meta:
        model = Comparison
        fields = [
            *("id", "context", "first", "second", "held_out", "outcome"),
            *("p_first", "choice", "raw_first", "raw_second", "raw_tie", "text", "error"),
            *("thinking", "thinking_tokens", "p_first_before", "problem", "undefined"),
        ]

    def get_held_out(self, comparison: Comparison) -> bool:
        pairs: set[CandidatePair] = self.context["held_out"]  # type: ignore[index]  # set by the view, not a field
        return comparison.candidate_ids in pairs

    def get_undefined(self, comparison: Comparison) -> dict[str, str]:
        raw = {field: getattr(comparison, field) for field in ("raw_first", "raw_second", "raw_tie")}
        return {
            field: ZERO_PROBABILITY for field, value in raw.items() if value is not None and not math.isfinite(value)
        }


class ComparisonFilter(filters.FilterSet):
    outcome = filters.ChoiceFilter(choices=Outcome)
    problem = filters.ChoiceFilter(choices=AnswerProblem)
    context = filters.CharFilter("context__key")
    held_out = filters.ChoiceFilter(choices=[("true", "held out"), ("false", "not held out")], method="filter_held_out")

    def filter_held_out(self, rows: QuerySet[Comparison], name: str, wanted: str) -> QuerySet[Comparison]:
        condition = is_held_out(self.request.parser_context["view"].judged)
        return rows.filter(condition) if wanted == "true" else rows.exclude(condition)


class RunComparisons(generics.ListAPIView[Comparison]):
    serializer_class = ComparisonSerializer
    filterset_class = ComparisonFilter
    queryset = Comparison.objects.all()

    @cached_property
    def judged(self) -> Run:
        return visible_run(self.request, self.kwargs["pk"])

    def get_serializer_context(self) -> dict[str, Any]:
        is_described = getattr(self, "swagger_fake_view", False)  # drf-spectacular asks without a run
        pairs = set() if is_described else self.judged.held_out_pairs()
        return {**super().get_serializer_context(), "held_out": pairs}

    def get_queryset(self) -> QuerySet[Comparison]:
        return self.judged.comparisons.select_related("context", "first", "second").order_by("pk")


ENDING = Option("The ending of the file.", name="file", choices={"csv": "CSV", "jsonl": "JSON Lines"}, default="csv")


class RunDownload(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[request_of([ENDING], name="RunFile")],
        responses={(200, CONTENT_TYPES["csv"]): OpenApiTypes.STR, (200, CONTENT_TYPES["jsonl"]): OpenApiTypes.STR},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Download every answer of a run, also of a scoring run, as the import commands read it."""
        run = visible_run(request, pk)
        rows, ending = answer_rows(run), options_in_query(request, [ENDING])["file"]
        if ending == "jsonl":
            return attachment(json_lines(rows), name=f"run-{run.pk}.jsonl")
        return attachment(csv_lines(rows, columns=answer_columns(run, prompts=False)), name=f"run-{run.pk}.csv")
