"""Votes: researchers read all, annotators only their own and without the texts' origin."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from evenhand.options import options_of
from judging.models import Vote
from judging.web.api_input import options_in_query, request_of
from judging.web.downloads import vote_file
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_dataset, visible_runs

RESEARCHER_FIELDS = ("dataset", "attribute", "context", "first", "second", "rater")


class VoteSerializer(serializers.ModelSerializer[Vote]):
    """A vote. Only researchers see dataset, attribute, context, first, second and rater."""

    dataset = serializers.CharField(source="context.dataset.name", required=False)
    attribute = serializers.CharField(source="attribute.name", required=False)
    context = serializers.CharField(source="context.key", required=False)  # type: ignore[assignment]  # a field of the row
    first = serializers.CharField(source="first.key", required=False)
    second = serializers.CharField(source="second.key", required=False)
    rater = serializers.CharField(required=False)
    assignment = serializers.UUIDField(source="assignment.key", allow_null=True, default=None)

    class Meta:
        model = Vote
        fields = ["id", *RESEARCHER_FIELDS, "choice", "assignment", "seconds", "reading_aids", "voted_at", "changed_at"]

    def to_representation(self, instance: Vote) -> dict[str, Any]:
        fields = super().to_representation(instance)
        if user_of(self.context["request"]).is_researcher:  # type: ignore[index]
            return fields
        return {field: value for field, value in fields.items() if field not in RESEARCHER_FIELDS}


class VoteFilter(filters.FilterSet):
    dataset = filters.CharFilter("context__dataset__name")
    attribute = filters.CharFilter("attribute__name")
    context = filters.CharFilter("context__key")
    rater = filters.CharFilter()
    campaign = filters.CharFilter("assignment__campaign__name")


class VoteList(generics.ListAPIView[Vote]):
    serializer_class = VoteSerializer
    queryset = Vote.objects.all()

    @property
    def filterset_class(self) -> type[VoteFilter] | None:
        """No filters for annotators: matches would reveal fields that they may not see."""
        is_described = getattr(self, "swagger_fake_view", False)
        return VoteFilter if is_described or user_of(self.request).is_researcher else None

    def get_queryset(self) -> QuerySet[Vote]:
        votes = Vote.objects.visible_to(user_of(self.request)).order_by("pk")
        return votes.select_related("context__dataset", "attribute", "first", "second", "assignment")


VOTE_FILE = options_of(vote_file)


class DatasetVotes(APIView):
    @extend_schema(
        parameters=[request_of(VOTE_FILE, name="VoteFile")], responses={(200, "text/csv"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """Return all votes on a dataset as a file, one a row. For researchers."""
        dataset = visible_dataset(request, pk)
        return vote_file(dataset, visible_runs(request), **options_in_query(request, VOTE_FILE))
