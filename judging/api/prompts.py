"""Prompts: those there are, and adding one."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.api.permissions import ResearchersWrite, for_researchers, user_of
from judging.models import Prompt
from judging.prompting.methods import PROMPTED
from judging.prompting.templates import PromptText
from judging.services.prompts.prompt_library import add_prompt
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import GivenSerializer

WORDING = (
    "system",
    "template",
    "reasoning_template",
    "answer_prefix",
    "label_first",
    "label_second",
    "label_tie",
    "source",
)


class PromptSerializer(serializers.ModelSerializer[Prompt]):
    """A prompt. owner: who may add versions; null for prompts that come with Evenhand or from the command line."""

    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)

    class Meta:
        model = Prompt
        fields = ["id", "name", "version", "method", *WORDING, "owner", "created_at"]


class Text(serializers.CharField):
    """A text as it is written, spaces at its ends included."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(trim_whitespace=False, **options)


class NewPromptSerializer(GivenSerializer):
    """A prompt to add. version: of a name that is there, the next; a new name begins with 1."""

    name = Text(allow_blank=True)
    version = serializers.IntegerField(min_value=1, default=1)
    method = Text(allow_blank=True, help_text=f"One of: {', '.join(PROMPTED)}.")
    template = Text(allow_blank=True)
    system = Text(default="", allow_blank=True)
    reasoning_template = Text(default="", allow_blank=True)
    answer_prefix = Text(default="", allow_blank=True)
    label_first = Text(default="", allow_blank=True)
    label_second = Text(default="", allow_blank=True)
    label_tie = Text(default="", allow_blank=True)
    source = Text(default="", allow_blank=True)  # type: ignore[assignment]  # a field of the row


class PromptFilter(filters.FilterSet):
    method = filters.CharFilter()
    name = filters.CharFilter()


class PromptList(generics.ListAPIView[Prompt]):
    """Every version of every prompt, by method."""

    serializer_class = PromptSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    filterset_class = PromptFilter
    queryset = Prompt.objects.all()

    def get_queryset(self) -> QuerySet[Prompt]:
        return for_researchers(Prompt.objects.select_related("owner"), self.request)

    @extend_schema(request=NewPromptSerializer, responses={201: PromptSerializer, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Store a prompt, or a new version of one of one's own. It is never changed afterwards."""
        given = NewPromptSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        prompt = add_prompt(PromptText(**given.validated_data), user=user_of(request))
        return Response(PromptSerializer(prompt).data, 201)


class PromptDetail(generics.RetrieveAPIView[Prompt]):
    serializer_class = PromptSerializer
    queryset = Prompt.objects.all()

    def get_queryset(self) -> QuerySet[Prompt]:
        return for_researchers(Prompt.objects.select_related("owner"), self.request)
