"""The header of our own format: its attributes and its problems."""

import pytest

from evenhand.formats import AttributeRecord, read_dataset
from tests.evenhand.formats.small_files import COHERENCE, VOTE, candidate, context, dataset_problems, header, json_lines


def test_read_dataset_finds_attributes_in_order_of_appearance_without_a_header():
    file = json_lines(
        context(candidates=[candidate(scores={"z": 1}, ratings={"m": {"r": 2}}), candidate(candidate="b")]),
        context(context="c2", candidates=[candidate(scores={"a": 1, "z": 2}), candidate(candidate="b")], votes=[VOTE]),
    )

    assert [attribute.name for attribute in read_dataset([file]).attributes] == ["z", "m", "a", "overall"]


def test_read_dataset_finds_attributes_where_the_header_names_none():
    file = json_lines(header(description="d"), context(candidates=[candidate(scores={"z": 1})]))

    assert [attribute.name for attribute in read_dataset([file]).attributes] == ["z"]


def test_read_dataset_keeps_attributes_that_have_no_score():
    file = json_lines(header(attributes=[{"name": "overall"}]), context())

    assert read_dataset([file]).attributes == (AttributeRecord("overall"),)


def test_read_dataset_refuses_attributes_that_the_header_does_not_name():
    file = json_lines(
        header(attributes=[COHERENCE]),
        context(
            candidates=[candidate(scores={"coherense": 3}, ratings={"fluency": {"r": 1}}), candidate(candidate="b")],
            votes=[VOTE],
        ),
    )

    end = "— expected one of coherence, as the header says"
    assert dataset_problems(file) == [
        f'data.jsonl:2: candidates[0].scores.coherense: unknown attribute "coherense" {end}',
        f'data.jsonl:2: candidates[0].ratings.fluency: unknown attribute "fluency" {end}',
        f'data.jsonl:2: votes[0].attribute: unknown attribute "overall" {end}',
    ]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"description": 5}, "description: 5 — expected a text"),
        (
            {"context_noun": "n" * 101},
            f'context_noun: "{"n" * 60}…" (101 characters) — expected at most 100 characters',
        ),
        ({"attributes": ["q"]}, 'attributes[0]: "q" — expected an object'),
        ({"attributes": [{}]}, "attributes[0].name: missing — expected a text"),
        (
            {"attributes": [{"name": "q"}, {"name": "q"}]},
            'attributes[1].name: "q" again — expected each attribute once',
        ),
        ({"attributes": [{"name": "q", "minimum": "1"}]}, 'attributes[0].minimum: "1" — expected a number'),
        (
            {"attributes": [{"name": "q", "minimum": 5, "maximum": 1}]},
            "attributes[0].maximum: 1 — expected a number greater than the minimum, 5",
        ),
        *(
            (
                {"attributes": [{"name": "q", "adjective": comparative}]},
                f'attributes[0].adjective: "{comparative}" — expected the positive form, "{positive}": '
                'prompts say "more" themselves',
            )
            for comparative, positive in (
                ("better", "good"),
                ("More coherent", "coherent"),
                ("a better continuation", "good a continuation"),
            )
        ),
    ],
)
def test_read_dataset_refuses_a_header(values, problem):
    assert dataset_problems(json_lines(header(**values), context())) == [f"data.jsonl:1: dataset.{problem}"]


def test_read_dataset_refuses_a_header_after_the_first_line_and_one_without_contexts():
    assert dataset_problems(json_lines(context(), header(description="late"))) == [
        "data.jsonl:2: dataset: a header — expected a context; only the first line of a file is a header"
    ]
    assert dataset_problems(json_lines(header(description="d"))) == ["data.jsonl: no contexts — expected at least one"]


def test_read_dataset_joins_files_with_the_same_header():
    one = json_lines(header(attributes=[COHERENCE]), context(), name="1.jsonl")
    two = json_lines(header(attributes=[COHERENCE]), context(context="c2"), name="2.jsonl")
    three = json_lines(context(context="c3"), name="3.jsonl")

    dataset = read_dataset([one, two, three])

    assert [one.key for one in dataset.contexts] == ["c1", "c2", "c3"]
    assert [attribute.name for attribute in dataset.attributes] == ["coherence"]


def test_read_dataset_refuses_files_whose_headers_differ_or_whose_contexts_repeat():
    one = json_lines(header(description="one"), context(), name="1.jsonl")
    assert dataset_problems(one, json_lines(header(description="two"), context(), name="2.jsonl")) == [
        "2.jsonl:1: dataset: another header — expected the same header as in 1.jsonl",
        '2.jsonl:2: context: "c1" again — expected each context once; 1.jsonl has it on line 2',
    ]
