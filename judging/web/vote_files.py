"""Files with all votes of a dataset, for pages and the HTTP API."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.db.models import QuerySet
from django.http import Http404, StreamingHttpResponse

from judging.models import Dataset, Run
from judging.services.datasets.every_vote import EVERY_VOTE_COLUMNS, EVERY_VOTE_NUMBERS, every_vote
from judging.services.exports.file_writers import FileRow, writer_for
from judging.web.downloads import attachment

VOTE_FILE_ENDINGS = ("csv", "jsonl", "parquet")
BYTES_AT_ONCE = 2**16


def vote_file(
    dataset: Dataset, runs: QuerySet[Run], ending: str, *, judges: bool, skips: bool
) -> StreamingHttpResponse:
    """Return the file that `export_votes` writes, with the columns of `--judges` and `--skips`.

    runs: those that this person may see. Raises Http404 for an unknown ending.
    """
    if ending not in VOTE_FILE_ENDINGS:
        raise Http404(f"no file of votes ends in .{ending}")
    rows = every_vote(dataset, runs, judges=judges, skips=skips)
    return attachment(_written(rows, ending), name=f"{dataset.name}-votes.{ending}")


def _written(rows: Iterable[FileRow], ending: str) -> Iterator[bytes]:
    """Write the rows into a temporary file, and yield it in parts."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"votes.{ending}"
        writer_for(file.suffix, columns=EVERY_VOTE_COLUMNS, numbers=EVERY_VOTE_NUMBERS)(rows, file)
        with file.open("rb") as opened:
            while part := opened.read(BYTES_AT_ONCE):
                yield part
