"""Downloads: streamed files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from judging.services.exports.file_writers import json_line

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def attachment(lines: Iterable[str | bytes], *, name: str) -> StreamingHttpResponse:
    """Stream lines as a download. The ending of `name` gives the type; unsafe characters in it become dashes."""
    safe = re.sub(r"[^\w.-]+", "-", name)
    response = StreamingHttpResponse(lines, content_type=CONTENT_TYPES[name.rpartition(".")[2]])
    response["Content-Disposition"] = content_disposition_header(True, safe) or "attachment"
    return response


def json_lines(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the lines of a JSON Lines file."""
    return map(json_line, rows)
