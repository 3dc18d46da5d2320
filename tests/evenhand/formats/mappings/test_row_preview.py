"""The first rows as they will be read."""

from evenhand.file_problems import ProblemLog
from evenhand.formats import TableMapping
from evenhand.formats.mappings.row_preview import PREVIEWED_ROWS, preview_rows
from evenhand.formats.tables.csv_table import open_csv
from evenhand.formats.tables.json_objects import open_json
from tests.evenhand.formats.small_files import json_lines, text_file

MAPPING = TableMapping(
    "pairs",
    {"context_text": "q", "text_first": "a", "text_second": "b", "choice": "w", "score:x": "s"},
    {"first": ("A",), "none": ("skip",)},
)


def test_preview_shows_values_as_they_will_be_read():
    row = {"q": "Why?", "a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}], "b": "No."}
    choices = [{"w": "A", "s": 2.50}, {"w": "skip", "s": "x"}, {"w": "B"}]
    file = open_json(json_lines(*(row | choice for choice in choices)), ProblemLog())

    preview = preview_rows(file, MAPPING)

    assert preview.fields == list(MAPPING.columns.items())
    assert preview.rows == [
        (1, ["Why?", "So.", "No.", "first", "2.5"]),
        (2, ["Why?", "So.", "No.", "none", None]),
        (3, ["Why?", "So.", "No.", None, ""]),
    ]


def test_preview_is_short():
    file = open_json(json_lines(*({"q": "long " * 1_000, "a": "x", "b": "y"} for _ in range(30))), ProblemLog())

    preview = preview_rows(file, MAPPING)

    assert len(preview.rows) == PREVIEWED_ROWS
    assert len(preview.rows[0][1][0]) == 300


def test_preview_lists_the_lines_that_cannot_be_read():
    lines = [f"Why {number}?,So.,No.,A,1" for number in range(2, 11)]
    lines[5:7] = ["Why 7?,So.,No.,A", "Why 8?,So.,No.,A,1,2"]
    file = open_csv(text_file("\n".join(["q,a,b,w,s", *lines]), "broken.csv"), ProblemLog())

    preview = preview_rows(file, MAPPING)

    assert [line for line, _ in preview.rows] == [2, 3, 4, 5, 6, 9, 10]
    assert preview.summary == "2 of the first 9 lines cannot be read."
    assert [str(problem) for problem in preview.problems] == [
        "broken.csv:7: 4 cells — expected 5 cells, as in the header",
        "broken.csv:8: 6 cells — expected 5 cells, as in the header",
    ]


def test_preview_of_broken_json_says_where_it_breaks():
    file = open_json(text_file('[{"q": "Why?"},\n {"q" "How?"}]', "broken.json"), ProblemLog())

    preview = preview_rows(file, MAPPING)

    assert preview.summary == "1 of the first 2 lines cannot be read."
    [problem] = preview.problems
    assert (problem.file, problem.line, problem.expected) == ("broken.json", 2, "one whole JSON array of objects")


def test_preview_counts_wrong_cells_as_no_unreadable_lines():
    file = open_json(json_lines({"q": {}, "a": 1, "b": "y", "w": {}, "s": "x"}), ProblemLog())

    preview = preview_rows(file, MAPPING)

    assert (len(preview.rows), preview.unreadable, preview.problems) == (1, 0, ())


def test_preview_shows_a_missing_score_as_empty():
    file = open_json(json_lines({"q": "Why?", "a": "So.", "b": "No.", "w": "A", "s": "n/a"}), ProblemLog())

    assert preview_rows(file, MAPPING).rows == [(1, ["Why?", "So.", "No.", "first", ""])]
