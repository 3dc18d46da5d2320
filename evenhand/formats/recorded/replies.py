"""Recorded judgments whose cell is a judge's whole reply: the verdict is read from its text."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from evenhand.formats.checked_rows import CheckedRow
from evenhand.formats.mappings.table_layouts import REPLY_COLUMNS
from evenhand.formats.recorded.comparisons import COMPARISON_READER
from evenhand.formats.recorded.recorded_table import ReadOptions, RecordReader
from evenhand.formats.recorded.scores import SCORE_READER
from evenhand.formats.records import ComparisonRecord, ScoreRecord
from evenhand.formats.source_files import SourceFile

ReadReply = Callable[[Mapping[str, object], str], Mapping[str, object]]
"""Takes a row and its reply. Returns the values of the answer: `choice` or `score`, `text`, `problem` and more."""


def _read_rows(rows: Iterable[CheckedRow], noun: str, read_reply: ReadReply) -> Iterator[CheckedRow]:
    """Yield the rows with the values of the answer in place of the reply. A row with an error has no answer."""
    for row in rows:
        values = dict(row.values)
        reply = values.pop("reply", "")
        if "error" in values:
            values |= {"choice": "error"} if noun == "comparisons" else {}
        elif not isinstance(reply, str):
            row.add_problem("reply", row.describe("reply"), "a text")
            values |= read_reply(values, "")
        else:
            values |= read_reply(values, reply)
        yield replace(row, values=values)


def read_replies(
    files: Sequence[SourceFile], *, noun: str, read_reply: ReadReply, **options: Unpack[ReadOptions]
) -> Sequence[ComparisonRecord] | Sequence[ScoreRecord]:
    """Read comparisons or scores from replies.

    Raises InvalidFile with every problem of every file, and with the records that were read.
    """
    reader: RecordReader[Any] = COMPARISON_READER if noun == "comparisons" else SCORE_READER
    change_rows = partial(_read_rows, noun=noun, read_reply=read_reply)
    return replace(reader, columns=REPLY_COLUMNS[noun], change_rows=change_rows).read(files, **options)
