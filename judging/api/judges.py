"""Judges: the list, one judge, adding one, renaming and retiring one."""

from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from evenhand.options import options_of
from judging.models import Judge
from judging.services.judges.judge_changes import may_change, rename_judge, retire_judge
from judging.services.judges.judge_setup import JUDGE_OPTIONS
from judging.web.api_input import request_of, sent_changes, values_of_body
from judging.web.operations.new_judges import add_judge_of
from judging.web.role_checks import ResearchersWrite, user_of


class JudgeSerializer(serializers.ModelSerializer[Judge]):
    """A judge. owner: who added it; null for recorded judges, juries, Evenhand and the command line.

    retired: it takes no new runs.
    """

    owner = serializers.CharField(source="added_by.username", default=None, allow_null=True)
    retired = serializers.BooleanField(source="is_retired")

    class Meta:
        model = Judge
        fields = [
            *("id", "name", "backend", "model", "revision", "dtype", "device", "price_input", "price_output"),
            *("dialect", "ask_by", "probes", "owner", "retired", "created_at"),
        ]


NewJudgeSerializer = request_of(JUDGE_OPTIONS, name="NewJudgeSerializer")


CHANGES = (*options_of(rename_judge), *options_of(retire_judge))
JudgeChangeSerializer = request_of((replace(one, default=None) for one in CHANGES), name="JudgeChangeSerializer")


class JudgeRows(generics.GenericAPIView[Judge]):
    serializer_class = JudgeSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = Judge.objects.all()

    def get_queryset(self) -> QuerySet[Judge]:
        return Judge.objects.visible_to(user_of(self.request)).select_related("owner")


class JudgeList(JudgeRows, generics.ListAPIView[Judge]):
    @extend_schema(request=NewJudgeSerializer, responses={201: JudgeSerializer})
    def post(self, request: Request) -> Response:
        """Add a judge. Its model is loaded, or its endpoint asked, for its first run."""
        judge = add_judge_of(user_of(request), values_of_body(request.data))
        return Response(JudgeSerializer(judge).data, 201)


class JudgeDetail(JudgeRows, generics.RetrieveAPIView[Judge]):
    @extend_schema(request=JudgeChangeSerializer, responses={200: JudgeSerializer})
    @transaction.atomic
    def patch(self, request: Request, pk: int) -> Response:
        """Rename or retire a judge. For admins, and for the person who added it if nobody else has runs of it."""
        judge = self.get_object()
        if not may_change(judge, user_of(request)):
            raise PermissionDenied("somebody else added this judge, or has runs of it; ask an admin")
        values = sent_changes(request, rename_judge, retire_judge)
        if "name" in values:
            rename_judge(judge, name=values["name"] or "")
        if values.get("retired") is not None:
            retire_judge(judge, retired=values["retired"])
        return Response(JudgeSerializer(judge).data)
