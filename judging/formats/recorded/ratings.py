"""Read ratings: numbers that people gave candidates, one rater and candidate a line."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Unpack

from judging.file_problems import ProblemLog, describe_value
from judging.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, CheckedRow
from judging.formats.recorded.recorded_table import ReadOptions, RecordedColumns, read_recorded
from judging.formats.recorded.spooled_records import RecordForm, find_repeated
from judging.formats.records import RatingRecord
from judging.formats.source_files import SourceFile

RECORDED_RATING_COLUMNS = RecordedColumns(
    noun="ratings", required=("context", "attribute", "candidate", "rater", "score"), optional=(), ignored=()
)
_FORM = RecordForm(attrgetter(*RatingRecord.__slots__), lambda values: RatingRecord(*values))


def read_ratings(files: Sequence[SourceFile], **options: Unpack[ReadOptions]) -> Sequence[RatingRecord]:
    """Read the ratings of all files, in order.

    Raises InvalidFile with every problem of every file, and with the ratings that were read.
    """
    return read_recorded(
        files,
        RECORDED_RATING_COLUMNS,
        make_record=_make_rating,
        form=_FORM,
        refuse_repeated=_refuse_repeated_raters,
        **options,
    )


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


def _refuse_repeated_raters(ratings: Sequence[RatingRecord], log: ProblemLog) -> None:
    for earlier, one in find_repeated(ratings, attrgetter("context", "attribute", "candidate", "rater")):
        if one.candidate and one.rater:
            value = f"{describe_value(one.candidate)} by {describe_value(one.rater)} again"
            expected = f"each candidate once for a rater; {earlier.file} has it on line {earlier.line}"
            log.add(one.file, one.line, "candidate", value, expected)
