"""The HTTP API of frozen reports."""

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.views import APIView

from evenhand.options import Option
from judging.models import FrozenReport
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of, options_in_body, request_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.frozen.report_content import MOST_CHARTS, MOST_TABLES, table_choice
from rankings.frozen.report_file import data_in, freeze_study, reopen, withdraw
from rankings.studies.charts.chart_request import CHART_TABS, ChartQuery


class FrozenReportSerializer(serializers.ModelSerializer[FrozenReport]):
    """A frozen report. address: of the page that works without an account. sha256: of its file."""

    address = serializers.CharField(source="get_absolute_url")
    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)

    class Meta:
        model = FrozenReport
        fields = ["key", "name", "address", "sha256", "owner", "created_at", "withdrawn_at"]


class NewReportSerializer(RequestSerializer):
    name = serializers.CharField(max_length=200, default="", help_text="Default: the name of the study.")
    tables = serializers.ListField(
        child=serializers.CharField(allow_blank=True, max_length=2_000),
        max_length=MOST_TABLES,
        default=lambda: [""],
        help_text="The parameters of each table's page, such as rows=judge&figure=accuracy. Default: the usual table.",
    )

    charts = serializers.ListField(
        child=serializers.CharField(max_length=2_000),
        max_length=MOST_CHARTS,
        default=list,
        help_text=f"Tabs with the parameters of their pages, such as bias?subset=all: {', '.join(CHART_TABS)}.",
    )


LINK = (Option(name="withdrawn", kind=bool),)
LinkSerializer = request_of(LINK, name="LinkSerializer")


class StudyReports(APIView):
    @extend_schema(responses=FrozenReportSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """List the frozen reports of a study."""
        reports = FrozenReport.objects.visible_to(user_of(request)).filter(study=visible_study(request, pk))
        return Response(FrozenReportSerializer(reports.select_related("owner"), many=True).data)

    @extend_schema(request=NewReportSerializer, responses={201: FrozenReportSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Freeze tables and charts of a study as they are now."""
        study = visible_study(request, pk)
        values = body_of(NewReportSerializer, request)
        runs = list(visible_study_runs(request, study))
        choices = [table_choice(query, study, runs) for query in values["tables"]]
        charts = [ChartQuery.parse(text) for text in values["charts"]]
        report = freeze_study(study, runs, choices, charts, name=values["name"], owner=user_of(request))
        return Response(FrozenReportSerializer(report).data, HTTP_201_CREATED)


class FrozenReportDetail(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, key: str) -> Response:
        """Return the data of a report: its tables in full precision, methods and certificate."""
        report = get_object_or_404(FrozenReport.objects.visible_to(user_of(request)), key=key)
        return Response(data_in(report.html))

    @extend_schema(
        request=LinkSerializer,
        responses={200: FrozenReportSerializer, 400: ProblemsSerializer},
    )
    def patch(self, request: Request, key: str) -> Response:
        """Withdraw the link of a report of yours, or open it again."""
        report = get_object_or_404(FrozenReport.objects.changeable_by(user_of(request)), key=key)
        (withdraw if options_in_body(request, LINK)["withdrawn"] else reopen)(report)
        report.refresh_from_db()
        return Response(FrozenReportSerializer(report).data)
