"""Readers return records or raise InvalidFile for any content, and never raise another exception."""

import contextlib
import json
import signal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.file_problems import InvalidFile
from evenhand.formats import DATASET_FORMATS, SourceFile, read_comparisons, read_dataset, read_scores
from evenhand.formats.logs.judged_pairs import JUDGE_ARENA_KEYS
from evenhand.formats.people_files import read_people
from tests.evenhand.formats.dataset_examples import EXAMPLE_ROWS, JSON_FORMATS
from tests.evenhand.formats.good_files import GOOD, PACKED, PIECES
from tests.evenhand.formats.small_files import json_lines, many_examples


def read_everything(content: bytes) -> None:
    file = SourceFile("file", content)
    readers = [read_comparisons, read_scores, read_dataset]
    readers += [lambda files, name=name: read_dataset(files, name) for name in DATASET_FORMATS]
    for read in readers:
        with contextlib.suppress(InvalidFile):
            read([file])


@pytest.mark.parametrize("content", GOOD)
def test_readers_survive_a_file_cut_anywhere(content):
    for end in range(0, len(content), 19):
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


LONG = 200_000  # an expression that tries each way to divide so many characters takes minutes
OF_ARENA = dict.fromkeys(JUDGE_ARENA_KEYS, "x") | {"judge_completion": "score A=" + " " * LONG + "x"}


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (b"context,attribute,candidate,score\nc,q,a," + b"9" * LONG + b"x\n", read_scores),
        (json.dumps(OF_ARENA).encode(), read_comparisons),
        (b"email\na@" + b"." * LONG + b"@\n", lambda files: read_people(*files)),
    ],
    ids=["number", "score in a reply", "address"],
)
def test_readers_look_at_each_character_of_a_long_value_a_few_times_only(content, read):
    with stopped_after(seconds=20), contextlib.suppress(InvalidFile):
        read([SourceFile("file", content)])


@contextlib.contextmanager
def stopped_after(*, seconds):
    """Raise TimeoutError in the block after these seconds of this process's own work."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
