"""Read votes that people gave elsewhere, or that an export wrote."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, cast

from evenhand.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, CheckedRow
from evenhand.formats.mappings.cell_texts import is_missing_score
from evenhand.formats.mappings.table_layouts import RECORDED_VOTE_COLUMNS
from evenhand.formats.recorded.recorded_table import RecordReader, pair_again, read_sides, read_whole_number
from evenhand.formats.recorded.spooled_records import RecordForm
from evenhand.formats.records import RecordedVote, VoteChoice, VoteRecord

MOST_REPEATS = 1_000_000
READING_AIDS = ("differences", "scrolling")
VOTE_PURPOSES = ("ordinary", "held-out", "gold", "repeat", "second-round")
PERSON, JUDGE, SKIPPED, TRAINING = "person", "judge", "skipped", "training"
_CHOICES: dict[str | int, str] = {choice: choice for choice in RECORDED_VOTE_COLUMNS.meanings}
_GOLD_ANSWERS: dict[str | int, str] = {choice: choice for choice in ("first", "second", "tie")}
_PURPOSES: dict[str | int, str] = {purpose: purpose for purpose in VOTE_PURPOSES}
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_read_values = attrgetter("file", "line", "context", "occurrence", *(f"vote.{name}" for name in VoteRecord.__slots__))


def _votes_of_people(rows: Iterable[CheckedRow]) -> Iterator[CheckedRow]:
    """Yield the rows of votes of people. Answers of judges and skipped pairs are counted."""
    for row in rows:
        if row.values.get("rater_type") == JUDGE:
            row.count("not used, answers of judges; import_comparisons stores such answers")
        elif row.values.get("rater_type") == PERSON and row.values.get("choice") == SKIPPED:
            row.count("not used, skipped pairs")
        elif row.values.get("purpose") == TRAINING:
            row.count("not used, training answers")
        elif is_missing_score(row.values.get("choice", "na")):
            row.count("not used, lines without a choice")
        else:
            yield row


def read_vote(row: CheckedRow) -> VoteRecord:
    """Read the vote of a row. Its candidates are not looked up."""
    first, second = read_sides(row)
    return VoteRecord(
        attribute=row.text("attribute", max_length=MAX_NAME_LENGTH),
        first=first,
        second=second,
        choice=cast(VoteChoice, row.choice("choice", _CHOICES)),
        rater=row.text("rater", max_length=MAX_NAME_LENGTH),
        strength=row.number("strength") if "strength" in row.values else None,
        confidence=row.number("confidence") if "confidence" in row.values else None,
        comment=row.optional_text("comment"),
        seconds=row.number("seconds", 0) if "seconds" in row.values else None,
        campaign=row.optional_text("campaign", max_length=MAX_NAME_LENGTH),
        guidelines=row.optional_text("guidelines"),
        excluded=_read_flag(row, "excluded"),
        purpose=row.choice("purpose", _PURPOSES) if "purpose" in row.values else "ordinary",
        reading_aids=_read_aids(row),
        gold_answer=row.choice("gold_answer", _GOLD_ANSWERS) if row.optional_text("gold_answer") else "",
        voted_at=_read_time(row, "voted_at"),
        exclude_reason=row.optional_text("exclude_reason"),
    )


def _make_vote(row: CheckedRow) -> RecordedVote:
    context = row.text("context", max_length=MAX_KEY_LENGTH)
    return RecordedVote(row.file, row.line, context, read_vote(row), read_whole_number(row, "occurrence", MOST_REPEATS))


def _make_from_values(values: Sequence[Any]) -> RecordedVote:
    file, line, context, occurrence, *vote = values
    return RecordedVote(file, line, context, VoteRecord(*vote), occurrence)


def _read_flag(row: CheckedRow, key: str) -> bool:
    """Read true or false; a missing value is false."""
    value = row.values.get(key, False)
    flag = value if isinstance(value, bool) else _FLAGS.get(str(value).strip().lower())
    if flag is None:
        row.add_problem(key, row.describe(key), "true or false")
    return bool(flag)


def _read_aids(row: CheckedRow) -> str:
    """Read names of reading aids, separated by spaces. Their order does not matter."""
    names = row.optional_text("reading_aids").split()
    if set(names) - set(READING_AIDS):
        row.add_problem("reading_aids", row.describe("reading_aids"), f"any of {', '.join(READING_AIDS)}, with spaces")
    return " ".join(aid for aid in READING_AIDS if aid in names)


def _read_time(row: CheckedRow, key: str) -> str:
    """Read a time in ISO 8601, and return it in UTC. A time without a zone is in UTC."""
    text = row.optional_text(key)
    if not text:
        return ""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=time.tzinfo or UTC).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):  # the first and the last day of the calendar have no time in some zones
        row.add_problem(key, row.describe(key), "a time such as 2026-05-01T09:30:00+00:00")
        return ""


def _other_answer(earlier: RecordedVote, one: RecordedVote) -> str:
    """Describe a vote that differs from an earlier vote of the same rater on the same ordered pair."""
    is_other = one.vote.choice and earlier.vote != one.vote
    pair = pair_again(one.first, one.second) if is_other else ""
    return pair and f"{pair}, with another answer"


read_votes = RecordReader(
    RECORDED_VOTE_COLUMNS,
    make_record=_make_vote,
    form=RecordForm(_read_values, _make_from_values),
    key_of=attrgetter("key"),
    repetition=_other_answer,
    once="one vote of each rater on an ordered pair",
    change_rows=_votes_of_people,
).read
"""A line that repeats an earlier vote exactly is read too."""
