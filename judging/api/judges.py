"""Judges: the list, one judge, adding one, renaming and retiring one."""

from dataclasses import replace

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option, options_of
from evenhand.refusals import Refused, raise_if_any
from evenhand.report_json import as_json
from judging.api.new_runs import attributes_named
from judging.models import Dataset, Judge
from judging.services.judges.endpoint_limits import host_problems
from judging.services.judges.judge_changes import may_change, rename_judge, retire_judge
from judging.services.judges.judge_setup import JUDGE_OPTIONS
from judging.services.names import named_row
from judging.services.runs.judge_trial import TRIAL_OPTIONS, PairTrial, trial_settings, try_judge
from judging.web.api_input import options_in_body, request_of, sent_changes, values_of_body
from judging.web.operations.new_judges import add_judge_of
from judging.web.report_schema import serializer_of
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


JUDGE_TRIAL = (Option(name="dataset"), Option(name="attribute"), *TRIAL_OPTIONS)
JudgeTrialSerializer = request_of(JUDGE_TRIAL, name="JudgeTrialSerializer")


class JudgeTry(APIView):
    """Ask an endpoint about one pair, in both orders."""

    permission_classes = (IsAuthenticated, ResearchersWrite)
    refused = "nothing was asked"

    @extend_schema(request=JudgeTrialSerializer, responses={200: serializer_of(PairTrial)})
    def post(self, request: Request, pk: int) -> Response:
        """Ask an endpoint about the first two candidates of a context. Its host must be in ENDPOINT_HOSTS."""
        judge = get_object_or_404(Judge.objects.visible_to(user_of(request)), pk=pk)
        asked = options_in_body(request, JUDGE_TRIAL)
        dataset = named_row(Dataset, asked["dataset"], user_of(request))
        (attribute,) = attributes_named(dataset, [asked["attribute"]])
        settings = trial_settings(asked)
        _require_endpoint(judge)
        return Response(as_json(try_judge(judge, attribute=attribute, **settings)))


def _require_endpoint(judge: Judge) -> None:
    """Raise Refused for a judge that needs a worker, or whose host the API may not use."""
    if not judge.is_endpoint:
        raise Refused(f'judge: "{judge.name}" is no endpoint; use the command try_judge')
    raise_if_any(host_problems(judge.base_url, settings.ENDPOINT_HOSTS, key=judge.api_key_env))


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
