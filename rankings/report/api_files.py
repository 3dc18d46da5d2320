"""Files of reports over the HTTP API: the long form of every report, and the table of a report."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from evenhand.options import Option
from judging.web.api_errors import ProblemsSerializer
from judging.web.downloads import CONTENT_TYPES
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import LONG_FORMATS

LONG = Option(
    "Send a file with one line per figure instead of JSON.",
    name="long",
    choices={ending: ending for ending in LONG_FORMATS},
    default=None,
)
TABLE_TITLES = {ending: one.title for ending, one in TABLE_FORMATS.items()}
TABLE = Option("Send the table as a file.", name="table", choices=TABLE_TITLES, default="")


def responses_of(serializer: type[serializers.Serializer[Any]], *endings: str) -> dict[Any, Any]:
    """Return the responses of a report for the schema: JSON, the long form, files of further endings, problems."""
    binary = ("parquet", "xlsx")
    files = {
        (200, CONTENT_TYPES[ending].partition(";")[0]): OpenApiTypes.BINARY if ending in binary else OpenApiTypes.STR
        for ending in dict.fromkeys((*LONG_FORMATS, *endings))
    }
    return {(200, "application/json"): serializer, **files, 400: ProblemsSerializer}
