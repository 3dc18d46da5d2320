"""WebNLG: one text about a set of triples per line."""

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, read_dataset
from tests.evenhand.formats.small_files import csv_file, dataset_problems

HEADER = ["id", "mr", "team", "text", "bleu", "fluency", "grammar", "semantics"]
INTRODUCTION = "The following are semantic triples of the form (subject|relation|object)\n\n"


def test_read_dataset_joins_lines_that_share_their_triples():
    file = csv_file(
        HEADER,
        ["1", "A | is | B", "adapt", "A is B.", "0.1", "3", "2.5", "1"],
        ["2", "C | has | D<br>D | of | C", "adapt", "C has D.", "0.1", "1", "1", "1"],
        ["3", "A | is | B", "tilburg-pipe", "", "", "1", "", "1"],
    )

    assert read_dataset([file]) == DatasetRecord(
        context_noun="passage",
        candidate_noun="summary",
        attributes=tuple(AttributeRecord(name, minimum=1, maximum=3) for name in ("fluency", "grammar", "semantics")),
        contexts=(
            ContextRecord(
                key="0",
                text=INTRODUCTION + "A | is | B",
                candidates=(
                    CandidateRecord("adapt", "A is B.", "adapt", {"fluency": 3, "grammar": 2.5, "semantics": 1}),
                    CandidateRecord("tilburg-pipe", "", "tilburg-pipe", {"fluency": 1, "semantics": 1}),
                ),
            ),
            ContextRecord(
                key="1",
                text=INTRODUCTION + "C | has | D\nD | of | C",
                candidates=(
                    CandidateRecord("adapt", "C has D.", "adapt", {"fluency": 1, "grammar": 1, "semantics": 1}),
                ),
            ),
        ),
        format="webnlg",
    )


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        (1, "", "mr: missing — expected a text"),
        (2, "", "team: missing — expected a text"),
        (2, "adapt", 'team: "adapt" again — expected each candidate of context "0" once'),
        (5, "3.5", 'fluency: "3.5" — expected a number from 1 to 3'),
        (6, "good", 'grammar: "good" — expected a number from 1 to 3'),
    ],
)
def test_read_dataset_refuses_a_line(column, cell, problem):
    row = ["2", "A | is | B", "vietnam", "A is B.", "0.1", "3", "3", "3"]
    row[column] = cell
    file = csv_file(HEADER, ["1", "A | is | B", "adapt", "A is B.", "0.1", "3", "3", "3"], row)

    assert dataset_problems(file) == [f"data.csv:3: {problem}"]


def test_read_dataset_names_the_columns_that_are_missing():
    file = csv_file(["mr", "team", "text", "fluency", "grammar"], ["A | is | B", "adapt", "A is B.", "3", "3"])

    [problem] = dataset_problems(file)

    assert problem.startswith("data.csv:1: semantics: missing — expected a column of this name")
