"""Public tables whose texts are conversations, in the forms that their copies have."""

import json

import pytest

from evenhand.formats import read_dataset
from tests.evenhand.formats.people_tables import csv_bytes, json_lines_bytes
from tests.evenhand.formats.small_files import SourceFile


def talk(answer: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": answer}]


TRANSCRIPT = "\n\nHuman: Why?\n\nAssistant: {}"
PREFERENCE = [
    {"prompt": "Why?", "chosen": talk("So."), "rejected": talk("No.")},
    {"prompt": "Why?", "chosen": "So.", "rejected": "No."},
    {"chosen": TRANSCRIPT.format("So."), "rejected": TRANSCRIPT.format("No.")},
]
ARENA = {"model_a": "M1", "model_b": "M2", "winner": "model_a"}
RESPONSES = {"model_a": "M1", "model_b": "M2", "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0}


def as_json_cells(row):
    return {name: json.dumps(value) if isinstance(value, list) else value for name, value in row.items()}


def read_csv(*rows):
    return read_dataset([SourceFile("d.csv", csv_bytes([as_json_cells(row) for row in rows]))])


def read_lines(*rows):
    return read_dataset([SourceFile("d.jsonl", json_lines_bytes(rows))])


def texts(record):
    return [(context.text, *(one.text for one in context.candidates)) for context in record.contexts]


@pytest.mark.parametrize("read", [read_csv, read_lines])
@pytest.mark.parametrize("row", [*PREFERENCE, {**ARENA, "conversation_a": talk("So."), "conversation_b": talk("No.")}])
def test_conversations_are_read_alike_from_cells_and_from_lists(read, row):
    record = read(row)

    assert texts(record) == [("Why?", "So.", "No.")]
    assert record.notes == ()


def test_a_chosen_text_that_is_a_list_stays_as_it_is():
    record = read_csv({"prompt": "Name fruits.", "chosen": '["apple", "pear"]', "rejected": "[1]"})

    assert texts(record) == [("Name fruits.", '["apple", "pear"]', "[1]")]


@pytest.mark.parametrize("read", [read_csv, read_lines])
def test_messages_that_are_null_are_empty_and_counted(read):
    record = read(
        {**RESPONSES, "prompt": ["How?"], "response_a": [None], "response_b": ["No."]},
        {**RESPONSES, "prompt": [None, "Why?"], "response_a": ["So.", None], "response_b": [None, "No."]},
    )

    assert texts(record) == [("How?", "", "No."), ("Why?", "", "No.")]
    assert [note.partition(" (")[0] for note in record.notes] == [
        "response_a: cells with a message that is null, read as empty: 2",
        "prompt: cells with a message that is null, read as empty: 1",
        "response_b: cells with a message that is null, read as empty: 1",
    ]


@pytest.mark.parametrize("cell", ["[1]", '["a" "b"]', '["cut off'])
def test_a_cell_that_begins_like_a_list_and_is_none_is_a_noted_text(cell):
    record = read_csv({**RESPONSES, "prompt": '["Why?"]', "response_a": cell, "response_b": '["No."]'})

    assert texts(record) == [("Why?", cell, "No.")]
    assert record.notes[0].startswith("response_a: cells like a list or a conversation, read as plain text: 1 (line 2:")


def test_the_input_of_an_instruction_belongs_to_the_context():
    rows = [{"instruction": "Fix.", "input": text, "output": "So.", "generator": "M1"} for text in ("a", "b", "")]

    assert [context.text for context in read_lines(*rows).contexts] == ["Fix.\n\na", "Fix.\n\nb", "Fix."]
