"""Reading recorded votes."""

import pytest

from evenhand.formats import RecordedVote, TableMapping, VoteRecord, read_votes
from tests.evenhand.formats.small_files import csv_file, json_lines, problems

HEADER = ["context", "attribute", "first", "second", "choice", "rater"]
ROW = {"context": "c", "attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": "h1"}


def test_read_votes_accepts_the_required_columns_alone():
    file = csv_file(HEADER, ["c", "overall", "a", "b", "both-bad", "h1"], ["c", "overall", "b", "a", "tie", "h1"])

    assert read_votes([file]) == [
        RecordedVote("data.csv", 2, "c", VoteRecord("overall", "a", "b", "both-bad", "h1")),
        RecordedVote("data.csv", 3, "c", VoteRecord("overall", "b", "a", "tie", "h1")),
    ]


def test_read_votes_reads_every_optional_column():
    details = {"strength": 2, "confidence": 0.8, "comment": "'=so", "seconds": 3.25, "campaign": "May"}
    (vote,) = read_votes([json_lines({**ROW, **details, "guidelines": "v2", "excluded": True, "occurrence": 1})])

    assert vote.occurrence == 1
    assert vote.vote == VoteRecord(
        *("overall", "a", "b", "first", "h1"), **{**details, "guidelines": "v2", "excluded": True}
    )


@pytest.mark.parametrize(("cell", "excluded"), [("true", True), ("No", False), ("1", True), ("", False)])
def test_read_votes_reads_excluded_in_a_table(cell, excluded):
    (vote,) = read_votes([csv_file([*HEADER, "excluded"], [*ROW.values(), cell])])

    assert vote.vote.excluded is excluded


@pytest.mark.parametrize(
    ("cell", "time"),
    [
        ("2026-05-01T09:30:00.25+02:00", "2026-05-01T07:30:00.250000+00:00"),
        ("2026-05-01 09:30", "2026-05-01T09:30:00+00:00"),
        ("", ""),
    ],
)
def test_read_votes_reads_times_as_utc(cell, time):
    (vote,) = read_votes([csv_file([*HEADER, "voted_at"], [*ROW.values(), cell])])

    assert vote.vote.voted_at == time


def test_read_votes_accepts_an_equal_vote_again():
    assert len(read_votes([json_lines(ROW, ROW)])) == 2


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"voted_at": "noon"}, 'voted_at: "noon" — expected a time such as 2026-05-01T09:30:00+00:00'),
        (
            {"voted_at": "0001-01-01T00:00:00+14:00"},
            'voted_at: "0001-01-01T00:00:00+14:00" — expected a time such as 2026-05-01T09:30:00+00:00',
        ),
        ({"gold_answer": "a"}, 'gold_answer: "a" — expected "first" or "second" or "tie"'),
        (
            {"choice": "neither"},
            'choice: "neither" — expected "first" or "second" or "tie" or "both-bad" or "cannot-judge"',
        ),
        ({"second": "a"}, 'second: "a" — expected a candidate other than first'),
        ({"rater": None}, "rater: missing — expected a text"),
        ({"seconds": -1}, "seconds: -1 — expected a number of at least 0"),
        ({"excluded": "perhaps"}, 'excluded: "perhaps" — expected true or false'),
        ({"occurrence": 0.5}, "occurrence: 0.5 — expected a whole number"),
        ({"winner": "a"}, "winner: unknown key — expected one of context, attribute, first, second, choice, rater"),
        ({"choice": "tie"}, '"a" against "b" again, with another answer — expected one vote of each rater'),
        ({"comment": "hm"}, '"a" against "b" again, with another answer — expected one vote of each rater'),
    ],
)
def test_read_votes_refuses_a_line(changes, problem):
    (line,) = problems(lambda: read_votes([json_lines(ROW, {**ROW, **changes})]))

    assert line.startswith(f"data.jsonl:2: {problem}")


@pytest.mark.parametrize("write", [csv_file, lambda header, row: json_lines(dict(zip(header, row, strict=True)))])
def test_read_votes_joins_an_identifier_in_two_columns_by_a_slash(write):
    header = ["question", "turn", *HEADER[1:]]
    mapping = TableMapping(
        "recorded-votes", {"context": "question", "context:2": "turn", **{name: name for name in HEADER[1:]}}
    )

    [vote] = read_votes([write(header, [81, 2, *list(ROW.values())[1:]])], mapping=mapping)

    assert vote.context == "81/2"


@pytest.mark.parametrize("empty", ["", None, "NaN"])
def test_read_votes_notes_lines_without_a_choice(empty):
    notes: list[str] = []

    votes = read_votes([json_lines(ROW, {**ROW, "rater": "other", "choice": empty})], notes=notes)

    assert [vote.vote.rater for vote in votes] == [ROW["rater"]]
    assert notes == ["not used, lines without a choice: 1 (line 2)"]
