"""Records on disk."""

import math
from operator import attrgetter

import pytest

from evenhand.formats import ScoreRecord, read_scores, temporary_database
from evenhand.formats.recorded.spooled_records import RecordForm, SpooledRecords, find_repeated
from tests.evenhand.formats.small_files import csv_file, problems

FORM = RecordForm(attrgetter(*ScoreRecord.__slots__), lambda values: ScoreRecord(*values))


def scored(candidate: str, line: int, **fields) -> ScoreRecord:
    return ScoreRecord("scores.csv", line, "c", "overall", candidate, **fields)


@pytest.fixture
def records():
    spooled = SpooledRecords(FORM)
    spooled.append_all([scored("a", 1, score=0.1), scored("b", 2, text="\n“x”"), scored("a", 3, score=-math.inf)])
    return spooled


def test_records_come_back_as_they_were_in_order(records):
    assert list(records) == [scored("a", 1, score=0.1), scored("b", 2, text="\n“x”"), scored("a", 3, score=-math.inf)]
    assert (len(records), records[1].candidate, records[-1].line) == (3, "b", 3)
    assert [record.line for record in records[:2]] == [1, 2]
    with pytest.raises(IndexError):
        records[3]


def test_a_repeated_key_gives_the_first_and_the_later_record(records):
    pairs = list(find_repeated(records, attrgetter("context", "candidate")))

    assert [(earlier.line, later.line) for earlier, later in pairs] == [(1, 3)]


def test_files_that_fill_the_temporary_database_are_refused(monkeypatch):
    monkeypatch.setattr(temporary_database, "MAX_PAGES", 10)
    rows = [["c", "overall", f"candidate {number}", "1"] for number in range(2_000)]

    (problem,) = problems(lambda: read_scores([csv_file(["context", "attribute", "candidate", "score"], *rows)]))

    assert problem.startswith("data.csv: no space for all its records")
