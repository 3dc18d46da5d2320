"""Agreement over HTTP: what the commands `agreement` and `compare` print."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.exceptions import Refused
from judging.management.rows_by_name import get_attributes
from judging.models import Dataset, Run
from judging.web.api_errors import ProblemsSerializer
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AgreementReport
from rankings.compare.all_runs import compare_all
from rankings.compare.comparison_of_runs import AllCompared, RunsCompared
from rankings.compare.two_runs import compare_runs
from rankings.report.api import RunsSerializer, chosen, user_of, visible_run
from rankings.report.report_json import as_json
from rankings.report.schema import serializer_of


class AttributeSerializer(serializers.Serializer[Any]):
    attribute = serializers.CharField(default="", help_text="Only this attribute.")


class GroupsChoiceSerializer(RunsSerializer):
    attribute = serializers.CharField(default="", help_text="Left out only where the dataset has one, or with `run`.")


class DatasetAgreement(APIView):
    @extend_schema(
        parameters=[AttributeSerializer], responses={200: serializer_of(AgreementReport), 400: ProblemsSerializer}
    )
    def get(self, request: Request, pk: int) -> Response:
        """How far people agree, and each judge with people; of the judges, the runs that one may see."""
        dataset = get_object_or_404(Dataset.objects.visible_to(user_of(request)), pk=pk)
        name = chosen(AttributeSerializer, request)["attribute"]
        attributes = get_attributes(dataset, [name] if name else [])
        runs = Run.objects.visible_to(user_of(request)).filter(dataset=dataset).order_by("pk")
        return Response(as_json(agreement_report(dataset, attributes=attributes, runs=runs)))


class RunDifferences(APIView):
    @extend_schema(responses={200: serializer_of(RunsCompared), 400: ProblemsSerializer})
    def get(self, request: Request, pk: int, other: int) -> Response:
        """This run and another on the same pairs, with intervals and p-values."""
        return Response(as_json(compare_runs(visible_run(request, pk), visible_run(request, other))))


class DatasetGroups(APIView):
    @extend_schema(
        parameters=[GroupsChoiceSerializer], responses={200: serializer_of(AllCompared), 400: ProblemsSerializer}
    )
    def get(self, request: Request, pk: int) -> Response:
        """The runs of an attribute that one may see, or some of them, all with all: at most 20."""
        dataset = get_object_or_404(Dataset.objects.visible_to(user_of(request)), pk=pk)
        asked = chosen(GroupsChoiceSerializer, request)
        attributes = get_attributes(dataset, [asked["attribute"]] if asked["attribute"] else [])
        if len(attributes) > 1 and not asked["run"]:
            raise Refused(f"attribute: name one of {', '.join(attribute.name for attribute in attributes)}")
        runs = Run.objects.visible_to(user_of(request)).filter(attribute__in=attributes)
        if asked["run"]:
            runs = runs.filter(pk__in=asked["run"])
        return Response(as_json(compare_all(list(runs.select_related("dataset", "attribute", "judge", "prompt")))))
