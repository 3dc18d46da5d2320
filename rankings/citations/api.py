"""The HTTP API of methods paragraphs: the JSON of the command `methods`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.report_json import as_json
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import query_options
from judging.web.report_serializers import serializer_of
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.citations.methods_text import MethodsText, methods_text
from rankings.report.api import ChoiceSerializer, RunsSerializer, report_choice_of
from rankings.report.report_rows import report_rows


class MethodsSerializer(ChoiceSerializer):
    ranking = serializers.ChoiceField(
        list(RANKING_TITLES), default=DEFAULT_RANKING, help_text="Of the reported correlations."
    )


class MethodsOfRunsSerializer(RunsSerializer, MethodsSerializer):
    """The options of several runs."""


class DatasetMethods(APIView):
    @extend_schema(
        parameters=[MethodsOfRunsSerializer], responses={200: serializer_of(MethodsText), 400: ProblemsSerializer}
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return a methods paragraph and BibTeX of the runs of a dataset that you may see."""
        dataset = visible_dataset(request, pk)
        options = query_options(MethodsOfRunsSerializer, request)
        runs = visible_runs(request).filter(dataset=dataset).order_by("pk")
        chosen = list(runs.filter(pk__in=options["run"]) if options["run"] else runs.ordinary())
        rows = report_rows(dataset, runs=chosen, choice=report_choice_of(options))
        return Response(as_json(methods_text(dataset, chosen, rows, ranking=options["ranking"])))


class RunMethods(APIView):
    @extend_schema(parameters=[MethodsSerializer], responses={200: serializer_of(MethodsText), 400: ProblemsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return a methods paragraph and BibTeX of a run."""
        run = visible_run(request, pk)
        options = query_options(MethodsSerializer, request)
        rows = report_rows(run.dataset, runs=[run], choice=report_choice_of(options))
        return Response(as_json(methods_text(run.dataset, [run], rows, ranking=options["ranking"])))
