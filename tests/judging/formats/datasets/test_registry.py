"""Which format a file is in."""

import pytest

from judging.formats import FORMATS, read_dataset
from tests.judging.formats.files import (
    SourceFile,
    candidate,
    context,
    csv_file,
    dataset_problems,
    json_array,
    json_lines,
    text_file,
)

MESSAGE = {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}
EXAMPLES = {
    "evenhand": context(),
    "llmbar": {"input": "i", "output_1": "x", "output_2": "y", "label": 1},
    "unieval": {"source": "s", "system_id": "A", "system_output": "x", "scores": {}, "context": "fact"},
    "summeval": {"id": "1", "source": "s", "candidates": [{"system": "A", "text": "x", "scores": {}}]},
    "mt-bench": {
        "question_id": 81,
        "model_a": "A",
        "model_b": "B",
        "winner": "tie",
        "judge": "expert",
        "conversation_a": MESSAGE,
        "conversation_b": MESSAGE,
        "turn": 1,
    },
    "csv": {"context": "c", "context_text": "t", "candidate": "a", "text": "x"},
    "webnlg": {"mr": "a | b | c", "team": "A", "text": "x", "fluency": "1", "grammar": "1", "semantics": "1"},
    "hanna": {"Story ID": "0", "Prompt": "p", "Story": "x", "Model": "A", "Relevance": "1"},
}
JSON_FORMATS = [name for name in EXAMPLES if FORMATS[name].kind == "json"]


def example(name: str) -> SourceFile:
    row = EXAMPLES[name]
    if FORMATS[name].kind == "csv":
        return csv_file(list(row), list(row.values()), name=f"{name}.txt")
    return json_lines(row, name=f"{name}.txt")


@pytest.mark.parametrize("name", FORMATS)
def test_read_dataset_recognises_a_format_from_its_content(name):
    dataset = read_dataset([example(name)])

    assert dataset.format == name
    assert len(dataset.contexts) == 1


@pytest.mark.parametrize("name", FORMATS)
def test_read_dataset_reads_the_format_it_is_given(name):
    assert read_dataset([example(name)], name) == read_dataset([example(name)])


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_read_dataset_takes_one_array_for_lines(name):
    lines = read_dataset([json_lines(EXAMPLES[name], name="x.json")])
    array = read_dataset([json_array(EXAMPLES[name], name="x.json")])

    assert lines == array


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_read_dataset_recognises_a_format_in_spite_of_a_typing_error(name):
    key = FORMATS[name].keys[0]
    row = {("typing error" if each == key else each): value for each, value in EXAMPLES[name].items()}

    problems = dataset_problems(json_lines(row, name="x.json"))

    assert any(problem.startswith(f"x.json:1: {key}: missing") for problem in problems)


def test_read_dataset_recognises_our_format_by_its_header():
    file = json_lines({"dataset": {"description": "d"}}, context())

    assert read_dataset([file]).format == "evenhand"


@pytest.mark.parametrize(
    ("file", "own"),
    [
        (text_file('{"dataset": "LLMBar", "idx": 0}\n', "x"), "evenhand are context, text, candidates"),
        (text_file("judge,winner\na,b\n", "x"), "csv are context, context_text, candidate, text"),
        (text_file("Dear all,\nplease, find, attached\n", "x"), "csv are context, context_text, candidate, text"),
        (text_file("[{}]", "x"), "evenhand are context, text, candidates"),
    ],
)
def test_read_dataset_names_the_known_formats_where_none_fits(file, own):
    [problem] = dataset_problems(file)

    assert problem.startswith("x: no known format")
    assert problem.endswith(
        "— expected the keys or columns of one of the formats "
        f"evenhand, csv, llmbar, unieval, summeval, webnlg, hanna, mt-bench; those of {own}"
    )


def test_read_dataset_refuses_a_format_it_does_not_know():
    assert dataset_problems(example("csv"), format="xml") == [
        'csv.txt: format: "xml" — expected one of evenhand, csv, llmbar, unieval, summeval, webnlg, hanna, mt-bench'
    ]


def test_read_dataset_refuses_an_empty_array():
    assert dataset_problems(text_file("[]", "x.json")) == ["x.json: no contexts — expected at least one"]


def test_read_dataset_refuses_files_of_two_formats_and_reports_the_problems_of_both():
    ours = json_lines(context(candidates=[candidate(text=5)]), name="ours.jsonl")

    assert dataset_problems(example("llmbar"), ours, example("webnlg")) == [
        "ours.jsonl: format evenhand — expected format llmbar, as llmbar.txt",
        "ours.jsonl:1: candidates[0].text: 5 — expected a text",
        "webnlg.txt: format webnlg — expected format llmbar, as llmbar.txt",
    ]
