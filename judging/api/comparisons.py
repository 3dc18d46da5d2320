"""What a judge answered, question by question."""

from __future__ import annotations

import math

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field
from rest_framework import generics, serializers

from judging.api.runs import visible_runs
from judging.models import Comparison, Outcome

NOT_GIVEN = "the judge gave the label no probability"
WHY_BY_FIELD = {"type": "object", "additionalProperties": {"type": "string"}}


class LogProbability(serializers.FloatField):
    """Null for minus infinity, which JSON does not have."""

    def to_representation(self, value: float) -> float | None:  # type: ignore[override]
        return value if math.isfinite(value) else None


class ComparisonSerializer(serializers.ModelSerializer[Comparison]):
    """An ordered pair and its answer. undefined: why a log-probability is null though there is an answer."""

    context = serializers.CharField(source="context.key")  # type: ignore[assignment]  # a field of the row
    first = serializers.CharField(source="first.key")
    second = serializers.CharField(source="second.key")
    raw_first = LogProbability(allow_null=True)
    raw_second = LogProbability(allow_null=True)
    undefined = serializers.SerializerMethodField()

    class Meta:
        model = Comparison
        fields = [
            "id",
            "context",
            "first",
            "second",
            "outcome",
            "p_first",
            "choice",
            "raw_first",
            "raw_second",
            "text",
            "error",
            "undefined",
        ]

    @extend_schema_field(WHY_BY_FIELD)
    def get_undefined(self, comparison: Comparison) -> dict[str, str]:
        raw = {"raw_first": comparison.raw_first, "raw_second": comparison.raw_second}
        return {field: NOT_GIVEN for field, value in raw.items() if value is not None and not math.isfinite(value)}


class ComparisonFilter(filters.FilterSet):
    outcome = filters.ChoiceFilter(choices=Outcome)
    context = filters.CharFilter("context__key")


class RunComparisons(generics.ListAPIView[Comparison]):
    serializer_class = ComparisonSerializer
    filterset_class = ComparisonFilter
    queryset = Comparison.objects.all()

    def get_queryset(self) -> QuerySet[Comparison]:
        run = get_object_or_404(visible_runs(self.request), pk=self.kwargs["pk"])
        return run.comparisons.select_related("context", "first", "second").order_by("pk")
