"""Prompts: the list, one prompt, adding one, and a prompt filled with texts of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.engine.questions.reply_questions import REPLY_TOKENS
from evenhand.prompting.methods import PROMPTED
from evenhand.prompting.templates import PromptText
from evenhand.prompting.verdicts import LONGEST_REPLY, PLACES
from evenhand.refusals import Refused
from judging.api.new_runs import attributes_named, dataset_named
from judging.models import Prompt
from judging.services.plans.run_spec import prompt_text
from judging.services.prompts.prompt_library import add_prompt, new_prompt_problems
from judging.services.prompts.prompt_preview import criteria_example, prompt_example
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of, query_options
from judging.web.role_checks import ResearchersWrite, for_researchers, user_of


class PromptSerializer(serializers.ModelSerializer[Prompt]):
    """A prompt. owner: the person who may add versions; null for prompts of Evenhand and the command line."""

    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)

    class Meta:
        model = Prompt
        fields = [
            *("id", "name", "version", "method", "system", "template", "reasoning_template", "answer_prefix"),
            *("label_first", "label_second", "label_tie", "verdict", "verdict_place", "reply_tokens"),
            *("source", "owner", "created_at"),
        ]


class VerbatimText(serializers.CharField):
    """A text that keeps its leading and trailing spaces."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(trim_whitespace=False, **options)


class NewPromptSerializer(RequestSerializer):
    """A new prompt. version: 1 for a new name, else the next version of that name."""

    name = VerbatimText(allow_blank=True)
    version = serializers.IntegerField(min_value=1, default=1)
    method = VerbatimText(allow_blank=True, help_text=f"One of: {', '.join(PROMPTED)}.")
    template = VerbatimText(allow_blank=True)
    system = VerbatimText(default="", allow_blank=True)
    reasoning_template = VerbatimText(default="", allow_blank=True)
    answer_prefix = VerbatimText(default="", allow_blank=True)
    label_first = VerbatimText(default="", allow_blank=True)
    label_second = VerbatimText(default="", allow_blank=True)
    label_tie = VerbatimText(default="", allow_blank=True)
    verdict = VerbatimText(
        default="",
        allow_blank=True,
        help_text="Forms of the verdict in a reply, one a line, with <verdict>, <score>, or <score A> and <score B>; "
        "empty if the answer is a label word alone.",
    )
    verdict_place = VerbatimText(default=PLACES[0], help_text=f"One of: {', '.join(PLACES)}.")
    reply_tokens = serializers.IntegerField(default=REPLY_TOKENS, min_value=1, max_value=LONGEST_REPLY)
    source = VerbatimText(default="", allow_blank=True)  # type: ignore[assignment]  # a field of the row


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
        """Add a prompt, or a new version of an own prompt. It never changes afterwards."""
        prompt = add_prompt(PromptText(**body_of(NewPromptSerializer, request)), user=user_of(request))
        return Response(PromptSerializer(prompt).data, 201)


class PromptDetail(generics.RetrieveAPIView[Prompt]):
    serializer_class = PromptSerializer
    queryset = Prompt.objects.all()

    def get_queryset(self) -> QuerySet[Prompt]:
        return for_researchers(Prompt.objects.select_related("owner"), self.request)


class ExampleOfSerializer(RequestSerializer):
    dataset = serializers.CharField(help_text="Its first texts fill the prompt.")
    attribute = serializers.CharField()


class FilledPromptSerializer(serializers.Serializer[Any]):
    """A prompt filled with the first texts of a dataset. The judge's chat format is added around it.

    criteria_request, reasoning_request: asked before the question; empty if the prompt needs none.
    """

    prompt = serializers.CharField()
    criteria_request = serializers.CharField()
    reasoning_request = serializers.CharField()
    system = serializers.CharField()
    question = serializers.CharField()
    answer_prefix = serializers.CharField()
    label_first = serializers.CharField()
    label_second = serializers.CharField()
    verdicts = serializers.DictField(
        child=serializers.CharField(), help_text="What a whole reply may contain: meaning -> text; else empty."
    )


class FilledPrompt(APIView):
    @extend_schema(parameters=[ExampleOfSerializer], responses={200: FilledPromptSerializer, 400: ProblemsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Fill a prompt with the first pair of a dataset, or its first text for a scoring method."""
        prompt = get_object_or_404(for_researchers(Prompt.objects.all(), request), pk=pk)
        return Response(_fill(prompt_text(prompt), query_options(ExampleOfSerializer, request), request))


class NewExampleSerializer(NewPromptSerializer, ExampleOfSerializer):
    """A prompt that is not stored, and the dataset whose texts fill it."""


class FilledNewPrompt(APIView):
    permission_classes = (IsAuthenticated, ResearchersWrite)

    @extend_schema(request=NewExampleSerializer, responses={200: FilledPromptSerializer, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Fill a prompt without storing it, or return its problems, as the form of a new prompt does."""
        fields = body_of(NewExampleSerializer, request)
        place = {name: fields.pop(name) for name in ("dataset", "attribute")}
        prompt = PromptText(**fields)
        if problems := new_prompt_problems(prompt, user=user_of(request)):
            raise Refused(*problems)
        return Response(_fill(prompt, place, request))


def _fill(prompt: PromptText, place: Mapping[str, str], request: Request) -> dict[str, Any]:
    """Return the prompt filled with the first texts of a dataset that the person may see. place: its names."""
    dataset = dataset_named(place["dataset"], user_of(request))
    [attribute] = attributes_named(dataset, [place["attribute"]])
    example = (prompt_example if PROMPTED[prompt.method].asks else criteria_example)(prompt, attribute)
    question = example.question
    texts = {name: getattr(question, name) for name in ("system", "answer_prefix", "label_first", "label_second")}
    requests = {name: getattr(example, name) for name in ("prompt", "criteria_request", "reasoning_request")}
    return requests | texts | {"question": question.text, "verdicts": dict(example.verdicts)}
