"""Read scores that a metric or a judge gave elsewhere, or that an export wrote."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Unpack

from judging.file_problems import ProblemLog, describe_value
from judging.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOUN_LENGTH, CheckedRow
from judging.formats.recorded.recorded_table import ChangeRows, ReadOptions, RecordedColumns, read_recorded, unchanged
from judging.formats.recorded.spooled_records import RecordForm, find_repeated
from judging.formats.recorded.thinking import RECORDED_THINKING_COLUMNS, read_thinking
from judging.formats.records import ScoreRecord
from judging.formats.source_files import SourceFile

RECORDED_SCORE_COLUMNS = RecordedColumns(
    noun="scores",
    required=("context", "attribute", "candidate", "score"),
    optional=("judge", "prompt", "method", "text", "error", "score_before", *RECORDED_THINKING_COLUMNS),
    ignored=(
        *("prompt_text", "answer_prefix", "label_first", "label_second"),
        *("samples_read", "samples_unparsed", "temperature", "reasonings_cut"),
    ),
    answers=("score",),
)
_FORM = RecordForm(attrgetter(*ScoreRecord.__slots__), lambda values: ScoreRecord(*values))


def read_scores(
    files: Sequence[SourceFile],
    *,
    columns: RecordedColumns = RECORDED_SCORE_COLUMNS,
    change_rows: ChangeRows = unchanged,
    **options: Unpack[ReadOptions],
) -> Sequence[ScoreRecord]:
    """Read the scores of all files, in order. An empty score is an answer that could not be parsed.

    columns, change_rows: of files with other rows, such as replies.
    Raises InvalidFile with every problem of every file, and with the scores that were read.
    """
    return read_recorded(
        files,
        columns,
        make_record=_make_score,
        form=_FORM,
        refuse_repeated=_refuse_repeated_candidates,
        change_rows=change_rows,
        **options,
    )


def _make_score(row: CheckedRow) -> ScoreRecord:
    return ScoreRecord(
        file=row.file,
        line=row.line,
        context=row.text("context", max_length=MAX_KEY_LENGTH),
        attribute=row.text("attribute", max_length=MAX_NAME_LENGTH),
        candidate=row.text("candidate", max_length=MAX_KEY_LENGTH),
        score=row.number("score") if "score" in row.values else None,
        prompt=row.optional_text("prompt", max_length=MAX_NAME_LENGTH) or "recorded",
        method=row.optional_text("method", max_length=MAX_NOUN_LENGTH) or "scoring",
        judge=row.optional_text("judge", max_length=MAX_NAME_LENGTH),
        text=row.optional_text("text"),
        error=row.optional_text("error"),
        score_before=row.number("score_before") if "score_before" in row.values else None,
        **read_thinking(row, outcome=_outcome(row)),
    )


def _outcome(row: CheckedRow) -> str:
    if "score" in row.values:
        return "answered"
    return "error" if "error" in row.values else "unparsed"


def _refuse_repeated_candidates(scores: Sequence[ScoreRecord], log: ProblemLog) -> None:
    for earlier, record in find_repeated(
        scores, attrgetter("context", "attribute", "candidate", "judge", "prompt", "method")
    ):
        if record.candidate:
            value = f"{describe_value(record.candidate)} again"
            expected = f"each candidate once; {earlier.file} has it on line {earlier.line}"
            log.add(record.file, record.line, "candidate", value, expected)
