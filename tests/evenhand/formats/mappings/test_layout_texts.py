"""Texts of contexts and candidates in tables: in several columns, in lists and conversations, or missing."""

import pytest

from evenhand.formats import CandidateRecord, TableMapping, VoteRecord
from tests.evenhand.formats.mappings.mapped_rows import CANDIDATES, CHOSEN, PAIRS, read, read_problems


def test_texts_of_a_context_in_two_columns_are_joined_by_a_blank_line():
    mapping = TableMapping("pairs", {**CHOSEN.columns, "context_text:2": "more"})
    rows = [{"q": "Fix it.", "more": more, "good": "So.", "bad": "No."} for more in ("He go.", "She go.", "")]

    assert [context.text for context in read(mapping, *rows).contexts] == [
        "Fix it.\n\nHe go.",
        "Fix it.\n\nShe go.",
        "Fix it.",
    ]


def test_an_identifier_in_two_columns_is_joined_by_a_slash():
    mapping = TableMapping("candidates", {"context": "id", "context:2": "turn", **CANDIDATES.columns})
    rows = [{"id": 81, "turn": turn, "q": f"Turn {turn}?", "a": "So.", "m": "M1", "s": 1} for turn in (1.0, 2.0)]

    assert [context.key for context in read(mapping, *rows).contexts] == ["81/1", "81/2"]


def test_lines_that_are_merged_though_another_text_differs_are_noted():
    rows = [{"q": "Fix it.", "input": text, "good": f"{text}!", "bad": "No."} for text in ("a", "b", "a", "c")]

    record = read(CHOSEN, *rows)

    assert len(record.contexts) == 1
    assert record.notes == (
        "input: cells other than on the first line of their context, not read (if it is part of the context's text: "
        '--map context_text=input): 2 (line 2: "b", line 4: "c")',
    )


LISTS = [
    {"q": '["b", "a"]', "a": text, "m": f"M{i}", "s": 1} for i, text in enumerate(('["apple", "pear"]', "[]", "[1, 2]"))
]


def test_texts_that_are_lists_stay_as_they_are_and_both_readings_are_noted():
    record = read(CANDIDATES, *LISTS)

    assert [context.text for context in record.contexts] == ['["b", "a"]']
    assert [one.text for one in record.contexts[0].candidates] == [row["a"] for row in LISTS]
    assert record.notes[1].endswith(' (line 1: "[\\"apple\\", \\"pear\\"]" or "pear", line 2: "[]" or "")')
    assert [note.rpartition(" (line")[0] for note in record.notes] == [
        "q: cells like a list or a conversation, read as plain text (for conversations: --map messages=q): 3",
        "a: cells like a list or a conversation, read as plain text (for conversations: --map messages=a): 2",
        "a: cells like a list or a conversation, read as plain text: 1",
    ]


def test_lists_of_texts_are_conversations_where_the_mapping_says_so():
    mapping = TableMapping("candidates", {**CANDIDATES.columns, "messages": "q", "messages:2": "a"})

    record = read(mapping, *LISTS[:2], {"q": '["b", "a", null]', "a": '["No.", null]', "m": "M3"})

    [context] = record.contexts
    assert context.text == "b\n\na"
    assert [one.text for one in context.candidates] == ["pear", "", ""]
    assert record.notes == (
        'a: cells with a message that is null, read as empty: 2 (line 2: "[]", line 3: "[\\"No.\\", null]")',
        'q: cells with a message that is null, read as empty: 1 (line 3: "[\\"b\\", \\"a\\", null]")',
    )


TALK = '[{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "%s"}]'


@pytest.mark.parametrize("columns", [{"messages": "a", "messages:2": "b"}, {}])
def test_conversations_give_the_context_its_text(columns):
    mapping = TableMapping("pairs", {"text_first": "a", "text_second": "b", **columns})

    [context] = read(mapping, {"a": TALK % "So.", "b": TALK % "No."}).contexts

    assert (context.text, [one.text for one in context.candidates]) == ("Why?", ["So.", "No."])


def test_a_conversation_that_ends_with_the_user_has_no_answer():
    found = read_problems(CHOSEN, {"q": "Why?", "good": "So.", "bad": '[{"role": "user", "content": "Why?"}]'})

    assert [problem.partition(" — ")[2] for problem in found] == [
        "expected a conversation that ends with an answer, not with the user"
    ]


PLAIN_PAIRS = TableMapping("pairs", {"text_first": "a", "text_second": "b", "choice": "w"}, PAIRS.choices)


def test_pairs_without_a_context_have_one_on_each_line_without_a_text():
    record = read(PLAIN_PAIRS, *({"a": "One.", "b": "Two.", "w": "A"} for _ in range(2)))

    assert [(context.key, context.text, len(context.candidates)) for context in record.contexts] == [
        ("0", "", 2),
        ("1", "", 2),
    ]
    assert record.notes == ("lines without a text of the context: 2 (line 1, line 2)",)


@pytest.mark.parametrize(
    ("mapping", "row"),
    [
        (
            TableMapping("wide", {"context": "id", "text:M1": "a", "text:M2": "b"}),
            {"id": "c1", "a": "One.", "b": "Two."},
        ),
        (TableMapping("candidates", {"context": "id", "text": "a"}), {"id": "c1", "a": "One."}),
        (
            TableMapping("votes", {"context": "id", "first": "f", "second": "s", "choice": "w"}, PAIRS.choices),
            {"id": "c1", "f": "x", "s": "y", "w": "A"},
        ),
    ],
)
def test_contexts_without_a_text_are_read_in_every_layout(mapping, row):
    [context] = read(mapping, row).contexts

    assert (context.key, context.text) == ("c1", "")


def test_battles_without_texts_name_candidates_by_their_systems():
    mapping = TableMapping(
        "pairs",
        {"context": "id", "system_first": "a", "system_second": "b", "choice": "w", "rater": "r"},
        {"first": ("@a",), "second": ("@b",)},
    )

    record = read(mapping, {"id": "q1", "a": "M1", "b": "M2", "w": "M2", "r": "u1"})

    [context] = record.contexts
    assert context.candidates == (CandidateRecord("M1", "", "M1"), CandidateRecord("M2", "", "M2"))
    assert context.votes == (VoteRecord("overall", "M1", "M2", "second", "u1"),)
    assert [note.partition(":")[0] for note in record.notes] == ["there are no texts of candidates"]
