"""Scores that a metric or a judge gave elsewhere, or that an export wrote."""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern

from judging.formats.checked_rows import LONGEST_KEY, LONGEST_NAME, LONGEST_NOUN, Row
from judging.formats.problems import ProblemLog, shown
from judging.formats.recorded.recorded_table import Columns, read_recorded
from judging.formats.records import ScoreRecord
from judging.formats.source_files import MAX_BYTES, SourceFile

COLUMNS = Columns(
    required=("context", "attribute", "candidate", "score"),
    optional=("prompt", "method", "text", "error"),
    ignored=(
        *("prompt_text", "answer_prefix", "label_first", "label_second"),
        *("samples_read", "samples_unparsed", "temperature"),
    ),
)


def read_scores(files: Sequence[SourceFile], *, max_bytes: int = MAX_BYTES) -> list[ScoreRecord]:
    """The scores of all files, in order; an empty score is an answer that could not be parsed.

    Raises InvalidFile with every problem of every file, and with the scores. max_bytes: the largest file read.
    """
    log = ProblemLog([file.name for file in files])
    scores = read_recorded(files, COLUMNS, log, record_of=_score, max_bytes=max_bytes)
    _refuse_repeated(scores, log)
    log.raise_if_any(read=scores)
    return scores


def _score(row: Row) -> ScoreRecord:
    return ScoreRecord(
        file=row.file,
        line=row.line,
        context=intern(row.text("context", longest=LONGEST_KEY)),
        attribute=intern(row.text("attribute", longest=LONGEST_NAME)),
        candidate=intern(row.text("candidate", longest=LONGEST_KEY)),
        score=row.number("score") if "score" in row.values else None,
        prompt=intern(row.optional_text("prompt", longest=LONGEST_NAME) or "recorded"),
        method=intern(row.optional_text("method", longest=LONGEST_NOUN) or "scoring"),
        text=row.optional_text("text"),
        error=row.optional_text("error"),
    )


def _refuse_repeated(scores: Sequence[ScoreRecord], log: ProblemLog) -> None:
    seen: dict[tuple[str, ...], ScoreRecord] = {}
    for one in scores:
        before = seen.setdefault((one.context, one.attribute, one.candidate, one.prompt, one.method), one)
        if before is not one and one.candidate:
            log.add(
                one.file,
                one.line,
                "candidate",
                f"{shown(one.candidate)} again",
                f"each candidate once; {before.file} has it on line {before.line}",
            )
