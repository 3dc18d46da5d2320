"""Storing datasets whole or not at all, and getting them back as they came."""

import dataclasses
import threading

import pytest
from django.db import connection, transaction

from evenhand.formats import (
    AttributeRecord,
    CandidateRecord,
    ContextRecord,
    DatasetRecord,
    SourceFile,
    VoteRecord,
    read_dataset,
    write_dataset,
)
from evenhand.refusals import Refused
from judging.models import Attribute, Candidate, Context, Dataset, HumanScore
from judging.services.datasets.dataset_import import import_dataset, import_warnings, nothing_to_compare
from judging.services.datasets.stored_dataset import dataset_counts, dataset_record
from tests.faults.broken_files import send_broken

pytestmark = pytest.mark.django_db

RECORD = DatasetRecord(
    description="Two articles",
    licence="MIT",
    context_noun="article",
    candidate_noun="summary",
    attributes=(AttributeRecord("fluency", "fluent", "Reads well.", 1, 5), AttributeRecord("overall")),
    contexts=(
        ContextRecord(
            "c1",
            "An article.",
            subset="news",
            reference="A reference.",
            fields={"turn": "1", "language": "en"},
            candidates=(
                CandidateRecord("b", "Text b", "M1", scores={"overall": 0.5, "fluency": 4.25}),
                CandidateRecord("a", "Text a", ratings={"fluency": {"zoe": 2.0, "ann": 5.0}}),
            ),
            votes=(
                VoteRecord("overall", "b", "a", "second", "h2"),
                VoteRecord("overall", "a", "b", "tie", "h1"),
                VoteRecord("overall", "b", "a", "first", "h2"),
            ),
        ),
        ContextRecord("c0", "", candidates=(CandidateRecord("a", ""),)),
    ),
)


def store(record=RECORD, *, name="Articles", **fields):
    return import_dataset(record, name=name, sha256="f" * 64, **fields)


def test_import_dataset_stores_every_row(django_user_model):
    admin = django_user_model.objects.create_user("admin")

    dataset = store(owner=admin)

    assert (dataset.name, dataset.source_format, dataset.sha256) == ("Articles", "evenhand", "f" * 64)
    assert dataset.owner == admin
    assert list(dataset.attributes.values_list("name", "adjective", "minimum", "position")) == [
        ("fluency", "fluent", 1.0, 0),
        ("overall", "", None, 1),
    ]
    assert list(dataset.contexts.values_list("key", "subset", "position")) == [("c1", "news", 0), ("c0", "", 1)]
    assert list(Candidate.objects.values_list("context__key", "key", "system", "position")) == [
        ("c1", "b", "M1", 0),
        ("c1", "a", "", 1),
        ("c0", "a", "", 0),
    ]
    assert list(HumanScore.objects.values_list("candidate__key", "attribute__name", "rater", "value")) == [
        ("b", "overall", "", 0.5),
        ("b", "fluency", "", 4.25),
        ("a", "fluency", "zoe", 2.0),
        ("a", "fluency", "ann", 5.0),
    ]


def test_import_dataset_needs_the_same_queries_for_any_number_of_contexts(django_assert_num_queries):
    many = tuple(
        dataclasses.replace(RECORD.contexts[0], key=f"c{number}") for number in range(12)
    )  # one statement of SQLite

    with django_assert_num_queries(13):  # whether the name is taken, six INSERTs, one UPDATE, and two savepoints
        store(name="few")
    with django_assert_num_queries(13):
        store(dataclasses.replace(RECORD, contexts=many), name="many")


def test_dataset_record_reads_what_was_stored():
    assert dataset_record(store()) == RECORD


def test_dataset_record_needs_five_queries(django_assert_num_queries):
    dataset = store()

    with django_assert_num_queries(5):
        dataset_record(dataset)


def test_counts_counts_a_pair_of_candidate_and_attribute_once_whoever_scored_it():
    store(name="Others")

    assert dataset_counts(store()) == {
        "contexts": 2,
        "candidates": 3,
        "attributes": ["fluency", "overall"],
        "scores": 3,
        "votes": 3,
    }


def test_import_dataset_refuses_a_name_that_is_taken():
    store()

    with pytest.raises(Refused) as refused:
        store()

    assert refused.value.problems == ('name: "Articles" is not free — choose another name',)
    assert (Dataset.objects.count(), Context.objects.count()) == (1, 2)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", 'name: "" — expected a name of one character or more'),
        ("  ", 'name: "  " — expected a name of one character or more'),
        (" a", 'name: " a" — expected a name that neither begins nor ends with a space'),
        ("a\x00b", "name: 'a\\x00b' — expected printable characters"),
    ],
)
def test_import_dataset_refuses_an_invalid_name(name, problem):
    with pytest.raises(Refused) as refused:
        store(name=name)

    assert refused.value.problems == (problem,)


def test_import_dataset_stores_nothing_if_a_row_cannot_be_stored():
    context = dataclasses.replace(RECORD.contexts[0], votes=(VoteRecord("overall", "b", "a", "perhaps", "h1"),))

    with pytest.raises(Exception, match="vote_has_a_known_choice"):
        store(dataclasses.replace(RECORD, contexts=(context,)))

    assert [model.objects.count() for model in (Dataset, Attribute, Context, Candidate, HumanScore)] == [0] * 5


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="two writers at once need PostgreSQL")
def test_import_dataset_refuses_the_slower_of_two_at_once():
    outcomes = []

    def import_late():
        try:
            store()
        except Refused as refused:
            outcomes.append(refused.problems)
        finally:
            connection.close()

    slower = threading.Thread(target=import_late)
    with transaction.atomic():
        store()
        slower.start()
        slower.join(timeout=0.5)  # it waits for this transaction; if it did not, it would be refused just the same
    slower.join()

    assert outcomes == [('name: "Articles" is not free — choose another name',)]
    assert Dataset.objects.count() == 1


def test_import_warnings_mention_missing_attributes():
    found = import_warnings(dataclasses.replace(RECORD, attributes=(), contexts=RECORD.contexts[:1]))

    assert [warning.split(": ")[0] for warning in found] == [
        "the dataset has no attributes, so judges have nothing to judge"
    ]


def test_nothing_to_compare_names_contexts_with_one_candidate():
    assert nothing_to_compare(RECORD) == [
        '1 context has fewer than two candidates, so there is nothing to compare: "c0"'
    ]
    assert nothing_to_compare(dataclasses.replace(RECORD, contexts=RECORD.contexts[:1])) == []


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("summeval/*.jsonl", (100, 1600, 6400, 0)),
        ("llmbar/**/[NGM]*.json", (419, 838, 0, 419)),
        ("topicalchat/*.json", (60, 360, 2160, 0)),
        ("webnlg/*.csv", (223, 2230, 6690, 0)),
    ],
)
def test_a_real_dataset_survives_the_round_trip_byte_for_byte(shared_data, pattern, expected):
    paths = sorted((shared_data / "data").glob(pattern))
    record = read_dataset([SourceFile(path.name, path.read_bytes()) for path in paths])

    first = store(record, name="first")
    exported = "".join(write_dataset(dataset_record(first)))
    again = store(read_dataset([SourceFile("exported.jsonl", exported.encode())]), name="second")

    assert "".join(write_dataset(dataset_record(again))) == exported
    assert tuple(dataset_counts(again)[field] for field in ("contexts", "candidates", "scores", "votes")) == expected


def test_no_import_fails_or_stores_a_part_at_the_first_broken_files_of_the_program_that_sends_thousands():
    figures, faults = send_broken(15, seed=0)

    assert faults == {}
    assert sum(one.stored for one in figures.values()) > 0
    assert all(one.stored + one.refused == 15 for one in figures.values())
