"""Read votes that people gave elsewhere, or that an export wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Unpack, cast, get_args

from judging.file_problems import ProblemLog, describe_value
from judging.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, CheckedRow
from judging.formats.mappings.reading_notes import is_missing_score
from judging.formats.recorded.recorded_table import ReadOptions, RecordedColumns, read_recorded
from judging.formats.recorded.spooled_records import RecordForm, find_repeated
from judging.formats.records import RecordedVote, VoteChoice, VoteRecord
from judging.formats.source_files import SourceFile

VOTE_DETAILS = (
    *("strength", "confidence", "comment", "seconds", "campaign", "guidelines", "excluded", "purpose"),
    "reading_aids",
)
READING_AIDS = ("differences", "scrolling")
VOTE_PURPOSES = ("ordinary", "held-out", "gold", "repeat", "second-round")
PERSON, JUDGE, SKIPPED = "person", "judge", "skipped"
EVERY_VOTE_DETAILS = (
    *("rater_type", "p_first", "run", "prompt", "skip_reason", "exclude_reason", "changes"),
    *("shown_at", "voted_at", "changed_at"),
)
"""Further columns of a file with skipped pairs or answers of judges, which `export_votes` writes on request."""
VOTE_CHOICES: dict[str | int, str] = {choice: choice for choice in get_args(VoteChoice)}
RECORDED_VOTE_COLUMNS = RecordedColumns(
    noun="votes",
    required=("context", "attribute", "first", "second", "choice", "rater"),
    optional=(*VOTE_DETAILS, "occurrence"),
    ignored=EVERY_VOTE_DETAILS,
)
_PURPOSES: dict[str | int, str] = {purpose: purpose for purpose in VOTE_PURPOSES}
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_read_values = attrgetter("file", "line", "context", "occurrence", *(f"vote.{name}" for name in VoteRecord.__slots__))


def read_votes(files: Sequence[SourceFile], **options: Unpack[ReadOptions]) -> Sequence[RecordedVote]:
    """Read the votes of all files, in order. A line that repeats an earlier vote exactly is read too.

    Raises InvalidFile with every problem of every file, and with the votes that were read.
    """
    unused = Counter[str]()
    votes = read_recorded(
        files,
        RECORDED_VOTE_COLUMNS,
        make_record=_make_vote,
        form=RecordForm(_read_values, _make_from_values),
        refuse_repeated=_refuse_other_answers,
        change_rows=partial(_votes_of_people, unused=unused),
        **options,
    )
    if (notes := options.get("notes")) is not None:
        notes += [f"not used: {number:,} {noun}" for noun, number in unused.items()]
    return votes


def _votes_of_people(rows: Iterable[CheckedRow], *, unused: Counter[str]) -> Iterator[CheckedRow]:
    """Yield the rows of votes of people. Answers of judges and skipped pairs are counted in `unused`."""
    for row in rows:
        if row.values.get("rater_type") == JUDGE:
            unused["answers of judges; import_comparisons stores such answers"] += 1
        elif row.values.get("rater_type") == PERSON and row.values.get("choice") == SKIPPED:
            unused["skipped pairs"] += 1
        elif is_missing_score(row.values.get("choice", "na")):
            unused["lines without a choice"] += 1
        else:
            yield row


def read_vote(row: CheckedRow) -> VoteRecord:
    """Read the vote of a row. Its candidates are not looked up."""
    first, second = (row.text(name, max_length=MAX_KEY_LENGTH) for name in ("first", "second"))
    if first and first == second:
        row.add_problem("second", describe_value(second), "a candidate other than first")
    return VoteRecord(
        attribute=row.text("attribute", max_length=MAX_NAME_LENGTH),
        first=first,
        second=second,
        choice=cast(VoteChoice, row.choice("choice", VOTE_CHOICES)),
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
    )


def _make_vote(row: CheckedRow) -> RecordedVote:
    context = row.text("context", max_length=MAX_KEY_LENGTH)
    return RecordedVote(row.file, row.line, context, read_vote(row), _read_occurrence(row))


def _make_from_values(values: Sequence[Any]) -> RecordedVote:
    file, line, context, occurrence, *vote = values
    return RecordedVote(file, line, context, VoteRecord(*vote), occurrence)


def _read_occurrence(row: CheckedRow) -> int:
    if "occurrence" not in row.values:
        return 0
    number = row.number("occurrence", 0, 1_000_000) or 0
    if not float(number).is_integer():
        row.add_problem("occurrence", row.describe("occurrence"), "a whole number")
    return int(number)


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


def _refuse_other_answers(votes: Sequence[RecordedVote], log: ProblemLog) -> None:
    """Log each vote that differs from an earlier vote of the same rater on the same ordered pair."""
    for earlier, one in find_repeated(votes, attrgetter("key")):
        if earlier.vote != one.vote and one.first and one.second and one.vote.choice:
            pair = f"{describe_value(one.first)} against {describe_value(one.second)} again, with another answer"
            expected = f"one vote of each rater on an ordered pair; {earlier.file} has it on line {earlier.line}"
            log.add(one.file, one.line, "", pair, expected)
