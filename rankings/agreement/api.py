"""The HTTP API of agreement: the JSON of the command `agreement`."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from judging.management.rows_by_name import get_attributes
from judging.web.api_input import query_options
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AgreementReport, agreement_long_form
from rankings.agreement.rater_groups import EVERYONE, RaterGroup
from rankings.report.api import OrderSerializer, SubsetsSerializer, report_choice_of
from rankings.report.api_files import LongFormSerializer, report_response, responses_of
from rankings.report.report_serializers import serializer_of


class AttributeQuerySerializer(OrderSerializer, SubsetsSerializer, LongFormSerializer):
    attribute = serializers.CharField(default="", help_text="Only this attribute.")
    raters = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="NAME=PATTERN,PATTERN: a group of people. Default: everyone in one group.",
    )


class DatasetAgreement(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[AttributeQuerySerializer], responses=responses_of(serializer_of(AgreementReport)))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the agreement of people, and of each judge with people, over the runs that you may see."""
        dataset = visible_dataset(request, pk)
        options = query_options(AttributeQuerySerializer, request)
        attributes = get_attributes(dataset, [options["attribute"]] if options["attribute"] else [])
        runs = visible_runs(request).ordinary().filter(dataset=dataset).order_by("pk")
        choice, groups = report_choice_of(options), tuple(map(RaterGroup.parse, options["raters"])) or EVERYONE
        report = agreement_report(dataset, attributes=attributes, runs=runs, choice=choice, groups=groups)
        return report_response(report, options, agreement_long_form, name=f"{dataset.name}-agreement")
