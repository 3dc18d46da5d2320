"""The HTTP API of excluded votes."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.views import APIView

from judging.models import VoteExclusion
from judging.services.campaigns.vote_exclusions import EXCLUSION_OPTIONS, exclude_rater, restore_votes
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import options_in_body, request_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import dataset_with_changeable_votes, visible_dataset


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

    @extend_schema(request=NewExclusionSerializer, responses={201: VoteExclusionSerializer, 400: ProblemsSerializer})
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
