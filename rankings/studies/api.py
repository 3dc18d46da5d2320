"""The HTTP API of a study's table: the JSON and the tables of the command `study`."""

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.report_json import as_json
from judging.web.api_files import FilesOrJson
from judging.web.api_input import options_in_query, request_of
from judging.web.downloads import attachment
from judging.web.report_schema import serializer_of
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.report.answer_options import chosen_style
from rankings.report.api_files import TABLE, responses_of
from rankings.studies.pivots.pivot import Pivot, pivot_of
from rankings.studies.pivots.pivot_source import parts_of_runs
from rankings.studies.study_choice import study_choice
from rankings.studies.study_page import LOOKS, STUDY_OPTIONS, study_style, study_table
from rankings.tables.formats import TABLE_FORMATS


class StudyTableView(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[request_of([*STUDY_OPTIONS, TABLE], name="StudyTable")],
        responses=responses_of(serializer_of(Pivot), *TABLE_FORMATS),
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return one figure of a study's runs that you may see, by rows and columns, or the table as a file."""
        study = visible_study(request, pk)
        runs = list(visible_study_runs(request, study))
        read = options_in_query(request, [*STUDY_OPTIONS, TABLE])
        ending, looks = read.pop("table"), {one.name: read.pop(one.name) for one in LOOKS}
        choice = study_choice(study, runs, **read)
        has_references, usual = looks.pop("references"), study_style(study, choice)
        parts = parts_of_runs(runs, choice)
        if not ending:
            return Response(as_json(pivot_of(parts, choice)))
        table = study_table(parts, choice, has_references=has_references).table
        content = TABLE_FORMATS[ending].write(table, chosen_style(usual, **looks))
        return attachment([content], name=f"{study.name}.{ending}")
