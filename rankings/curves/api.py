"""The HTTP API of ranking curves: the JSON of the command `curve`."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.numerics import CURVE_MEASURES, CURVE_RANKINGS, CURVE_SELECTIONS, PAIRS_SORT
from judging.web.api_input import query_options
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_run
from rankings.curves.curve_choice import CurveChoice, biases_of
from rankings.curves.curve_long_form import curve_long_form
from rankings.curves.curve_records import CurveReport
from rankings.curves.curve_report import curve_report
from rankings.report.api import OrderSerializer, exclusion_in
from rankings.report.api_files import LongFormSerializer, responses_of
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.tables.long_form import long_attachment

LARGEST_SEED = 2**63 - 1
MOST_DRAWS_OF_REQUEST = 200  # a request waits for the answer; the command draws more


class CurveChoiceSerializer(OrderSerializer, LongFormSerializer):
    ranking = serializers.ListField(
        child=serializers.ChoiceField([*CURVE_RANKINGS, PAIRS_SORT]), default=list, help_text="Default: all but pairs."
    )
    selection = serializers.ListField(
        child=serializers.ChoiceField(CURVE_SELECTIONS), default=list, help_text="Default: random."
    )
    debias = serializers.BooleanField(default=False, help_text="Debias by the threshold or the shifts of the run.")
    both = serializers.BooleanField(default=False, help_text="Raw and debiased.")
    average_orders = serializers.BooleanField(default=False, help_text="Use the mean of both orders of each pair.")
    people = serializers.BooleanField(default=False, help_text="Add curves of human votes, over the same contexts.")
    measure = serializers.ChoiceField(list(CURVE_MEASURES), default="spearman")
    draws = serializers.IntegerField(min_value=1, max_value=MOST_DRAWS_OF_REQUEST, default=50)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=0)


class RunCurve(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[CurveChoiceSerializer], responses=responses_of(serializer_of(CurveReport)))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return agreement with people against the number of comparisons."""
        run = visible_run(request, pk)
        options = query_options(CurveChoiceSerializer, request)
        rankings, selections = tuple(options.pop("ranking")), tuple(options.pop("selection"))
        biases = biases_of(**{name: options.pop(name) for name in ("debias", "both", "average_orders")})
        ending, exclusion = options.pop("long", None), exclusion_in(options)
        choice = CurveChoice(rankings, selections, biases, exclusion=exclusion, **options)
        report = curve_report(run, choice)
        if ending:
            return long_attachment(curve_long_form(run, report), name=f"run-{pk}-curve", ending=ending)
        return Response(as_json(report))
