"""Read numbers for candidates: scores that a metric or a judge gave elsewhere, and ratings by people."""

from operator import attrgetter

from evenhand.file_problems import describe_value
from evenhand.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOUN_LENGTH, CheckedRow
from evenhand.formats.mappings.table_layouts import RECORDED_RATING_COLUMNS, RECORDED_SCORE_COLUMNS
from evenhand.formats.recorded.recorded_table import RecordReader, read_thinking
from evenhand.formats.recorded.spooled_records import RecordForm
from evenhand.formats.records import RatingRecord, ScoreRecord


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
