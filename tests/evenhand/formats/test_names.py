"""Names in files: spaces around them and characters that look alike."""

import pytest

from evenhand.formats import SourceFile, TableMapping, read_comparisons, read_dataset, read_ratings
from evenhand.formats.checked_rows import clean_name
from tests.evenhand.formats.people_tables import csv_bytes, json_lines_bytes
from tests.evenhand.formats.small_files import csv_file, dataset_problems, json_lines

COMPOSED, APART = "Andr\u00e9", "Andre\u0301"
NOTE = "names read without outer spaces and look-alike characters"
OUTPUTS = TableMapping("candidates", {"context": "id", "context_text": "q", "system": "m", "text": "a"})


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        (" GPT-4\t", "GPT-4"),
        (APART, COMPOSED),
        ("\ufeffGPT\u200b-4", "GPT-4"),
        ("GPT\u00a04", "GPT 4"),
        ("gpt-4", "gpt-4"),
        ("x\u00b2", "x\u00b2"),
        ("नमस्ते", "नमस्ते"),
    ],
)
def test_clean_name_makes_equal_what_looks_equal_and_nothing_else(name, cleaned):
    assert clean_name(name) == cleaned


def test_a_system_with_spaces_around_its_name_is_one_system_and_noted():
    rows = [{"id": 1, "q": "Why?", "m": name, "a": text} for name, text in (("GPT-4", "So."), (" Llama", " No."))]
    rows += [{"id": 2, "q": "How?", "m": name, "a": text} for name, text in (("GPT-4 ", "Thus."), (" Llama", "Yes."))]

    dataset = read_dataset([SourceFile("d.jsonl", json_lines_bytes(rows))], mapping=OUTPUTS)

    assert {one.system for context in dataset.contexts for one in context.candidates} == {"GPT-4", "Llama"}
    assert dataset.contexts[0].candidates[1].text == " No."
    assert dataset.notes == (f'{NOTE}: 3 (" Llama" as "Llama", "GPT-4 " as "GPT-4")',)


def test_names_with_spaces_or_letters_that_look_the_same_are_noted():
    candidates = [{"candidate": key, "text": key, "scores": {name: 1}} for key, name in (("a", "q"), ("b", " q"))]

    dataset = read_dataset([json_lines({"context": "c", "text": "Why?", "candidates": candidates})])

    assert [one.name for one in dataset.attributes] == ["q"]
    assert dataset.notes == (f'{NOTE}: 1 (" q" as "q")',)

    row = {"context": "c", "text": "Why?", "candidates": [{"candidate": APART, "text": "So."}]}

    dataset = read_dataset([json_lines(row)])

    assert dataset.contexts[0].candidates[0].key == COMPOSED
    assert dataset.notes == (f'{NOTE}: 1 ("Andre\\u0301" as "{COMPOSED}")',)


def test_candidates_that_look_the_same_are_refused_as_one():
    row = {
        "context": "c",
        "text": "Why?",
        "candidates": [{"candidate": one, "text": "So."} for one in (COMPOSED, APART)],
    }

    assert dataset_problems(json_lines(row)) == [
        f'data.jsonl:1: candidates[1].candidate: "{COMPOSED}" again — expected each candidate of context "c" once'
    ]


def test_attributes_raters_and_fields_of_a_dataset_are_cleaned():
    candidate = {"candidate": "a", "text": "So.", "scores": {"fun ": 1}, "ratings": {"depth\u200b": {" ann": 2}}}
    row = {"context": " c", "text": " Why? ", "fields": {"turn ": " 1"}, "candidates": [candidate]}

    dataset = read_dataset([json_lines(row)])

    [context] = dataset.contexts
    assert (context.key, context.text, dict(context.fields)) == ("c", " Why? ", {"turn": "1"})
    assert [one.name for one in dataset.attributes] == ["fun", "depth"]
    assert (context.candidates[0].scores, context.candidates[0].ratings) == ({"fun": 1}, {"depth": {"ann": 2}})


def test_an_attribute_in_two_columns_that_look_the_same_is_refused():
    header = ["context", "context_text", "candidate", "text", COMPOSED, APART]

    assert dataset_problems(csv_file(header, ["c", "Why?", "a", "So.", "1", "2"])) == [
        f'data.csv:2: Andre\\u0301: "{COMPOSED}" again — expected each attribute once'
    ]


def test_names_of_recorded_judgments_are_cleaned_and_counted_over_all_files():
    header = ["context", "attribute", "candidate", "rater", "score"]
    files = [csv_file(header, ["c", "fun", "a", f"{rater} ", "1"], name=f"{rater}.csv") for rater in ("ann", "bob")]
    notes: list[str] = []

    assert [one.rater for one in read_ratings(files, notes=notes)] == ["ann", "bob"]
    assert notes == [f'{NOTE}: 2 ("ann " as "ann", "bob " as "bob")']


def test_a_judge_is_found_by_its_name_without_spaces():
    rows = [("c", "fun", "a", "b", "first", judge) for judge in ("gpt ", "llama")]
    header = ["context", "attribute", "first", "second", "choice", "judge"]
    table = SourceFile("d.csv", csv_bytes([dict(zip(header, row, strict=True)) for row in rows]))

    assert [one.judge for one in read_comparisons([table], judge=" gpt")] == ["gpt"]
