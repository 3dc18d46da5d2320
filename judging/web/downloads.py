"""Downloads: streamed files, and CSV lines whose texts no spreadsheet runs as formulas."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from evenhand.spreadsheet_formulas import csv_cell
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


class _LineBuffer:
    """A file whose write() returns the line, so that a csv writer can feed a stream."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[Mapping[str, object]], *, columns: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a CSV file, the column names first. Texts that start like formulas are escaped."""
    writer = csv.writer(_LineBuffer())
    yield writer.writerow(columns)  # the return value of write()
    for row in rows:
        yield writer.writerow([csv_cell(row[column]) for column in columns])


def json_lines(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the lines of a JSON Lines file."""
    return map(json_line, rows)
