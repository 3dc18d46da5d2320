"""Read comparisons that a judge made elsewhere, or that an export wrote."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import Unpack, cast

from judging.file_problems import ProblemLog, describe_value
from judging.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOUN_LENGTH, CheckedRow
from judging.formats.recorded.recorded_table import ChangeRows, ReadOptions, RecordedColumns, read_recorded, unchanged
from judging.formats.recorded.spooled_records import RecordForm, find_repeated
from judging.formats.recorded.thinking import RECORDED_THINKING_COLUMNS, read_thinking
from judging.formats.records import ComparisonRecord, RecordedChoice
from judging.formats.source_files import SourceFile

RECORDED_COMPARISON_COLUMNS = RecordedColumns(
    noun="comparisons",
    required=("context", "attribute", "first", "second"),
    optional=(
        *("p_first", "choice", "judge", "prompt", "method", "text", "raw_first", "raw_second", "raw_tie", "error"),
        *("p_first_before", *RECORDED_THINKING_COLUMNS),
    ),
    ignored=(
        *("decision", "drawn", "prompt_text", "answer_prefix", "label_first", "label_second", "label_tie"),
        *("samples_first", "samples_second", "samples_tie", "samples_unparsed", "temperature", "reasonings_cut"),
    ),
    answers=("p_first", "choice"),
)
CONTRADICTIONS = "choices that contradict their p_first, which counts"
_CHOICES: dict[str | int, str] = {choice: choice for choice in ("first", "second", "tie", "unparsed", "error")}
_key_of = attrgetter("context", "attribute", "first", "second", "judge", "prompt", "method")
_FORM = RecordForm(attrgetter(*ComparisonRecord.__slots__), lambda values: ComparisonRecord(*values))


def read_comparisons(
    files: Sequence[SourceFile],
    *,
    columns: RecordedColumns = RECORDED_COMPARISON_COLUMNS,
    change_rows: ChangeRows = unchanged,
    **options: Unpack[ReadOptions],
) -> Sequence[ComparisonRecord]:
    """Read the comparisons of all files, in order.

    columns, change_rows: of files with other rows, such as replies.
    Raises InvalidFile with every problem of every file, and with the comparisons that were read.
    """
    return read_recorded(
        files,
        columns,
        make_record=_make_comparison,
        form=_FORM,
        refuse_repeated=_refuse_repeated_pairs,
        change_rows=change_rows,
        **options,
    )


def _make_comparison(row: CheckedRow) -> ComparisonRecord:
    first, second = (row.text(name, max_length=MAX_KEY_LENGTH) for name in ("first", "second"))
    if first and first == second:
        row.add_problem("second", describe_value(second), "a candidate other than first")
    if "p_first" not in row.values and "choice" not in row.values:
        row.add_problem("", "neither p_first nor choice", "one of them")
    choice = row.choice("choice", _CHOICES) if "choice" in row.values else ""
    p_first = row.number("p_first", 0, 1) if "p_first" in row.values else None
    if choice and p_first is not None and choice != _decision(p_first):
        row.log.count(CONTRADICTIONS, f"{row.file} line {row.line}: {p_first:g} and {choice}")
    return ComparisonRecord(
        file=row.file,
        line=row.line,
        context=row.text("context", max_length=MAX_KEY_LENGTH),
        attribute=row.text("attribute", max_length=MAX_NAME_LENGTH),
        first=first,
        second=second,
        p_first=p_first,
        choice=cast(RecordedChoice, choice),
        prompt=row.optional_text("prompt", max_length=MAX_NAME_LENGTH) or "recorded",
        method=row.optional_text("method", max_length=MAX_NOUN_LENGTH) or "comparative",
        judge=row.optional_text("judge", max_length=MAX_NAME_LENGTH),
        text=row.optional_text("text"),
        raw_first=_read_log_probability(row, "raw_first"),
        raw_second=_read_log_probability(row, "raw_second"),
        raw_tie=_read_log_probability(row, "raw_tie"),
        error=row.optional_text("error"),
        p_first_before=row.number("p_first_before", 0, 1) if "p_first_before" in row.values else None,
        **read_thinking(row, outcome=_outcome(row, choice)),
    )


def _decision(p_first: float) -> str:
    return "tie" if p_first == 0.5 else "first" if p_first > 0.5 else "second"


def _outcome(row: CheckedRow, choice: str) -> str:
    """Return the outcome of the answer. A row with a probability is answered, whatever its choice."""
    return choice if choice in {"unparsed", "error"} and "p_first" not in row.values else "answered"


def _read_log_probability(row: CheckedRow, key: str) -> float | None:
    """Read a log-probability in nats, which may be minus infinity; None if the key is missing."""
    if key not in row.values:
        return None
    if row.values[key] in ("-inf", "-Infinity", -math.inf):
        return -math.inf
    return row.number(key)


def _refuse_repeated_pairs(comparisons: Sequence[ComparisonRecord], log: ProblemLog) -> None:
    for earlier, record in find_repeated(comparisons, _key_of):
        if record.first and record.second:
            pair = f"{describe_value(record.first)} against {describe_value(record.second)} again"
            expected = f"each ordered pair once; {earlier.file} has it on line {earlier.line}"
            log.add(record.file, record.line, "", pair, expected)
