"""The list of dataset formats, the recognition of a file's format, and the documentation of the formats."""

import re
from pathlib import Path

import pytest

from docs.built_tables import literature
from evenhand.formats import (
    DATASET_FORMATS,
    SourceFile,
    UnknownTable,
    read_comparisons,
    read_dataset,
    read_scores,
    read_votes,
)
from tests.evenhand.formats.dataset_examples import DETECTED, EXAMPLE_ROWS, JSON_FORMATS, example_file
from tests.evenhand.formats.small_files import candidate, context, dataset_problems, json_array, json_lines, text_file

DOCS = Path(__file__).parents[4] / "docs" / "reference"


@pytest.mark.parametrize("name", DETECTED)
def test_read_dataset_recognises_a_format_from_its_content(name):
    dataset = read_dataset([example_file(name)])

    assert dataset.format == name
    assert len(dataset.contexts) == 1


@pytest.mark.parametrize("name", DETECTED)
def test_read_dataset_reads_the_named_format(name):
    assert read_dataset([example_file(name)], name) == read_dataset([example_file(name)])


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_read_dataset_accepts_one_array_for_lines(name):
    lines = read_dataset([json_lines(EXAMPLE_ROWS[name], name="x.json")])
    assert lines == read_dataset([json_array(EXAMPLE_ROWS[name], name="x.json")])


@pytest.mark.parametrize("name", [name for name in JSON_FORMATS if DATASET_FORMATS[name].is_table is False])
def test_read_dataset_recognises_a_format_despite_a_misspelled_key(name):
    key = DATASET_FORMATS[name].keys[0]
    row = {("misspelled" if each == key else each): value for each, value in EXAMPLE_ROWS[name].items()}

    problems = dataset_problems(json_lines(row, name="x.json"))

    assert any(problem.startswith(f"x.json:1: {key}: missing") for problem in problems)


def test_read_dataset_recognises_our_format_by_its_header():
    assert read_dataset([json_lines({"dataset": {"description": "d"}}, context())]).format == "evenhand"


@pytest.mark.parametrize(
    ("file", "own"),
    [
        (text_file('{"dataset": "LLMBar", "idx": 0}\n', "x"), "evenhand are context, text, candidates"),
        (text_file("judge,winner\na,b\n", "x"), "csv are context, context_text, candidate, text"),
        (text_file("Dear all\nplease find attached\n", "x"), "csv are context, context_text, candidate, text"),
        (text_file("[{}]", "x"), "evenhand are context, text, candidates"),
    ],
)
def test_read_dataset_lists_the_known_formats_if_none_matches(file, own):
    [problem] = dataset_problems(file)

    assert problem.startswith("x: no known format")
    names = ", ".join(DATASET_FORMATS)
    mapping = "or map its columns: --layout LAYOUT --map FIELD=COLUMN"
    assert problem.endswith(f"— expected the keys or columns of one of the formats {names}; those of {own}; {mapping}")


def test_read_dataset_advises_a_mapping_of_unknown_columns():
    with pytest.raises(UnknownTable) as caught:
        read_dataset([text_file("prompt,response,model\nWhy?,So.,M1\n", "x.csv")])

    assert caught.value.mapping.layout == "candidates"
    assert str(caught.value).endswith(
        "; or map its columns: --layout candidates --map context_text=prompt --map system=model --map text=response"
    )


def test_read_dataset_refuses_an_unknown_format_an_empty_array_and_an_unknown_file_among_known_ones():
    unknown = text_file("prompt,response\nWhy?,So.\n", "x.csv")
    [problem] = dataset_problems(example_file("csv"), unknown)

    assert dataset_problems(example_file("csv"), format="xml") == [
        f'csv.txt: format: "xml" — expected one of {", ".join(DATASET_FORMATS)}'
    ]
    assert dataset_problems(text_file("[]", "x.json")) == ["x.json: no contexts — expected at least one"]
    assert problem.startswith('x.csv: no known format: "prompt", "response"')


def test_read_dataset_refuses_files_of_two_formats_and_reports_the_problems_of_both():
    ours = json_lines(context(candidates=[candidate(text=5)]), name="ours.jsonl")

    assert dataset_problems(example_file("llmbar"), ours, example_file("webnlg")) == [
        "ours.jsonl: format evenhand — expected format llmbar, as llmbar.txt",
        "ours.jsonl:1: candidates[0].text: 5 — expected a text",
        "webnlg.txt: format webnlg — expected format llmbar, as llmbar.txt",
    ]


def documentation_examples() -> list[SourceFile]:
    """Return the blocks of the page on formats, in order. JSON that the page wraps is on one line."""
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(json|csv)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    texts = [" ".join(text.split("\n")) + "\n" if kind == "json" else text for kind, text in blocks]
    return [SourceFile("example", text.encode()) for text in texts]


HEADER, CONTEXT, *OTHERS, COMPARISONS, VOTES, SCORES = documentation_examples()
DATASETS = [SourceFile("example", HEADER.content + CONTEXT.content), *OTHERS]


@pytest.mark.parametrize(("name", "file"), list(zip(DETECTED, DATASETS, strict=True)))
def test_documentation_has_an_example_of_every_format(name, file):
    assert read_dataset([file]).format == name


def test_documentation_has_examples_of_comparisons_votes_and_scores():
    assert [record.p_first for record in read_comparisons([COMPARISONS])] == [0.83, None]
    assert [record.vote.choice for record in read_votes([VOTES])] == ["first", "cannot-judge"]
    assert [record.score for record in read_scores([SCORES])] == [7.5, None]


def test_documentation_lists_every_format_with_its_file_type_and_reference():
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", page, re.MULTILINE)
    references = literature()
    sources = [known.source for known in DATASET_FORMATS.values() if known.source]

    assert listed == [(known.name, known.file_type) for known in DATASET_FORMATS.values()]
    assert sources
    assert [source for source in sources if f"- [{source}] " not in references] == []
