"""Broken JSON, and the place of the break."""

import pytest

from evenhand.formats import read_dataset
from tests.evenhand.formats.small_files import context, dataset_problems, json_array, json_lines, text_file

GOOD = '{"context": "c", "text": "t", "candidates": [{"candidate": "a", "text": "x"}]}'


def test_read_dataset_names_the_place_of_truncated_json_of_no_json_and_of_an_array_element():
    file = json_array(context(), context(context="c2", text=7))

    assert dataset_problems(text_file(f'{GOOD}\n{{"context": "d", "te', "d.jsonl")) == [
        "d.jsonl:2: column 18: Unterminated string starting at — expected one whole JSON object on the line"
    ]
    assert dataset_problems(text_file("context,text\n1,2\n3,4\n", "d.csv"), format="evenhand") == [
        "d.csv:1: column 1: Expecting value — expected one whole JSON object on the line"
    ]
    assert dataset_problems(file) == ["data.json:12: text: 7 — expected a text"]


def test_read_dataset_names_line_and_column_of_a_truncated_array():
    file = text_file(
        json_array({"input": "i", "output_1": "a", "output_2": "b", "label": 1}).content.decode()[:-3], "l.json"
    )

    assert dataset_problems(file) == [
        "l.json:7: column 3: the JSON ends too early — expected one whole JSON array of objects"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "column 2: the JSON ends too early"),
        ('{"a": 1} 2', "column 10: something follows the JSON"),
        ('{"a": 1, "b": 2, "a": 3}', 'column 1: the key "a" twice in one object'),
        ('{"a": ' + "[" * 100_000, "column 1: objects or lists nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "column 1: a number of too many digits"),
        ('{"a": "\t"}', "column 8: Invalid control character at"),
    ],
)
def test_read_dataset_says_what_is_wrong_with_a_line(text, problem):
    expected = f"file.jsonl:1: {problem} — expected one whole JSON object on the line"

    assert dataset_problems(text_file(text)) == [expected]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[", "column 2: the JSON ends too early"),
        ("[{}", "column 4: the JSON ends too early"),
        ("[{},]", "column 5: a comma before the closing bracket"),
        ("[{} {}]", "column 5: no comma or bracket after the element"),
        ("[] []", "column 4: something follows the JSON"),
        ("[{},", "column 5: the JSON ends too early"),
    ],
)
def test_read_dataset_says_what_is_wrong_with_an_array(text, problem):
    found = dataset_problems(text_file(text), format="llmbar")

    assert f"file.jsonl:1: {problem} — expected one whole JSON array of objects" in found


def test_read_dataset_refuses_lines_that_are_not_objects():
    assert dataset_problems(json_lines(context(), ["c2"], 5, "c3")) == [
        "data.jsonl:2: a list of 1 — expected a JSON object",
        "data.jsonl:3: 5 — expected a JSON object",
        'data.jsonl:4: "c3" — expected a JSON object',
    ]


def test_read_dataset_reports_every_broken_line_among_good_ones():
    file = text_file(f"{{\n{GOOD}\n{{\n", "d.jsonl")

    assert [problem.split(": ")[0] for problem in dataset_problems(file)] == ["d.jsonl:1", "d.jsonl:3"]


def test_read_dataset_skips_blank_lines_and_ends_lines_only_at_newlines():
    file = text_file(GOOD.replace('"t"', '"t\u2028t\x85"'))

    assert [one.key for one in read_dataset([text_file(f"\r\n{GOOD}\r\n  \r\n")]).contexts] == ["c"]
    assert read_dataset([file]).contexts[0].text == "t\u2028t\x85"


def test_read_dataset_refuses_an_object_of_too_many_keys():
    file = text_file("{" + ", ".join(f'"key {number % 31_999}": 1' for number in range(32_000)) + "}", "d.jsonl")

    assert dataset_problems(file) == [
        "d.jsonl:1: column 1: an object of 32,000 keys; at most 10,000 are read — "
        "expected one whole JSON object on the line"
    ]


def test_read_dataset_reads_an_array_across_blocks():
    long = "word " * 30_000  # longer than a block, in the middle of others
    contexts = [
        context(context=f"c{number}", text=long if number == 150 else f"Text {number}") for number in range(300)
    ]

    record = read_dataset([json_array(*contexts)])

    assert [one.text for one in record.contexts] == [one["text"] for one in contexts]


def test_read_dataset_names_line_and_column_of_a_break_far_into_an_array():
    good = json_array(*(context(context=f"c{number}") for number in range(3_000))).content.decode()
    lines = good.count("\n")
    assert dataset_problems(text_file(good.removesuffix("\n]") + ",\n  nonsense\n]", "d.json")) == [
        f"d.json:{lines + 1}: column 3: Expecting value — expected one whole JSON array of objects"
    ]


@pytest.mark.parametrize("open_with", ["", "["])
def test_read_dataset_refuses_an_object_too_large_for_memory(open_with):
    file = text_file(open_with + '{"context": "' + "x" * 6_000_000 + '"}', "d.json")

    [problem] = dataset_problems(file, format="evenhand")

    assert "an object of more than 3,000,000 characters" in problem


@pytest.mark.parametrize("open_with", ["", "["])
def test_read_dataset_refuses_an_object_of_too_many_values(open_with):
    file = text_file(open_with + '{"context": [' + "0," * 600_000 + "0]}", "d.json")

    [problem] = dataset_problems(file, format="evenhand")

    assert "an object of more than 500,000 values" in problem


def test_read_dataset_continues_after_a_line_that_is_too_long():
    file = text_file(f"{GOOD}\n" + "x" * 11_000_000 + f"\n{GOOD}\n", "d.jsonl")

    assert [problem.split(" — ")[0] for problem in dataset_problems(file)] == [
        "d.jsonl:2: column 1: an object of more than 3,000,000 characters",
        'd.jsonl:3: context: "c" again',
    ]
