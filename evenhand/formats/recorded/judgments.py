"""Read comparisons, scores, ratings and replies that were made elsewhere, or that an export wrote."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, Unpack, cast

from evenhand.file_problems import describe_value
from evenhand.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOUN_LENGTH, CheckedRow
from evenhand.formats.mappings.table_layouts import (
    RECORDED_COMPARISON_COLUMNS,
    RECORDED_RATING_COLUMNS,
    RECORDED_SCORE_COLUMNS,
    REPLY_COLUMNS,
)
from evenhand.formats.recorded.recorded_table import ReadOptions, RecordReader, pair_again, read_sides, read_thinking
from evenhand.formats.recorded.spooled_records import RecordForm
from evenhand.formats.records import ComparisonRecord, RatingRecord, RecordedChoice, ScoreRecord
from evenhand.formats.source_files import SourceFile


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
        **read_thinking(row, outcome=_score_outcome(row)),
    )


def _score_outcome(row: CheckedRow) -> str:
    if "score" in row.values:
        return "answered"
    return "error" if "error" in row.values else "unparsed"


def _make_rating(row: CheckedRow) -> RatingRecord:
    return RatingRecord(
        file=row.file,
        line=row.line,
        context=row.text("context", max_length=MAX_KEY_LENGTH),
        attribute=row.text("attribute", max_length=MAX_NAME_LENGTH),
        candidate=row.text("candidate", max_length=MAX_KEY_LENGTH),
        rater=row.text("rater", max_length=MAX_NAME_LENGTH),
        score=row.number("score") or 0.0,  # 0 after a problem, which is logged
    )


def _rating_again(earlier: RatingRecord, one: RatingRecord) -> str:
    is_whole = one.candidate and one.rater
    return f"{describe_value(one.candidate)} by {describe_value(one.rater)} again" if is_whole else ""


SCORE_READER = RecordReader(
    RECORDED_SCORE_COLUMNS,
    make_record=_make_score,
    form=RecordForm(attrgetter(*ScoreRecord.__slots__), lambda values: ScoreRecord(*values)),
    key_of=attrgetter("context", "attribute", "candidate", "judge", "prompt", "method"),
    repetition=lambda earlier, one: one.candidate and f"{describe_value(one.candidate)} again",
    once="each candidate once",
    field="candidate",
)
RATING_READER = RecordReader(
    RECORDED_RATING_COLUMNS,
    make_record=_make_rating,
    form=RecordForm(attrgetter(*RatingRecord.__slots__), lambda values: RatingRecord(*values)),
    key_of=attrgetter("context", "attribute", "candidate", "rater"),
    repetition=_rating_again,
    once="each candidate once for a rater",
    field="candidate",
)
read_scores = SCORE_READER.read
"""An empty score is an answer that could not be parsed."""
read_ratings = RATING_READER.read


CONTRADICTIONS = "choices that contradict their p_first, which counts"
_CHOICES: dict[str | int, str] = {choice: choice for choice in RECORDED_COMPARISON_COLUMNS.meanings}


def _make_comparison(row: CheckedRow) -> ComparisonRecord:
    first, second = read_sides(row)
    if "p_first" not in row.values and "choice" not in row.values:
        row.add_problem("", "neither p_first nor choice", "one of them")
    choice = row.choice("choice", _CHOICES) if "choice" in row.values else ""
    p_first = row.number("p_first", 0, 1) if "p_first" in row.values else None
    if choice and p_first is not None and choice != _decision(p_first):
        row.count(CONTRADICTIONS, f"{p_first:g} and {choice}")
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


COMPARISON_READER = RecordReader(
    RECORDED_COMPARISON_COLUMNS,
    make_record=_make_comparison,
    form=RecordForm(attrgetter(*ComparisonRecord.__slots__), lambda values: ComparisonRecord(*values)),
    key_of=attrgetter("context", "attribute", "first", "second", "judge", "prompt", "method"),
    repetition=lambda earlier, one: pair_again(one.first, one.second),
    once="each ordered pair once",
)
read_comparisons = COMPARISON_READER.read


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
