"""Readers return records or raise InvalidFile for any content, and never raise another exception."""

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.file_problems import InvalidFile
from evenhand.formats import DATASET_FORMATS, SourceFile, read_comparisons, read_dataset, read_scores
from tests.evenhand.formats.dataset_examples import EXAMPLE_ROWS, JSON_FORMATS, example_file
from tests.evenhand.formats.people_tables import parquet_bytes, xlsx_bytes, zip_bytes
from tests.evenhand.formats.small_files import csv_file, json_array, json_lines, many_examples

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


def read_everything(content: bytes) -> None:
    file = SourceFile("file", content)
    readers = [read_comparisons, read_scores, read_dataset]
    readers += [lambda files, name=name: read_dataset(files, name) for name in DATASET_FORMATS]
    for read in readers:
        with contextlib.suppress(InvalidFile):
            read([file])


@pytest.mark.parametrize("content", GOOD)
def test_readers_survive_a_file_cut_anywhere(content):
    for end in range(0, len(content), 7):
        read_everything(content[:end])


@many_examples
@given(st.sampled_from([*GOOD, *PACKED]), st.data())
def test_readers_survive_changed_bytes(content, data):
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        removed = data.draw(st.integers(0, 8))
        piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=4))
        content = content[:start] + piece + content[start + removed :]

    read_everything(content)


@many_examples
@given(st.binary(max_size=200))
@example(b"{" * 100_000)
@example(b"[" * 100_000)
@example(b'[{"a":' * 50_000)
def test_readers_survive_any_bytes(content):
    read_everything(content)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


VALUES = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        10**400,
        0.5,
        1e50,
        float("nan"),
        float("-inf"),
        "",
        "x",
        "1",
        "\0",
        "é\u2028",
        "x" * 300,
    ),
    *(
        [],
        [1],
        ["x"],
        [None],
        [[]],
        [{}],
        ["x", 1],
        {},
        {"a": 1},
        {"": None},
        {"a": ["x"]},
        [{"a": "x"}, {"role": "user"}],
    ),
]


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_readers_survive_values_of_every_kind_under_every_key(name):
    row = EXAMPLE_ROWS[name]

    read_everything(json_lines(row, *({**row, key: value} for key in row for value in VALUES)).content)


@pytest.mark.parametrize("name", JSON_FORMATS)
@settings(many_examples, max_examples=8)
@given(data=st.data())
def test_readers_survive_any_values_under_any_keys(name, data):
    """Four changed rows a file: opening one takes thirty readers longer than reading a row."""
    row = EXAMPLE_ROWS[name]
    changed = ({**row, data.draw(st.sampled_from(list(row))): data.draw(json_values)} for _ in range(4))

    read_everything(json_lines(row, *changed).content)
