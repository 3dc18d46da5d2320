"""The first rows as they will be read."""

from judging.file_problems import ProblemLog
from judging.formats import TableMapping
from judging.formats.mappings.row_preview import PREVIEWED_ROWS, preview_rows
from judging.formats.tables.json_objects import open_json
from tests.judging.formats.small_files import json_lines

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
