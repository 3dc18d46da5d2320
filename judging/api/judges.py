"""Judges and prompts, to choose from."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework import generics, serializers

from judging.api.access import for_researchers
from judging.models import Judge, Prompt


class JudgeSerializer(serializers.ModelSerializer[Judge]):
    class Meta:
        model = Judge
        fields = [
            "id",
            "name",
            "backend",
            "model",
            "revision",
            "dtype",
            "device",
            "price_input",
            "price_output",
            "created_at",
        ]


class PromptSerializer(serializers.ModelSerializer[Prompt]):
    class Meta:
        model = Prompt
        fields = [
            "id",
            "name",
            "version",
            "method",
            "system",
            "template",
            "reasoning_template",
            "answer_prefix",
            "label_first",
            "label_second",
            "source",
        ]


class PromptFilter(filters.FilterSet):
    method = filters.CharFilter()
    name = filters.CharFilter()


class JudgeList(generics.ListAPIView[Judge]):
    serializer_class = JudgeSerializer
    queryset = Judge.objects.all()

    def get_queryset(self) -> QuerySet[Judge]:
        return for_researchers(Judge.objects.all(), self.request)


class JudgeDetail(generics.RetrieveAPIView[Judge]):
    serializer_class = JudgeSerializer
    queryset = Judge.objects.all()

    def get_queryset(self) -> QuerySet[Judge]:
        return for_researchers(Judge.objects.all(), self.request)


class PromptList(generics.ListAPIView[Prompt]):
    serializer_class = PromptSerializer
    filterset_class = PromptFilter
    queryset = Prompt.objects.all()

    def get_queryset(self) -> QuerySet[Prompt]:
        return for_researchers(Prompt.objects.all(), self.request)
