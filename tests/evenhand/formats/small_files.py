"""Small files of every kind, and the problems found in them."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

from evenhand.file_problems import InvalidFile
from evenhand.formats import MAX_FILE_BYTES, SourceFile, read_dataset

COHERENCE = {"name": "coherence", "minimum": 1, "maximum": 5}
VOTE = {"attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": "h1"}

# Settings of property tests: 100 examples, the same ones every time, without a time limit.
many_examples = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def text_file(text: str, name: str = "file.jsonl") -> SourceFile:
    return SourceFile(name, text.encode())


def json_lines(*values: object, name: str = "data.jsonl") -> SourceFile:
    return text_file("".join(json.dumps(value) + "\n" for value in values), name)


def json_array(*values: object, name: str = "data.json") -> SourceFile:
    return text_file(json.dumps(list(values), indent=2), name)


def csv_file(*rows: list[str], name: str = "data.csv") -> SourceFile:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return text_file(buffer.getvalue(), name)


def problems(call: Callable[[], object]) -> list[str]:
    """Return the lines of the InvalidFile that a call raises."""
    with pytest.raises(InvalidFile) as caught:
        call()
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return str(caught.value).split("\n")


def dataset_problems(*files: SourceFile, format: str | None = None, max_bytes: int = MAX_FILE_BYTES) -> list[str]:
    return problems(lambda: read_dataset(files, format, max_bytes=max_bytes))


def context(**changes: object) -> dict[str, object]:
    """Return a line of our own format with these changes. A key set to None is left out."""
    line = {
        "context": "c1",
        "text": "A sea of stories.",
        "candidates": [{"candidate": "a", "text": "Short."}],
        **changes,
    }
    return {key: value for key, value in line.items() if value is not None}


def candidate(**changes: object) -> dict[str, object]:
    entry = {"candidate": "a", "text": "Short.", **changes}
    return {key: value for key, value in entry.items() if value is not None}


def header(**values: object) -> dict[str, object]:
    return {"dataset": values}


def outputs(*files: SourceFile) -> tuple[str, list[tuple], list[str]]:
    """Return name, context, reference, candidates and notes of the dataset in the files."""
    dataset = read_dataset(files)
    contexts = [
        (one.key, one.text, one.reference, [(text.key, text.system, text.text) for text in one.candidates])
        for one in dataset.contexts
    ]
    return dataset.format, contexts, [note.partition("not used: ")[2] for note in dataset.notes]
