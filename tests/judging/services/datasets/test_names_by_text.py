"""Judgments that name contexts and candidates by their texts or systems."""

import pytest

from evenhand.formats import SourceFile, TableMapping, read_dataset
from evenhand.refusals import Refused
from judging.models import Comparison, HumanScore, Score, Vote
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.judgment_files import (
    JUDGMENT_KINDS,
    check_read,
    read_judgments,
    store_judgments,
)
from tests.evenhand.formats.people_tables import csv_bytes, json_lines_bytes

pytestmark = pytest.mark.django_db

TABLE = [
    {
        "prompt": "Why?",
        "answer_a": "So.",
        "answer_b": "No.",
        "ma": "M1",
        "mb": "M2",
        "winner": "A",
        "who": "h1",
        "n": 4,
    },
    {
        "prompt": "How?",
        "answer_a": "Thus.",
        "answer_b": "No.",
        "ma": "M2",
        "mb": "M1",
        "winner": "B",
        "who": "h2",
        "n": 1,
    },
]
BY_TEXT = {"context_text": "prompt", "text_first": "answer_a", "text_second": "answer_b", "attribute": "q"}
BY_SYSTEM = {"context_text": "prompt", "system_first": "ma", "system_second": "mb", "attribute": "q"}
CHOICES = {"first": ("A",), "second": ("B",)}


def make_dataset(rows=TABLE, name="Pairs"):
    columns = {"context_text": "prompt", "text_first": "answer_a", "text_second": "answer_b"}
    mapping = TableMapping("pairs", columns | {"system_first": "ma", "system_second": "mb"})
    record = read_dataset([SourceFile("d.csv", csv_bytes(rows))], mapping=mapping)
    dataset = import_dataset(record, name=name, sha256=name)
    dataset.attributes.create(name="overall", position=0)
    return dataset


@pytest.fixture
def dataset():
    make_dataset([{**row, "prompt": row["prompt"] + " now", "answer_a": "So."} for row in TABLE], name="Others")
    return make_dataset()


def read(dataset, columns, *, noun="comparisons", rows=TABLE, choices=CHOICES, write=csv_bytes, name="j.csv"):
    files = [SourceFile(name, write([{**row, "q": "overall"} for row in rows]))]
    mapping = TableMapping(f"recorded-{noun}", columns, choices)
    return read_judgments(JUDGMENT_KINDS[noun], files, dataset=dataset, mapping=mapping)


def named(rows):
    return [(one.context.text, one.first.text, one.second.text, one.choice) for one in rows.order_by("pk")]


ANSWERS = [("Why?", "So.", "No.", "first"), ("How?", "Thus.", "No.", "second")]


@pytest.mark.parametrize(("write", "name"), [(csv_bytes, "j.csv"), (json_lines_bytes, "j.jsonl")])
@pytest.mark.parametrize("columns", [BY_TEXT, BY_SYSTEM, BY_TEXT | BY_SYSTEM])
def test_comparisons_are_found_by_texts_or_systems(dataset, columns, write, name):
    judged = read(dataset, columns | {"choice": "winner", "judge": "who"}, write=write, name=name)

    store_judgments(judged, dataset=dataset)

    assert named(Comparison.objects) == ANSWERS


def test_votes_are_found_by_texts_and_equal_ones_are_not_stored_again(dataset):
    columns = BY_TEXT | {"choice": "winner", "rater": "who"}

    imported = [store_judgments(read(dataset, columns, noun="votes"), dataset=dataset) for _ in range(2)]

    assert named(Vote.objects) == ANSWERS
    assert [(one.votes, one.repeated) for one in imported] == [(2, 0), (0, 2)]


@pytest.mark.parametrize("candidate", [{"candidate_text": "answer_a"}, {"system": "ma"}])
def test_scores_and_ratings_are_found_by_texts_or_systems(dataset, candidate):
    columns = {"context_text": "prompt", "attribute": "q", "score": "n", **candidate}

    store_judgments(read(dataset, columns, noun="scores", choices={}), dataset=dataset, judge_name="metric")
    store_judgments(read(dataset, columns | {"rater": "who"}, noun="ratings", choices={}), dataset=dataset)

    assert list(Score.objects.order_by("pk").values_list("candidate__text", "value")) == [("So.", 4), ("Thus.", 1)]
    assert list(HumanScore.objects.order_by("pk").values_list("candidate__text", "value")) == [("So.", 4), ("Thus.", 1)]


def test_a_context_may_be_named_by_its_identifier_and_candidates_by_their_texts(dataset):
    rows = [{**row, "id": number} for number, row in enumerate(TABLE)]
    columns = BY_TEXT | {"context": "id", "choice": "winner", "judge": "who"}

    store_judgments(read(dataset, columns, rows=rows), dataset=dataset)

    assert named(Comparison.objects) == ANSWERS


def refusal(judged, dataset):
    with pytest.raises(Refused) as refused:
        check_read(judged, dataset=dataset, judge_name="judge")
    return list(refused.value.problems)


def test_texts_that_name_nothing_are_refused_with_their_line(dataset):
    rows = [TABLE[0] | {"prompt": "When?"}, TABLE[1] | {"answer_b": "Yes."}, TABLE[0]]

    judged = read(dataset, BY_TEXT | {"choice": "winner"}, rows=rows)

    assert refusal(judged, dataset) == [
        'j.csv:2: context_text: "When?" — expected a context of the dataset',
        'j.csv:3: text_second: "Yes." — expected a candidate of context "1"',
    ]


def test_texts_that_name_several_are_refused_with_their_line():
    twins = [TABLE[0] | {"answer_b": "So."}, TABLE[1]]
    dataset = make_dataset(twins)

    judged = read(dataset, BY_TEXT | {"choice": "winner"}, rows=twins)

    assert refusal(judged, dataset) == [
        'j.csv:2: text_first: "So." — expected only one candidate of context "0" like this; name it by its identifier'
    ]
    assert not read(dataset, BY_TEXT | BY_SYSTEM | {"choice": "winner"}, rows=twins).problems


def test_a_context_of_several_columns_is_found_as_it_was_read():
    rows = [{**row, "input": f"Room {number}."} for number, row in enumerate(TABLE)]
    columns = {"context_text": "prompt", "context_text:2": "input", "text_first": "answer_a", "text_second": "answer_b"}
    record = read_dataset([SourceFile("d.csv", csv_bytes(rows))], mapping=TableMapping("pairs", columns))
    dataset = import_dataset(record, name="Two columns", sha256="0")
    dataset.attributes.create(name="overall", position=0)

    judged = read(dataset, columns | {"attribute": "q", "choice": "winner"}, rows=rows)
    store_judgments(judged, dataset=dataset, judge_name="judge")

    assert [row[0] for row in named(Comparison.objects)] == ["Why?\n\nRoom 0.", "How?\n\nRoom 1."]


@pytest.mark.parametrize("noun", ["comparisons", "scores", "votes", "ratings"])
def test_judgments_that_name_no_attribute_are_of_the_only_one(dataset, noun):
    row = {
        "context": "0",
        "first": "M1",
        "second": "M2",
        "choice": "first",
        "rater": "h9",
        "candidate": "M1",
        "score": 3,
    }
    columns = [name for name in JUDGMENT_KINDS[noun].columns.all() if name in row and name != "attribute"]
    file = SourceFile("j.csv", csv_bytes([{name: row[name] for name in columns}]))

    read = read_judgments(JUDGMENT_KINDS[noun], [file], dataset=dataset)

    assert (read.problems, [record.attribute for record in read.records]) == ((), ["overall"])


def test_judgments_of_several_attributes_have_to_name_one(dataset):
    dataset.attributes.create(name="fluency", position=1)
    rows = [
        {"context": "0", "attribute": name, "first": "M1", "second": "M2", "choice": "tie"} for name in ("", "fluency")
    ]

    read = read_judgments(JUDGMENT_KINDS["comparisons"], [SourceFile("j.csv", csv_bytes(rows))], dataset=dataset)

    assert [str(problem) for problem in read.problems] == [
        "j.csv:2: attribute: missing — expected a column that names one of the dataset's attributes: overall, fluency"
    ]
    assert [record.attribute for record in read.records] == ["fluency"]
