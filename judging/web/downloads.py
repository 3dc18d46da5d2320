"""Files to take home: CSV that no spreadsheet runs as a formula, JSON Lines, and how the browser is told the name."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from judging.formats.spreadsheet_formulas import escape_cell

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
}


def attachment(lines: Iterable[str], *, name: str) -> StreamingHttpResponse:
    """A streamed file; its type is told by the ending of `name`, in which what a file system may dislike is a dash."""
    safe = re.sub(r"[^\w.-]+", "-", name)
    response = StreamingHttpResponse(lines, content_type=CONTENT_TYPES[name.rpartition(".")[2]])
    response["Content-Disposition"] = content_disposition_header(True, safe) or "attachment"
    return response


class _Line:
    """A file whose write() hands the line back: csv writers write, streams want to be given."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[Mapping[str, object]], *, columns: Sequence[str]) -> Iterator[str]:
    """A CSV file, line by line, its first line the columns; texts are kept from being formulas."""
    writer = csv.writer(_Line())
    yield writer.writerow(columns)  # csv hands back what write() returned
    for row in rows:
        yield writer.writerow([escape_cell(row[column]) for column in columns])
