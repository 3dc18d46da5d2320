"""Mappings: as options, as JSON, and what is wrong with them."""

import json
import shlex
from itertools import pairwise

import pytest

from evenhand.formats import TableMapping, parse_mapping
from tests.evenhand.formats.small_files import problems

PAIRS = TableMapping(
    "pairs",
    {"context_text": "the prompt", "text_first": "a", "text_second": "b", "choice": "winner"},
    {"first": ("A",), "second": ("B",), "tie": ("tie", "both's")},
)


def options_of(text: str, name: str) -> list[str]:
    words = shlex.split(text)
    return [value for word, value in pairwise(words) if word == name]


def test_options_and_json_of_a_mapping_give_the_same_mapping():
    options = PAIRS.options()

    assert parse_mapping("pairs", options_of(options, "--map"), options_of(options, "--choice")) == PAIRS
    assert TableMapping.from_json(json.loads(json.dumps(PAIRS.to_json()))) == PAIRS


def test_ignored_columns_are_those_without_a_field_and_not_named_by_a_choice():
    mapping = TableMapping("pairs", PAIRS.columns, {"first": ("@left",), "second": ("@right",)})

    assert PAIRS.ignored(["id", "the prompt", "a", "b", "winner", "note"]) == ["id", "note"]
    assert mapping.ignored(["left", "right", "winner", "note"]) == ["note"]


@pytest.mark.parametrize(
    ("layout", "columns", "choices", "problem"),
    [
        (
            *("candidates", ["text=a", "score:fun=s"], ["first=A"]),
            'choice: unknown meaning "first" — expected one of a number, none',
        ),
        ("long", [], [], 'layout: "long" — expected one of candidates, wide, pairs, votes'),
        ("wide", ["context_text=a"], [], "map: text:NAME: missing — expected a column for it: --map text:NAME=COLUMN"),
        ("wide", ["context_text=a", "text:M1=b", "score:fun=c"], [], 'map: "score:fun" — expected score:SYSTEM:NAME'),
        ("candidates", ["text=a", "colour=b"], [], 'map: unknown field "colour" — expected a field of the layout'),
        ("candidates", ["text=a", "score:=b"], [], 'map: unknown field "score:" — expected a field of the layout'),
        ("candidates", ["text"], [], 'map: "text" — expected FIELD=COLUMN'),
        ("candidates", ["text=a", "score=b"], [], "map: attribute: missing — expected a column for it"),
        ("pairs", ["text_first=a", "text_second=b", "choice=c"], [], "choice: missing — expected the values that mean"),
        ("pairs", ["chosen=a"], [], "map: text_second or rejected or system_second: missing"),
        ("pairs", ["text_first=a", "system_second=b"], [], "map: text_second: missing"),
        ("pairs", ["messages=a"], [], "map: text_first or chosen or system_first: missing"),
        ("candidates", ["text=a"], ["better=A"], 'choice: unknown meaning "better" — expected one of first, second'),
        ("pairs", ["choice=a"], ["first=A", "tie=A"], 'choice: "A" twice — expected one meaning for each value'),
        ("candidates", ["text=a", "text=b"], [], 'map: the field "text" twice — expected each field once'),
    ],
)
def test_parse_mapping_says_what_is_wrong(layout, columns, choices, problem):
    found = problems(lambda: parse_mapping(layout, columns, choices))

    assert any(line.startswith(problem) for line in found), found


def test_a_field_of_contexts_may_have_several_columns():
    mapping = parse_mapping("candidates", ["context=id", "context=turn", "context_text=q", "text=a"], [])

    assert mapping.columns_of("context") == ["id", "turn"]
    assert mapping.ignored(["id", "turn", "q", "a", "more"]) == ["more"]
    assert mapping.options() == (
        "--layout candidates --map context=id --map context=turn --map context_text=q --map text=a"
    )
    assert TableMapping.from_json(json.loads(json.dumps(mapping.to_json()))) == mapping.in_order()


@pytest.mark.parametrize(
    ("layout", "options", "texts"),
    [
        ("candidates", ["messages=c", "system=m"], {"text": "c"}),
        ("pairs", ["messages=c", "messages=d"], {"text_first": "c", "text_second": "d"}),
        ("candidates", ["text=a", "messages=c"], {"text": "a"}),
        ("pairs", ["chosen=a", "rejected=b", "messages=a", "messages=b"], {}),
    ],
)
def test_conversations_are_the_texts_if_no_other_column_is(layout, options, texts):
    mapping = parse_mapping(layout, options, [])

    assert {name: column for name, column in mapping.columns.items() if name.startswith("text")} == texts
