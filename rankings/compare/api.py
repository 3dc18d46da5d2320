"""The HTTP API of comparisons of runs: the JSON of the command `compare`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.exceptions import Refused
from judging.management.rows_by_name import get_attributes
from judging.web.api_errors import ProblemsSerializer
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.compare.all_runs import compare_all
from rankings.compare.comparison_of_runs import AllCompared, RunsCompared
from rankings.compare.two_runs import compare_runs
from rankings.report.api import OrderSerializer, RunsSerializer, query_options
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of


class GroupsChoiceSerializer(OrderSerializer, RunsSerializer):
    attribute = serializers.CharField(
        default="", help_text="Required where the dataset has several attributes and `run` is empty."
    )


class RunDifferences(APIView):
    @extend_schema(parameters=[OrderSerializer], responses={200: serializer_of(RunsCompared), 400: ProblemsSerializer})
    def get(self, request: Request, pk: int, other: int) -> Response:
        """Compare this run with another on the same pairs, with intervals and p-values."""
        runs = visible_run(request, pk), visible_run(request, other)
        return Response(as_json(compare_runs(*runs, order=query_options(OrderSerializer, request)["order"])))


class DatasetGroups(APIView):
    @extend_schema(
        parameters=[GroupsChoiceSerializer], responses={200: serializer_of(AllCompared), 400: ProblemsSerializer}
    )
    def get(self, request: Request, pk: int) -> Response:
        """Compare with each other the runs of an attribute that you may see, or the named ones: at most 20."""
        dataset = visible_dataset(request, pk)
        options = query_options(GroupsChoiceSerializer, request)
        attributes = get_attributes(dataset, [options["attribute"]] if options["attribute"] else [])
        if len(attributes) > 1 and not options["run"]:
            raise Refused(f"attribute: name one of {', '.join(attribute.name for attribute in attributes)}")
        runs = visible_runs(request).filter(attribute__in=attributes)
        if options["run"]:
            runs = runs.filter(pk__in=options["run"])
        return Response(as_json(compare_all(list(runs), order=options["order"])))
