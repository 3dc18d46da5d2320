"""A good file of each format, and the pieces of bytes that break it."""

from tests.evenhand.formats.dataset_examples import EXAMPLE_ROWS, example_file
from tests.evenhand.formats.people_tables import parquet_bytes, xlsx_bytes, zip_bytes
from tests.evenhand.formats.small_files import csv_file, json_array, json_lines

ROWS = {"context": "c", "attribute": "q", "first": "a", "second": "b", "p_first": 0.5, "candidate": "a", "score": 1}
GOOD = [
    *(example_file(name).content for name in EXAMPLE_ROWS),
    json_array(EXAMPLE_ROWS["llmbar"]).content,
    json_lines(
        {"dataset": {"attributes": [{"name": "q", "minimum": 1, "maximum": 5}]}},
        {
            "context": "c",
            "text": "t",
            "candidates": [
                {"candidate": "a", "text": "é", "scores": {"q": 4.5}, "ratings": {"q": {"r": 2}}},
                {"candidate": "b", "text": "\u2028"},
            ],
            "votes": [{"attribute": "q", "first": "a", "second": "b", "choice": "tie", "rater": "h"}],
        },
    ).content,
    json_lines(ROWS).content,
    csv_file(list(ROWS), list(map(str, ROWS.values()))).content,
]
PACKED = [
    parquet_bytes([EXAMPLE_ROWS["preference"]]),
    xlsx_bytes([EXAMPLE_ROWS["csv"]]),
    zip_bytes({"one.csv": example_file("csv").content}),
]
# Pieces that mean something to JSON, CSV or a checker of numbers.
PIECES = [
    *(b"", b"\0", b"\xff", b"\xef\xbb\xbf", b'"', b"\\", b"\\ud800", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r"),
    *(b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"[" * 3000, b'{"a":' * 3000),
    *(b"[]", b"{}", b'""'),
]
