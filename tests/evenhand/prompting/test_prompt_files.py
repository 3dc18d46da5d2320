"""Prompts as JSON files."""

import json

import pytest

from evenhand.file_problems import InvalidFile
from evenhand.prompting.prompt_files import read_prompt
from evenhand.prompting.templates import PromptText


def problems(content):
    with pytest.raises(InvalidFile) as invalid:
        read_prompt(content, file="mine.json")
    return list(map(str, invalid.value.problems))


def test_read_prompt_reads_its_fields_and_defaults_to_version_1():
    content = json.dumps({"name": "mine", "method": "comparative", "template": "<A>\n<B> ", "label_first": " A"})

    assert read_prompt(content.encode(), file="mine.json") == PromptText(
        name="mine", version=1, method="comparative", template="<A>\n<B> ", label_first=" A"
    )


def test_read_prompt_names_every_invalid_field():
    content = json.dumps({"name": "mine", "version": 1.5, "template": ["<A>"], "tempalte": "<A>"})

    assert problems(content.encode()) == [
        "mine.json: version: 1.5 — expected a whole number above 0",
        "mine.json: template: a list of 1 — expected a text",
        "mine.json: tempalte: unknown — expected one of: name, version, method, template, answer_prefix, label_first, "
        "label_second, system, reasoning_template, source, label_tie, verdict, verdict_place, reply_tokens",
        "mine.json: method: missing — expected a text",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"name": "a",\n "method" 3}', "mine.json:2: column 11: Expecting ':' delimiter — expected one JSON object"),
        (b"[]", "mine.json:1: a list of 0 — expected one JSON object"),
        (b'{"name": "\xff"}', "mine.json: byte 10 is not UTF-8 — expected a JSON object in UTF-8"),
        (b'{"name": "a", "name": "b"}', "mine.json: a field is given twice in one object — expected one JSON object"),
    ],
)
def test_read_prompt_refuses_anything_but_a_json_object(content, problem):
    assert problems(content) == [problem]
