"""The HTTP API of a study's tabs of charts: the JSON and the tables of the command `study_figures`."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import RequestSerializer, query_options
from judging.web.downloads import attachment
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.report.api_files import responses_of
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.studies.charts.chart_tabs import CHART_TABS
from rankings.studies.charts.tab_figures import TabFigures, made_tab
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.table import TableStyle

TRUE_VALUES = {"debias": "yes", "people": "on"}
"""Parameters that are true or false, and the value of the page that is true."""


class StudyFiguresSerializer(RequestSerializer):
    """A tab of a study, and the parameters of its page. A tab refuses those that it does not have."""

    tab = serializers.ChoiceField([*CHART_TABS])
    dataset = serializers.CharField(required=False, help_text="Its name; * for all. Default: of the first run.")
    attribute = serializers.CharField(required=False, help_text="Likewise.")
    judge = serializers.CharField(required=False, help_text="Its name. Default: all.")
    method = serializers.CharField(required=False, help_text="Likewise.")
    prompt = serializers.CharField(required=False, help_text="Likewise.")
    selection = serializers.CharField(required=False, help_text="Likewise.")
    seed = serializers.CharField(required=False, help_text="Likewise.")
    subset = serializers.CharField(required=False, help_text="A subset of the dataset, or a group of the study.")
    order = serializers.CharField(required=False, help_text="given: only comparisons in the dataset's order.")
    unparsed = serializers.CharField(required=False, help_text="wrong: unparsed answers count as wrong.")
    debias = serializers.BooleanField(required=False, help_text="Figures without position bias.")
    ranking = serializers.CharField(required=False, help_text="Of curves, systems and matrix.")
    by = serializers.CharField(required=False, help_text="Of matrix: people, to sort it by human scores.")
    context = serializers.CharField(required=False, help_text="Of matrix: the key of a context.")  # type: ignore[assignment]  # DRF takes fields off the class
    measure = serializers.CharField(required=False, help_text="Of agreement and curves.")
    draw = serializers.CharField(required=False, help_text="Of curves: the selection that draws comparisons.")
    budget = serializers.IntegerField(required=False, help_text="Of curves: comparisons per context.")
    people = serializers.BooleanField(required=False, help_text="Of curves: with the curve of human votes.")
    table = serializers.ChoiceField([*TABLE_FORMATS], required=False, help_text="Send the table as a file.")


class StudyFiguresView(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[StudyFiguresSerializer], responses=responses_of(serializer_of(TabFigures), *TABLE_FORMATS)
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the charts and the table of a study's tab, over the runs that you may see."""
        study = visible_study(request, pk)
        options = query_options(StudyFiguresSerializer, request)
        tab, ending = options.pop("tab"), options.pop("table", None)
        made = made_tab(tab, _parameters(options), study, list(visible_study_runs(request, study)))
        if ending is None:
            return Response(as_json(made.figures))
        style = TableStyle(caption=f"{study.name}: {made.figures.title}", label=f"tab:{tab}")
        return attachment([TABLE_FORMATS[ending].write(made.table, style)], name=f"{tab}.{ending}")


def _parameters(options: dict[str, Any]) -> dict[str, str]:
    """Return the options as parameters of the page. A switch that is off is left out."""
    texts = {name: TRUE_VALUES[name] * value if name in TRUE_VALUES else str(value) for name, value in options.items()}
    return {name: text for name, text in texts.items() if text}
