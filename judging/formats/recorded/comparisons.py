"""Comparisons that a judge made elsewhere, or that an export wrote."""

from __future__ import annotations

import math
from collections.abc import Sequence
from sys import intern
from typing import cast

from judging.formats.checked_rows import LONGEST_KEY, LONGEST_NAME, LONGEST_NOUN, Row
from judging.formats.problems import ProblemLog, shown
from judging.formats.recorded.recorded_table import Columns, may_repeat, read_recorded
from judging.formats.records import ComparisonRecord, RecordedChoice
from judging.formats.source_files import MAX_BYTES, SourceFile

COLUMNS = Columns(
    required=("context", "attribute", "first", "second"),
    optional=("p_first", "choice", "prompt", "method", "text", "raw_first", "raw_second", "raw_tie", "error"),
    ignored=(
        *("decision", "drawn", "prompt_text", "answer_prefix", "label_first", "label_second", "label_tie"),
        *("samples_first", "samples_second", "samples_tie", "samples_unparsed", "temperature"),
    ),
)
CHOICES: dict[str | int, str] = {choice: choice for choice in ("first", "second", "tie", "unparsed", "error")}


def read_comparisons(files: Sequence[SourceFile], *, max_bytes: int = MAX_BYTES) -> list[ComparisonRecord]:
    """The comparisons of all files, in order.

    Raises InvalidFile with every problem of every file, and with the comparisons. max_bytes: the largest file read.
    """
    log = ProblemLog([file.name for file in files])
    comparisons = read_recorded(files, COLUMNS, log, record_of=_comparison, max_bytes=max_bytes)
    _refuse_repeated(comparisons, log)
    log.raise_if_any(read=comparisons)
    return comparisons


def _comparison(row: Row) -> ComparisonRecord:
    first, second = (intern(row.text(name, longest=LONGEST_KEY)) for name in ("first", "second"))
    if first and first == second:
        row.problem("second", shown(second), "another candidate than first")
    if "p_first" not in row.values and "choice" not in row.values:
        row.problem("", "neither p_first nor choice", "one of them")
    choice = row.choice("choice", CHOICES) if "choice" in row.values else ""
    return ComparisonRecord(
        file=row.file,
        line=row.line,
        context=intern(row.text("context", longest=LONGEST_KEY)),
        attribute=intern(row.text("attribute", longest=LONGEST_NAME)),
        first=first,
        second=second,
        p_first=row.number("p_first", 0, 1) if "p_first" in row.values else None,
        choice=cast(RecordedChoice, choice),
        prompt=intern(row.optional_text("prompt", longest=LONGEST_NAME) or "recorded"),
        method=intern(row.optional_text("method", longest=LONGEST_NOUN) or "comparative"),
        text=row.optional_text("text"),
        raw_first=_log_probability(row, "raw_first"),
        raw_second=_log_probability(row, "raw_second"),
        raw_tie=_log_probability(row, "raw_tie"),
        error=row.optional_text("error"),
    )


def _log_probability(row: Row, key: str) -> float | None:
    """A log-probability in nats, minus infinity among them; None where there is none."""
    if key not in row.values:
        return None
    if row.values[key] in ("-inf", "-Infinity", -math.inf):
        return -math.inf
    return row.number(key)


def _key(one: ComparisonRecord) -> tuple[str, ...]:
    return one.context, one.attribute, one.first, one.second, one.prompt, one.method


def _refuse_repeated(comparisons: Sequence[ComparisonRecord], log: ProblemLog) -> None:
    if not may_repeat(map(_key, comparisons), number=len(comparisons)):
        return
    seen: dict[tuple[str, ...], ComparisonRecord] = {}
    for one in comparisons:
        before = seen.setdefault(_key(one), one)
        if before is not one and one.first and one.second:
            pair = f"{shown(one.first)} against {shown(one.second)} again"
            log.add(one.file, one.line, "", pair, f"each ordered pair once; {before.file} has it on line {before.line}")
