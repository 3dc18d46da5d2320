"""The HTTP API of a study's table: the JSON and the tables of the command `study`."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.numerics.correlation.coefficients import LEVELS
from judging.web.api_input import query_options
from judging.web.downloads import attachment
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.report.api import ChoiceSerializer, report_choice_of
from rankings.report.api_files import responses_of
from rankings.report.report_choice import ORDERS, UNPARSED
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.studies.dimensions import DIMENSIONS
from rankings.studies.pivots.pivot import Pivot, pivot_of
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES
from rankings.studies.pivots.pivot_source import parts_of_runs
from rankings.studies.pivots.pivot_table import pivot_table
from rankings.studies.presets import PRESETS
from rankings.studies.study_choice import options_given, study_choice
from rankings.studies.study_page import with_references
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.table import INTERVAL_STYLES, LABEL, MOST_DIGITS, TableStyle

LISTED = ", ".join(DIMENSIONS)


class StudyTableSerializer(ChoiceSerializer):
    """The choices of a study's table."""

    rows = serializers.CharField(default="", help_text=f"Dimensions, joined by commas: {LISTED}.")
    columns = serializers.CharField(default="", help_text="Likewise.")
    figure = serializers.ChoiceField([*PIVOT_FIGURES], default="", help_text="Default: accuracy.")
    ranking = serializers.CharField(default="", help_text="Of correlations. Default: bradley-terry.")
    level = serializers.ChoiceField(LEVELS, default=None, help_text="Of correlations. Default: per_context.")
    debias = serializers.BooleanField(default=None, allow_null=True, help_text="The figure without position bias.")
    only = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="DIMENSION=NAME: limit the table; may be repeated."
    )
    references = serializers.BooleanField(default=True, help_text="Rows of people and simple judges in files but CSV.")
    preset = serializers.ChoiceField([*PRESETS], default="", help_text="A table of a paper.")
    order = serializers.ChoiceField(
        [*ORDERS], default=None, help_text="given: only comparisons in the dataset's order. Default: both."
    )
    unparsed = serializers.ChoiceField(
        [*UNPARSED], default=None, help_text="wrong: unparsed answers count as wrong. Default: excluded."
    )
    table = serializers.ChoiceField([*TABLE_FORMATS], required=False, help_text="Send a file instead of JSON.")
    digits = serializers.IntegerField(
        min_value=0, max_value=MOST_DIGITS, default=1, help_text="Decimals of percentages."
    )
    interval = serializers.ChoiceField(INTERVAL_STYLES, default="brackets")
    caption = serializers.CharField(required=False, help_text="Default: name of the study.")
    label = serializers.RegexField(LABEL, default="tab:study")  # type: ignore[assignment]


class StudyTableView(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[StudyTableSerializer],
        responses=responses_of(serializer_of(Pivot), *TABLE_FORMATS),
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return one figure of a study's runs that you may see, by rows and columns, or the table as a file."""
        study = visible_study(request, pk)
        runs = list(visible_study_runs(request, study))
        options = query_options(StudyTableSerializer, request)
        choice = study_choice(study, runs, options_given(options, report_choice_of))
        parts = parts_of_runs(runs, choice)
        if "table" not in options:
            return Response(as_json(pivot_of(parts, choice)))
        style = TableStyle(options["digits"], options["interval"], options.get("caption", study.name), options["label"])
        table = pivot_table(parts, choice)
        if options["references"]:
            table = with_references(table, parts, choice)
        content = TABLE_FORMATS[options["table"]].write(table, style)
        return attachment([content], name=f"{study.name}.{options['table']}")
