"""Reading ratings."""

from evenhand.formats import RatingRecord, read_ratings
from tests.evenhand.formats.small_files import csv_file, problems

HEADER = ["context", "attribute", "candidate", "rater", "score"]


def test_read_ratings_reads_one_rater_and_candidate_a_line():
    file = csv_file(HEADER, ["c", "clarity", "a", "h1", "4.5"])

    assert read_ratings([file]) == [RatingRecord("data.csv", 2, "c", "clarity", "a", "h1", 4.5)]


def test_read_ratings_refuses_a_missing_score_and_a_repeated_rater():
    file = csv_file(
        HEADER, ["c", "clarity", "a", "h1", "4"], ["c", "clarity", "a", "h1", "4"], ["c", "x", "a", "h1", ""]
    )

    assert [line.split(" — ")[0] for line in problems(lambda: read_ratings([file]))] == [
        'data.csv:3: candidate: "a" by "h1" again',
        "data.csv:4: score: missing",
    ]
