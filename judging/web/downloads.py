"""Downloads: streamed files, and the file with all votes of a dataset."""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

from django.db.models import QuerySet
from django.http import Http404, StreamingHttpResponse
from django.utils.http import content_disposition_header

from evenhand.options import Option
from judging.models import Act, Dataset, Run
from judging.services.activity import note
from judging.services.exports.exported_votes import (
    EVERY_VOTE_COLUMNS,
    EVERY_VOTE_NUMBERS,
    WITH_CHECKS,
    WITH_JUDGES,
    WITH_SKIPS,
    every_vote,
)
from judging.services.exports.file_writers import FileRow, json_line, writer_for
from judging.services.full_disks import best_effort

VOTE_FILE_ENDINGS = ("csv", "jsonl", "parquet")
BYTES_AT_ONCE = 2**16
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
    note_download(name)
    safe = re.sub(r"[^\w.-]+", "-", name)
    response = StreamingHttpResponse(lines, content_type=CONTENT_TYPES[name.rpartition(".")[2]])
    response["Content-Disposition"] = content_disposition_header(True, safe) or "attachment"
    return response


def note_download(name: str) -> None:
    """Note that a file of this name is given out. A full disk stops no reading."""
    with best_effort():
        note(Act.DOWNLOAD, name)


def json_lines(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the lines of a JSON Lines file."""
    return map(json_line, rows)


def vote_file(
    dataset: Dataset,
    runs: QuerySet[Run],
    *,
    ending: Annotated[str, Option("The ending of the file.", choices={one: one for one in VOTE_FILE_ENDINGS})] = "csv",
    judges: Annotated[bool, WITH_JUDGES] = False,
    skips: Annotated[bool, WITH_SKIPS] = False,
    checks: Annotated[bool, WITH_CHECKS] = False,
) -> StreamingHttpResponse:
    """Return the file that `export_votes` writes, with the columns of all its rows.

    runs: those that this person may see. Raises Http404 for an unknown ending.
    """
    if ending not in VOTE_FILE_ENDINGS:
        raise Http404(f"no file of votes ends in .{ending}")
    rows = every_vote(dataset, runs if judges else None, skips=skips, checks=checks)
    return attachment(_written(rows, ending), name=f"{dataset.name}-votes.{ending}")


def _written(rows: Iterable[FileRow], ending: str) -> Iterator[bytes]:
    """Write the rows into a temporary file, and yield it in parts."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"votes.{ending}"
        writer_for(file.suffix, columns=EVERY_VOTE_COLUMNS, numbers=EVERY_VOTE_NUMBERS)(rows, file)
        with file.open("rb") as opened:
            while part := opened.read(BYTES_AT_ONCE):
                yield part
