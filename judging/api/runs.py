"""Runs: starting, progress, cancelling and resuming."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django_filters import rest_framework as filters
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.engine import Thinking
from evenhand.options import options_of
from evenhand.report_json import as_json
from judging import tasks
from judging.api.new_runs import NEW_RUN_OPTIONS, NewRunSerializer, has_lists, requested_runs
from judging.models import EndpointBatch, Run, RunEvent
from judging.services.execution.reasoning import evaluation_steps
from judging.services.plans.added_sentences import choose_sentence
from judging.services.runs import run_lifecycle as service
from judging.services.runs.progress import Progress
from judging.services.runs.progress import progress as count_progress
from judging.services.runs.run_estimates import dry_run
from judging.services.runs.run_request import robustness_request
from judging.web.api_input import options_in_body, request_of, sent_options
from judging.web.limits.idempotency import IDEMPOTENCY_KEY, once_per_key
from judging.web.report_schema import serializer_of
from judging.web.role_checks import ResearchersWrite, user_of
from judging.web.visible_rows import NamedFilter, visible_run, visible_runs
from judging.web.watching.workers import WorkersReport, workers_report


class ThinkingSerializer(serializers.Serializer[Thinking]):
    """Settings of a judge's thinking. reads_cut: answers after cut or empty thinking are read, not unparsed."""

    tokens = serializers.IntegerField()
    effort = serializers.CharField()
    reads_cut = serializers.BooleanField()


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run. planned: number of comparisons or scores. asked: those with any outcome so far.

    warning: how many prompts are longer than the judge takes, counted at the start; empty for none.
    unparsed, errors: asked, but without an answer.
    comparisons: number of each context; null for every pair. contexts: only the first ones; null for all.
    without_system, without_context: systems and contexts that are left out.
    hold_out: share of random pairs kept for evaluation; null if the run is not adaptive.
    bound: expected share of reordered pairs at which selection until-sure stops; null for other selections.
    anchor: the system with which selection anchor compares each text; empty for other selections.
    samples: number of texts sampled per answer; null if probabilities are read, or one text is generated.
    temperature: sampling temperature of all generated text.
    thinking: settings of the judge's thinking; null if it answers without.
    metrics: prompt for self-generated criteria; empty for none.
    added_sentence: name of the sentence that a robustness run adds to one candidate of each pair; empty for none.
    """

    dataset = serializers.CharField(source="dataset.name")
    attribute = serializers.CharField(source="attribute.name")
    judge = serializers.CharField(source="judge.name")
    prompt = serializers.CharField(source="prompt_name")
    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)
    asked = serializers.IntegerField()
    unparsed = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the field, not the errors of validation
    comparisons = serializers.IntegerField(source="comparisons_per_context", allow_null=True)
    contexts = serializers.IntegerField(allow_null=True)
    without_system = serializers.ListField(child=serializers.CharField(), source="exclusion.systems")
    without_context = serializers.ListField(child=serializers.CharField(), source="exclusion.contexts")
    hold_out = serializers.FloatField(allow_null=True)
    bound = serializers.FloatField(allow_null=True)
    anchor = serializers.CharField()
    samples = serializers.IntegerField(allow_null=True)
    temperature = serializers.FloatField()
    thinking = ThinkingSerializer(allow_null=True)
    metrics = serializers.CharField(source="criteria_name")

    class Meta:
        model = Run
        fields = [
            *("id", "dataset", "attribute", "judge", "method", "prompt", "owner", "status", "error"),
            *("warning", "is_scoring", "selection", "comparisons", "contexts", "without_system"),
            *("without_context", "seed", "hold_out", "bound", "anchor", "samples", "temperature", "thinking"),
            *("metrics", "added_sentence", "in_batches", "planned", "asked", "unparsed", "errors"),
            *("created_at", "started_at", "finished_at"),
        ]


class EndpointBatchSerializer(serializers.ModelSerializer[EndpointBatch]):
    """A batch of a run at its endpoint. status: as the endpoint calls it."""

    class Meta:
        model = EndpointBatch
        fields = ["batch_id", "status", "requests", "completed", "failed", "created_at", "polled_at"]


class RunEventSerializer(serializers.ModelSerializer[RunEvent]):
    """An event of a run's log."""

    class Meta:
        model = RunEvent
        fields = ["kind", "detail", "at"]


class ProgressSerializer(serializer_of(Progress)):  # type: ignore[misc]
    events = RunEventSerializer(many=True)
    batches = EndpointBatchSerializer(many=True)


class RunDetailSerializer(RunSerializer):
    """A run with its specification and environment.

    steps: evaluation steps that the judge wrote before it saw any text, in method geval; null before they are written,
    after a failure, and for other methods.
    """

    progress = serializers.SerializerMethodField()
    steps = serializers.SerializerMethodField()

    class Meta(RunSerializer.Meta):
        fields = [
            *RunSerializer.Meta.fields,
            *("progress", "steps", "spec", "environment", "fingerprint", "prompt_tokens", "computed_tokens"),
            *("seconds", "texts_removed", "texts_removed_after"),
        ]

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, run: Run) -> dict[str, Any]:
        return dict(ProgressSerializer(count_progress(run)).data)

    def get_steps(self, run: Run) -> str | None:
        steps = evaluation_steps(run)
        return None if steps is None or steps.error else steps.text


class StartedRunsSerializer(serializers.Serializer[Any]):
    """Runs started by lists of attributes or prompts: first those of the first attribute, in the order of prompts."""

    runs = RunDetailSerializer(many=True)


STARTED = PolymorphicProxySerializer("Started", [RunDetailSerializer, StartedRunsSerializer], None)


ResumeSerializer = request_of(options_of(service.resume), name="ResumeSerializer")
"""Answers to ask again, also in a finished run."""


class Workers(APIView):
    @extend_schema(responses={200: serializer_of(WorkersReport)})
    def get(self, request: Request) -> Response:
        """Return what waits in the queues, and what each worker does. Runs that nobody works on come first."""
        if not user_of(request).is_researcher:
            raise Http404
        return Response(as_json(workers_report(user_of(request))))


class RunFilter(filters.FilterSet):
    dataset = NamedFilter("dataset")
    attribute = filters.CharFilter("attribute__name")
    judge = NamedFilter("judge")
    method = filters.CharFilter()
    prompt = filters.CharFilter("prompt_name")
    status = filters.ChoiceFilter(choices=Run.Status)


class DryRunSerializer(serializers.Serializer[Any]):
    """The questions, time, tokens and cost of runs, each as in `judge --dry-run --json`."""

    runs = serializers.ListField(child=serializers.DictField())


class RunRows(generics.GenericAPIView[Run]):
    queryset = Run.objects.all()

    def get_queryset(self) -> QuerySet[Run]:
        return visible_runs(self.request).with_progress()


class RunList(RunRows, generics.ListAPIView[Run]):
    """The user's own runs and those of the command line, the latest first."""

    serializer_class = RunSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    filterset_class = RunFilter

    @extend_schema(
        parameters=[IDEMPOTENCY_KEY], request=NewRunSerializer, responses={200: DryRunSerializer, 201: STARTED}
    )
    @once_per_key
    def post(self, request: Request) -> Response:
        """Start a run. With lists, start one run for each attribute and prompt, or none."""
        settings, user = options_in_body(request, NEW_RUN_OPTIONS), user_of(request)
        is_dry_run = settings.pop("dry_run")
        requested = requested_runs(user, **settings)
        if is_dry_run:
            rows = dry_run(requested, known=visible_runs(request), owner_id=request.user.pk)
            return Response(DryRunSerializer({"runs": rows}).data)
        runs = service.create_runs(requested, owner=user)
        for run in runs:
            tasks.start_run(run.pk)
        return runs_response(runs, request) if has_lists(settings) else run_response(runs[0], request, status=201)


def runs_response(runs: Sequence[Run], request: Request) -> Response:
    rows = visible_runs(request).with_progress().filter(pk__in=[run.pk for run in runs]).order_by("pk")
    return Response(StartedRunsSerializer({"runs": rows}).data, 201)


def run_response(run: Run, request: Request, *, status: int = 200) -> Response:
    return Response(RunDetailSerializer(visible_runs(request).with_progress().get(pk=run.pk)).data, status)


class RunDetail(RunRows, generics.RetrieveAPIView[Run]):
    serializer_class = RunDetailSerializer


class RunCancel(RunRows):
    @extend_schema(request=None, responses={200: RunDetailSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel a run. Its answers stay. A run that has ended does not change."""
        run = visible_run(request, pk)
        service.cancel(run)
        return run_response(run, request)


SentenceSerializer = request_of(options_of(choose_sentence), name="SentenceSerializer")


class RunWithSentence(RunRows):
    @extend_schema(parameters=[IDEMPOTENCY_KEY], request=SentenceSerializer, responses={201: RunDetailSerializer})
    @once_per_key
    def post(self, request: Request, pk: int) -> Response:
        """Start a run like this one with a sentence added to one candidate of each pair."""
        run = visible_run(request, pk)
        sentence = choose_sentence(run.dataset, **sent_options(request, choose_sentence))
        [started] = service.create_runs([robustness_request(run, sentence)], owner=user_of(request))
        tasks.start_run(started.pk)
        return run_response(started, request, status=201)


class RunResume(RunRows):
    @extend_schema(request=ResumeSerializer, responses={200: RunDetailSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Resume a run: ask its unanswered questions, and the answers that the request names again."""
        run = visible_run(request, pk)
        service.resume(run, **sent_options(request, service.resume))
        tasks.start_run(run.pk)
        return run_response(run, request)
