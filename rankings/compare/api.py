"""The HTTP API of comparisons of runs: the JSON of the command `compare`."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from evenhand.refusals import Refused
from judging.management.rows_by_name import get_attributes
from judging.web.api_input import query_options
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.compare.all_runs import compare_all
from rankings.compare.comparison_of_runs import AllCompared, RunsCompared
from rankings.compare.long_lines import compared_long_form
from rankings.compare.two_runs import compare_runs
from rankings.report.api import OrderSerializer, RunsSerializer, report_choice_of
from rankings.report.api_files import LongFormSerializer, report_response, responses_of
from rankings.report.report_serializers import serializer_of


class DifferencesSerializer(OrderSerializer, LongFormSerializer):
    """The pairs that are compared, and the form of the response."""


class GroupsChoiceSerializer(DifferencesSerializer, RunsSerializer):
    attribute = serializers.CharField(
        default="", help_text="Required where the dataset has several attributes and `run` is empty."
    )


class RunDifferences(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[DifferencesSerializer], responses=responses_of(serializer_of(RunsCompared)))
    def get(self, request: Request, pk: int, other: int) -> HttpResponseBase:
        """Compare this run with another on the same pairs, with intervals and p-values."""
        runs = visible_run(request, pk), visible_run(request, other)
        options = query_options(DifferencesSerializer, request)
        report = compare_runs(*runs, choice=report_choice_of(options))
        return report_response(report, options, compared_long_form, name=f"runs-{pk}-{other}")


class DatasetGroups(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[GroupsChoiceSerializer], responses=responses_of(serializer_of(AllCompared)))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Compare with each other the runs of an attribute that you may see, or the named ones: at most 60."""
        dataset = visible_dataset(request, pk)
        options = query_options(GroupsChoiceSerializer, request)
        attributes = get_attributes(dataset, [options["attribute"]] if options["attribute"] else [])
        if len(attributes) > 1 and not options["run"]:
            raise Refused(f"attribute: name one of {', '.join(attribute.name for attribute in attributes)}")
        runs = visible_runs(request).filter(attribute__in=attributes)
        runs = runs.filter(pk__in=options["run"]) if options["run"] else runs.ordinary()
        report = compare_all(list(runs), choice=report_choice_of(options))
        return report_response(report, options, compared_long_form, name=f"{dataset.name}-groups")
