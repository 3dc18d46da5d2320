"""Texts of cells: plain ones, and conversations."""

import json

import pytest

from evenhand.formats.mappings.cell_texts import Conversation, looks_structured, plain_text, read_conversation

MESSAGES = [
    {"role": "user", "content": "Why?"},
    {"role": "assistant", "content": "Because."},
    {"role": "user", "content": "How?"},
    {"role": "assistant", "content": [{"type": "text", "text": "Thus."}, {"type": "image"}]},
]
TRANSCRIPT = "\n\nHuman: Why?\n\nAssistant: Because.\n\nHuman: How?\n\nAssistant: Thus."


@pytest.mark.parametrize("value", [MESSAGES, json.dumps(MESSAGES), TRANSCRIPT])
def test_a_conversation_has_a_prompt_and_an_answer(value):
    assert read_conversation(value) == Conversation("Why?\n\nHow?", "Thus.", has_both=True)


@pytest.mark.parametrize("value", [MESSAGES[:3], json.dumps(MESSAGES[:3]), TRANSCRIPT.rpartition("\n\n")[0]])
def test_a_conversation_that_ends_with_the_user_has_no_answer(value):
    assert read_conversation(value) == Conversation("Why?\n\nHow?", None, has_both=True)


@pytest.mark.parametrize(
    ("value", "conversation"),
    [
        ('["Why?","How?"]', Conversation("Why?\n\nHow?", "How?")),
        (["Why?", "How?"], Conversation("Why?\n\nHow?", "How?")),
        ('["Why?", null]', Conversation("Why?", "", nulls=1)),
        ("[null]", Conversation("", "", nulls=1)),
        ('[null, "How?"]', Conversation("How?", "How?", nulls=1)),
        ("[]", Conversation("", "", nulls=1)),
    ],
)
def test_a_list_of_texts_is_one_speakers_turns_only_in_a_column_of_conversations(value, conversation):
    assert read_conversation(value, is_declared=True) == conversation
    assert read_conversation(value) is None


def test_a_message_may_be_null():
    messages = [MESSAGES[0], {"role": "assistant", "content": None}]

    assert read_conversation(messages) == Conversation("Why?", "", nulls=1, has_both=True)


@pytest.mark.parametrize(
    "value",
    ["plain", "[1, 2]", '["a" "b"]', '["cut', '[{"role": "user"}]', "Human: alone", "Human rights", 4, {"a": 1}, None],
)
def test_no_conversation_is_made_of_other_values(value):
    assert read_conversation(value, is_declared=True) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *(("plain", "plain"), (4, "4"), (4.0, "4"), (1.5, "1.5"), (True, "true"), (["one"], "one"), (["a", "b"], None)),
        *(({"a": 1}, None), ([], None), ('["a", "b"]', '["a", "b"]')),
    ],
)
def test_plain_texts_stay_as_they_are(value, text):
    assert plain_text(value) == text


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        *(('["a", "b"]', True), ("[null]", True), ("[1, 2]", True), ("[]", True), ('{"role": "user"}', True)),
        *(("['a']", True), ("[INST] Hello", False), ("{braces}", False), ("plain", False), (TRANSCRIPT, True)),
    ],
)
def test_a_text_that_begins_like_a_list_or_a_conversation_looks_structured(text, looks):
    assert looks_structured(text) is looks
