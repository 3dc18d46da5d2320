"""The HTTP API of any analysis: the JSON of its command."""

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import read_options
from evenhand.report_json import as_json
from judging.web.api_files import FilesOrJson
from judging.web.api_input import query_parameters, request_of
from judging.web.options import values_sent
from judging.web.report_schema import serializer_of
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.analyses.record import Analysis, file_name
from rankings.report.api_files import LONG, responses_of
from rankings.tables.long_form import long_attachment


def api_view_of(analysis: Analysis) -> type[APIView]:
    """Return the API view of an analysis."""
    long_form, forms = analysis.long_form, [LONG] if analysis.long_form else []
    options = [*analysis.options, *forms]
    described = [request_of(options, name=f"{analysis.name.title()}Options")] if options else []
    sent = serializer_of(analysis.report)
    visible = visible_dataset if analysis.of == "dataset" else visible_run

    class AnalysisView(APIView):
        content_negotiation_class = FilesOrJson

        @extend_schema(
            parameters=described, responses=responses_of(sent) if forms else sent, description=analysis.summary
        )
        def get(self, request: Request, **keys: int) -> HttpResponseBase:
            rows = [visible(request, key) for key in keys.values()]
            values = values_sent(query_parameters(request))
            ending = read_options(forms, {one.name: values.pop(one.name, None) for one in forms}).get("long")
            report = analysis.answer(*rows, values=values, runs=visible_runs(request))
            if long_form and ending:
                return long_attachment(long_form(report), name=file_name(rows, analysis.name), ending=ending)
            return Response(as_json(report))

    AnalysisView.__name__ = f"{analysis.of.title()}{analysis.name.title()}"
    return AnalysisView
