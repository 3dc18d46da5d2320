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
from rankings.compare.all_runs import compare_all
from rankings.compare.two_runs import compare_runs
from rankings.report.api import RunsSerializer, chosen, user_of, visible_run
from rankings.report.schema import CountedFigureSerializer


class AttributeSerializer(serializers.Serializer[Any]):
    attribute = serializers.CharField(default="", help_text="Only this attribute.")


class AgreementSerializer(serializers.Serializer[Any]):
    """An entry for each attribute; docs/agreement.md says what each number is."""

    dataset = serializers.CharField()
    attributes = serializers.ListField(child=serializers.DictField())


class DifferenceSerializer(serializers.Serializer[Any]):
    """One minus other, of a figure. Numbers that do not exist are null, with the reason under `undefined`."""

    figure = serializers.CharField()
    ranking = serializers.CharField(allow_null=True)
    one = serializers.FloatField(allow_null=True)
    other = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True, help_text="From random signs of the contexts' differences.")
    p_value_holm = serializers.FloatField(allow_null=True)
    perm_both = CountedFigureSerializer(help_text="p-value by PERM-BOTH: from swapping candidates' two scores.")
    contexts = serializers.IntegerField()
    undefined = serializers.CharField(required=False)


class DifferencesSerializer(serializers.Serializer[Any]):
    """Two runs on the pairs that both answered, one minus other; docs/agreement.md says what each number is."""

    dataset = serializers.CharField()
    attribute = serializers.CharField()
    one = serializers.DictField()
    other = serializers.DictField()
    comparisons = serializers.IntegerField(help_text="Ordered pairs that both answered.")
    pairs = serializers.IntegerField(help_text="Unordered pairs among them.")
    contexts = serializers.IntegerField(help_text="Contexts with such a pair.")
    percent_agreement = serializers.DictField()
    cohen_kappa = serializers.DictField()
    differences = DifferenceSerializer(many=True)
    mcnemar = serializers.DictField()
    pooled = serializers.ListField(child=serializers.DictField())


class GroupsChoiceSerializer(RunsSerializer):
    attribute = serializers.CharField(default="", help_text="Left out only where the dataset has one, or with `run`.")


class GroupsSerializer(serializers.Serializer[Any]):
    """Every two of some runs, and which cannot be told apart; docs/agreement.md says what each number is."""

    dataset = serializers.CharField()
    attribute = serializers.CharField()
    level = serializers.FloatField(help_text="Of the p-values adjusted by Holm, below which two runs differ.")
    runs = serializers.ListField(child=serializers.DictField())
    left_out = serializers.ListField(child=serializers.DictField())
    figures = serializers.ListField(child=serializers.DictField())


class DatasetAgreement(APIView):
    @extend_schema(parameters=[AttributeSerializer], responses={200: AgreementSerializer, 400: ProblemsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """How far people agree, and each judge with people; of the judges, the runs that one may see."""
        dataset = get_object_or_404(Dataset.objects.visible_to(user_of(request)), pk=pk)
        name = chosen(AttributeSerializer, request)["attribute"]
        attributes = get_attributes(dataset, [name] if name else [])
        runs = Run.objects.visible_to(user_of(request)).filter(dataset=dataset).order_by("pk")
        return Response(agreement_report(dataset, attributes=attributes, runs=runs))


class RunDifferences(APIView):
    @extend_schema(responses={200: DifferencesSerializer, 400: ProblemsSerializer})
    def get(self, request: Request, pk: int, other: int) -> Response:
        """This run and another on the same pairs, with intervals and p-values."""
        return Response(compare_runs(visible_run(request, pk), visible_run(request, other)))


class DatasetGroups(APIView):
    @extend_schema(parameters=[GroupsChoiceSerializer], responses={200: GroupsSerializer, 400: ProblemsSerializer})
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
        return Response(compare_all(list(runs.select_related("dataset", "attribute", "judge", "prompt"))))
