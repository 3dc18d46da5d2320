"""Judges: the list, one judge, adding one, renaming and retiring one."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.models import Judge
from judging.services.judges.judge_changes import may_change, rename_judge, retire_judge
from judging.services.judges.judge_setup import add_judge
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer
from judging.web.role_checks import ResearchersWrite, for_researchers, user_of


class JudgeSerializer(serializers.ModelSerializer[Judge]):
    """A judge. retired: it takes no new runs."""

    retired = serializers.BooleanField(source="is_retired")

    class Meta:
        model = Judge
        fields = [
            *("id", "name", "backend", "model", "revision", "dtype", "device", "price_input", "price_output"),
            *("dialect", "forced_choice", "probes", "retired", "created_at"),
        ]


class NewJudgeSerializer(RequestSerializer):
    """A new judge. Endpoints may have the hosts in the setting ENDPOINT_HOSTS."""

    name = serializers.CharField()
    backend = serializers.CharField(help_text="transformers, openai or metric.")
    model = serializers.CharField(help_text="A hub id, a folder of the workers, an endpoint's model, or a metric.")
    revision = serializers.CharField(default="", allow_blank=True)
    dtype = serializers.CharField(default="float32")
    device = serializers.CharField(default="auto")
    base_url = serializers.CharField(default="", allow_blank=True)
    api_key_env = serializers.CharField(
        default="", allow_blank=True, help_text="Variable of the workers that holds the key; ends in _API_KEY."
    )
    dialect = serializers.CharField(
        default="", allow_blank=True, help_text="Names of an endpoint's request fields; empty to recognise them."
    )
    forced_choice = serializers.BooleanField(default=False, help_text="An endpoint allows label words only.")
    price_input = serializers.FloatField(default=None, allow_null=True)
    price_output = serializers.FloatField(default=None, allow_null=True)


class JudgeChangeSerializer(RequestSerializer):
    """The fields of a judge that can change."""

    name = serializers.CharField(required=False)
    retired = serializers.BooleanField(required=False)


class JudgeList(generics.ListAPIView[Judge]):
    serializer_class = JudgeSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = Judge.objects.all()

    def get_queryset(self) -> QuerySet[Judge]:
        return for_researchers(Judge.objects.all(), self.request)

    @extend_schema(request=NewJudgeSerializer, responses={201: JudgeSerializer, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Add a judge. Its model is loaded, or its endpoint asked, for its first run."""
        body = NewJudgeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        judge = add_judge(**body.validated_data, endpoint_hosts=settings.ENDPOINT_HOSTS)
        return Response(JudgeSerializer(judge).data, 201)


class JudgeDetail(generics.RetrieveAPIView[Judge]):
    serializer_class = JudgeSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = Judge.objects.all()

    def get_queryset(self) -> QuerySet[Judge]:
        return for_researchers(Judge.objects.all(), self.request)

    @extend_schema(request=JudgeChangeSerializer, responses={200: JudgeSerializer, 400: ProblemsSerializer})
    @transaction.atomic
    def patch(self, request: Request, pk: int) -> Response:
        """Rename or retire a judge. For admins, and for researchers if nobody else has runs of it."""
        judge = self.get_object()
        if not may_change(judge, user_of(request)):
            raise PermissionDenied("other people have runs of this judge; ask an admin")
        body = JudgeChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        if "name" in body.validated_data:
            rename_judge(judge, body.validated_data["name"])
        if "retired" in body.validated_data:
            retire_judge(judge, retired=body.validated_data["retired"])
        return Response(JudgeSerializer(judge).data)
