"""Votes: researchers read all and exclude some, annotators read only their own and without the texts' origin."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.views import APIView

from evenhand.options import options_of
from judging.models import Vote, VoteExclusion
from judging.services.campaigns.vote_exclusions import EXCLUSION_OPTIONS, exclude_rater, restore_votes
from judging.web.api_input import options_in_body, options_in_query, request_of
from judging.web.downloads import vote_file
from judging.web.role_checks import user_of
from judging.web.visible_rows import NamedFilter, dataset_with_changeable_votes, visible_dataset, visible_runs


class VoteExclusionSerializer(serializers.ModelSerializer[VoteExclusion]):
    """An exclusion. campaign: number of the campaign whose votes it holds for; null for all votes on the dataset.

    votes: number of votes that it leaves out now; 0 once it is taken back.
    """

    votes = serializers.IntegerField(source="votes.count")
    excluded_by = serializers.CharField(source="excluded_by.username", default=None, allow_null=True)
    restored_by = serializers.CharField(source="restored_by.username", default=None, allow_null=True)

    class Meta:
        model = VoteExclusion
        fields = [
            *("id", "rater", "campaign", "goes_on", "reason", "votes", "excluded_by", "excluded_at"),
            *("restored_by", "restored_at"),
        ]


NewExclusionSerializer = request_of(EXCLUSION_OPTIONS, name="NewExclusionSerializer")


class DatasetVoteExclusions(APIView):
    @extend_schema(responses=VoteExclusionSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """List the exclusions of votes on a dataset, also those taken back, the latest first."""
        exclusions = visible_dataset(request, pk).vote_exclusions.select_related("excluded_by", "restored_by")
        return Response(VoteExclusionSerializer(exclusions, many=True).data)

    @extend_schema(request=NewExclusionSerializer, responses={201: VoteExclusionSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Leave all votes of a person on a dataset out of figures, also later ones.

        For the dataset's owner and admins; with `campaign` also for its creator.
        """
        visible_dataset(request, pk)
        values = options_in_body(request, EXCLUSION_OPTIONS)
        dataset, campaign = dataset_with_changeable_votes(request, pk, campaign=values.pop("campaign"))
        exclusion = exclude_rater(dataset, campaign, user_of(request), **values)
        return Response(VoteExclusionSerializer(exclusion).data, HTTP_201_CREATED)


class VoteExclusionDetail(APIView):
    @extend_schema(request=None, responses={200: VoteExclusionSerializer})
    def delete(self, request: Request, pk: int) -> Response:
        """Take the votes of an exclusion back into figures. The exclusion stays in the list.

        For the dataset's owner and admins, and for a campaign's creator who made it.
        """
        exclusion = get_object_or_404(VoteExclusion.objects.changeable_by(user_of(request)), pk=pk)
        restore_votes(exclusion, user=user_of(request))
        exclusion.refresh_from_db()
        return Response(VoteExclusionSerializer(exclusion).data)


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
    dataset = NamedFilter("context__dataset")
    attribute = filters.CharFilter("attribute__name")
    context = filters.CharFilter("context__key")
    rater = filters.CharFilter()
    campaign = NamedFilter("assignment__campaign")


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
