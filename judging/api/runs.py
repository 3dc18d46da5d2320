"""Runs: starting, following, cancelling and resuming them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging import tasks
from judging.api.new_runs import NewRunSerializer, asks_for_several, what_is_asked
from judging.api.permissions import ResearchersWrite, user_of
from judging.models import Run
from judging.services.execution.reasoning import evaluation_steps
from judging.services.runs import run_lifecycle as service
from judging.services.runs.progress import Progress
from judging.services.runs.progress import progress as count_progress
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import GivenSerializer


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run. asked: comparisons (or scores) that have a row, whatever became of them, of those planned.

    unparsed, errors: those of them that have no answer.
    hold_out: the share of an adaptive run's comparisons that is drawn at random; null for a run that is not adaptive.
    samples: texts that are sampled for each answer; null where answers are read off by probability, or written once.
    temperature: of everything that the judge writes. metrics: the prompt by which it writes its own metrics for each
    context first; empty without.
    """

    dataset = serializers.CharField(source="dataset.name")
    attribute = serializers.CharField(source="attribute.name")
    judge = serializers.CharField(source="judge.name")
    prompt = serializers.CharField(source="prompt_name")
    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)
    asked = serializers.IntegerField()
    unparsed = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the field, not the errors of validation
    hold_out = serializers.FloatField(allow_null=True)
    samples = serializers.IntegerField(allow_null=True)
    temperature = serializers.FloatField()
    metrics = serializers.CharField(source="criteria_name")

    class Meta:
        model = Run
        fields = [
            "id",
            "dataset",
            "attribute",
            "judge",
            "method",
            "prompt",
            "owner",
            "status",
            "error",
            "is_scoring",
            "selection",
            "budget",
            "context_limit",
            "seed",
            "hold_out",
            "samples",
            "temperature",
            "metrics",
            "planned",
            "asked",
            "unparsed",
            "errors",
            "created_at",
            "started_at",
            "finished_at",
        ]


class ProgressSerializer(serializers.Serializer[Progress]):
    """How far a run is.

    first_error: why the first of the errors has no answer. per_second, seconds_left: null while nobody works on it.
    cost: at most what its endpoint charges for it so far; null where the judge has no prices. stale: no worker has
    taken it up.
    """

    planned = serializers.IntegerField()
    asked = serializers.IntegerField()
    answered = serializers.IntegerField()
    unparsed = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the field, not the errors of validation
    first_error = serializers.CharField()
    reasonings_done = serializers.IntegerField()
    reasonings_planned = serializers.IntegerField()
    per_second = serializers.FloatField(allow_null=True)
    seconds_left = serializers.FloatField(allow_null=True)
    cost = serializers.FloatField(allow_null=True)
    stale = serializers.BooleanField()


class RunDetailSerializer(RunSerializer):
    """A run with everything it asked and what answered.

    steps: what the judge wrote once before it was shown any text, which method geval has it do; null before that, where
    that failed, and for other methods.
    """

    progress = serializers.SerializerMethodField()
    steps = serializers.SerializerMethodField()

    class Meta(RunSerializer.Meta):
        fields = [
            *RunSerializer.Meta.fields,
            "progress",
            "steps",
            "spec",
            "environment",
            "fingerprint",
            "prompt_tokens",
            "computed_tokens",
            "seconds",
        ]

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, run: Run) -> dict[str, Any]:
        return dict(ProgressSerializer(count_progress(run)).data)

    def get_steps(self, run: Run) -> str | None:
        steps = evaluation_steps(run)
        return None if steps is None or steps.error else steps.text


class StartedRunsSerializer(serializers.Serializer[Any]):
    """The runs that lists of attributes or prompts have started: of the first attribute with each prompt first."""

    runs = RunDetailSerializer(many=True)


STARTED = PolymorphicProxySerializer("Started", [RunDetailSerializer, StartedRunsSerializer], None)


class ResumeSerializer(GivenSerializer):
    """errors: whether what ended as an error is asked again too, also of a run that is done."""

    errors = serializers.BooleanField(default=False)  # type: ignore[assignment]  # the field, not those of validation


class RunFilter(filters.FilterSet):
    dataset = filters.CharFilter("dataset__name")
    attribute = filters.CharFilter("attribute__name")
    judge = filters.CharFilter("judge__name")
    method = filters.CharFilter()
    prompt = filters.CharFilter("prompt_name")
    status = filters.ChoiceFilter(choices=Run.Status)


def visible_runs(request: Request) -> QuerySet[Run]:
    runs = Run.objects.visible_to(user_of(request)).with_progress()
    return runs.select_related("dataset", "attribute", "judge", "prompt", "owner")


class RunList(generics.ListAPIView[Run]):
    """One's own runs and those of the command line, the latest first."""

    serializer_class = RunSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    filterset_class = RunFilter
    queryset = Run.objects.all()

    def get_queryset(self) -> QuerySet[Run]:
        return visible_runs(self.request)

    @extend_schema(request=NewRunSerializer, responses={201: STARTED, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Store a run and hand it to the workers; given lists, one for each attribute with each prompt, or none."""
        given = NewRunSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        asked, user = given.validated_data, user_of(request)
        runs = service.create_runs(what_is_asked(asked, user=user), owner=user)
        for run in runs:
            tasks.start_run(run.pk)
        return all_shown(runs, request) if asks_for_several(asked) else shown(runs[0], request, status=201)


def all_shown(runs: Sequence[Run], request: Request) -> Response:
    rows = visible_runs(request).filter(pk__in=[run.pk for run in runs]).order_by("pk")
    return Response(StartedRunsSerializer({"runs": rows}).data, 201)


def shown(run: Run, request: Request, *, status: int = 200) -> Response:
    return Response(RunDetailSerializer(visible_runs(request).get(pk=run.pk)).data, status)


class RunDetail(generics.RetrieveAPIView[Run]):
    serializer_class = RunDetailSerializer
    queryset = Run.objects.all()

    def get_queryset(self) -> QuerySet[Run]:
        return visible_runs(self.request)


class RunCancel(generics.GenericAPIView[Run]):
    queryset = Run.objects.all()

    @extend_schema(request=None, responses={200: RunDetailSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Stop a run; what it has answered stays. A run that has ended stays as it is."""
        run = get_object_or_404(visible_runs(request), pk=pk)
        service.cancel(run)
        return shown(run, request)


class RunResume(generics.GenericAPIView[Run]):
    queryset = Run.objects.all()

    @extend_schema(request=ResumeSerializer, responses={200: RunDetailSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Hand a run to the workers again; only what has no answer is asked, and with `errors` what ended as one."""
        run = get_object_or_404(visible_runs(request), pk=pk)
        asked = ResumeSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        service.resume(run, errors=asked.validated_data["errors"])
        tasks.start_run(run.pk)
        return shown(run, request)
