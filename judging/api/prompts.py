"""Prompts: the list, one prompt, adding one, and a prompt filled with texts of a dataset."""

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

from evenhand.options import Option, options_of
from evenhand.prompting.methods import PROMPTED
from evenhand.prompting.templates import PromptText
from evenhand.refusals import raise_if_any
from judging.api.new_runs import attributes_named
from judging.models import Dataset, Prompt
from judging.services.names import named_row
from judging.services.plans.run_spec import prompt_text
from judging.services.prompts.prompt_library import add_prompt, new_prompt_problems
from judging.services.prompts.prompt_preview import criteria_example, prompt_example
from judging.web.api_input import options_in_body, options_in_query, request_of
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


NEW_PROMPT = options_of(PromptText)
NewPromptSerializer = request_of(NEW_PROMPT, name="NewPrompt")
EXAMPLE_OF = (
    Option("Its first texts fill the prompt.", name="dataset"),
    Option("One of the dataset.", name="attribute"),
)


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

    @extend_schema(request=NewPromptSerializer, responses={201: PromptSerializer})
    def post(self, request: Request) -> Response:
        """Add a prompt, or a new version of an own prompt. It never changes afterwards."""
        prompt = add_prompt(PromptText(**options_in_body(request, NEW_PROMPT)), user=user_of(request))
        return Response(PromptSerializer(prompt).data, 201)


class PromptDetail(generics.RetrieveAPIView[Prompt]):
    serializer_class = PromptSerializer
    queryset = Prompt.objects.all()

    def get_queryset(self) -> QuerySet[Prompt]:
        return for_researchers(Prompt.objects.select_related("owner"), self.request)


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
    @extend_schema(parameters=[request_of(EXAMPLE_OF, name="ExampleOf")], responses={200: FilledPromptSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Fill a prompt with the first pair of a dataset, or its first text for a scoring method."""
        prompt = get_object_or_404(for_researchers(Prompt.objects.all(), request), pk=pk)
        return Response(_fill(prompt_text(prompt), options_in_query(request, EXAMPLE_OF), request))


class FilledNewPrompt(APIView):
    permission_classes = (IsAuthenticated, ResearchersWrite)

    @extend_schema(
        request=request_of([*NEW_PROMPT, *EXAMPLE_OF], name="NewExample"), responses={200: FilledPromptSerializer}
    )
    def post(self, request: Request) -> Response:
        """Fill a prompt without storing it, or return its problems, as the form of a new prompt does."""
        fields = options_in_body(request, [*NEW_PROMPT, *EXAMPLE_OF])
        place = {one.name: fields.pop(one.name) for one in EXAMPLE_OF}
        prompt = PromptText(**fields)
        raise_if_any(new_prompt_problems(prompt, user=user_of(request)))
        return Response(_fill(prompt, place, request))


def _fill(prompt: PromptText, place: Mapping[str, str], request: Request) -> dict[str, Any]:
    """Return the prompt filled with the first texts of a dataset that the person may see. place: its names."""
    dataset = named_row(Dataset, place["dataset"], user_of(request))
    [attribute] = attributes_named(dataset, [place["attribute"]])
    example = (prompt_example if PROMPTED[prompt.method].asks else criteria_example)(prompt, attribute)
    question = example.question
    texts = {name: getattr(question, name) for name in ("system", "answer_prefix", "label_first", "label_second")}
    requests = {name: getattr(example, name) for name in ("prompt", "criteria_request", "reasoning_request")}
    return requests | texts | {"question": question.text, "verdicts": dict(example.verdicts)}
