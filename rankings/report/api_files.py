"""Files of reports over the HTTP API: the long form of every report, and the table of a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from evenhand.options import Option
from evenhand.report_json import T, as_json
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer
from judging.web.downloads import CONTENT_TYPES
from rankings.tables.long_form import LONG_FORMATS, LongForm, long_attachment

LONG_HELP = "Send a file with one line per figure instead of JSON."
LONG = Option(LONG_HELP, name="long", choices={ending: ending for ending in LONG_FORMATS}, default=None)


class LongFormSerializer(RequestSerializer):
    """The option of all reports to be sent in the long form."""

    long = serializers.ChoiceField(list(LONG_FORMATS), required=False, help_text=LONG_HELP)


def responses_of(serializer: type[serializers.Serializer[Any]], *endings: str) -> dict[Any, Any]:
    """Return the responses of a report for the schema: JSON, the long form, files of further endings, problems."""
    binary = ("parquet", "xlsx")
    files = {
        (200, CONTENT_TYPES[ending].partition(";")[0]): OpenApiTypes.BINARY if ending in binary else OpenApiTypes.STR
        for ending in dict.fromkeys((*LONG_FORMATS, *endings))
    }
    return {(200, "application/json"): serializer, **files, 400: ProblemsSerializer}


def report_response(
    report: T, options: dict[str, Any], long_form: Callable[[T], LongForm], *, name: str
) -> HttpResponseBase:
    """Send a report as JSON, or in the long form where the options of the query choose it. name: of the file."""
    if "long" in options:
        return long_attachment(long_form(report), name=name, ending=options["long"])
    return Response(as_json(report))
