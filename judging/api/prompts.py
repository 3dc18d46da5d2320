"""Prompts: the list, one prompt, and adding one."""

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from evenhand.options import options_of
from evenhand.prompting.templates import PromptText
from judging.models import Prompt
from judging.services.prompts.prompt_library import add_prompt
from judging.web.api_input import options_in_body, request_of
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
