"""The HTTP API of methods paragraphs: the JSON of the command `methods`."""

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import values_for
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Dataset, Run
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import options_in_query, request_of
from judging.web.report_schema import serializer_of
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.citations.methods_text import MethodsText, methods_text
from rankings.report.answer_options import ANSWERS, RANKING_OF_TABLE, chosen_answers
from rankings.report.api import RUNS_OF_DATASET, runs_to_report
from rankings.report.report_rows import report_rows

METHODS_OPTIONS = (*ANSWERS.values(), RANKING_OF_TABLE)


class DatasetMethods(APIView):
    @extend_schema(
        parameters=[request_of([RUNS_OF_DATASET, *METHODS_OPTIONS], name="DatasetMethodsOptions")],
        responses={200: serializer_of(MethodsText), 400: ProblemsSerializer},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return a methods paragraph and BibTeX of the runs of a dataset that you may see."""
        dataset = visible_dataset(request, pk)
        options = options_in_query(request, [RUNS_OF_DATASET, *METHODS_OPTIONS])
        runs = runs_to_report(visible_runs(request).filter(dataset=dataset), options["run"])
        if not runs:
            raise Refused(f"run: there is none of these on {dataset.name} that you may see")
        return methods_response(dataset, runs, options)


class RunMethods(APIView):
    @extend_schema(
        parameters=[request_of(METHODS_OPTIONS, name="RunMethodsOptions")],
        responses={200: serializer_of(MethodsText), 400: ProblemsSerializer},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return a methods paragraph and BibTeX of a run."""
        run = visible_run(request, pk)
        return methods_response(run.dataset, [run], options_in_query(request, METHODS_OPTIONS))


def methods_response(dataset: Dataset, runs: Sequence[Run], options: Mapping[str, Any]) -> Response:
    rows = report_rows(dataset, runs=runs, choice=chosen_answers(**values_for(chosen_answers, options)))
    return Response(as_json(methods_text(dataset, runs, rows, ranking=options["ranking"])))
