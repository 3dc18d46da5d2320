"""Tables with columns of any name, uploaded by the API."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from judging.models import Dataset
from tests.evenhand.formats.people_tables import PEOPLE_TABLES, pair_of_responses

pytestmark = pytest.mark.django_db

MAP = ["context_text=prompt", "text_first=response_a", "text_second=response_b", "choice=winner"]
CHOICE = ["first=response_a", "second=response_b", "tie=tie"]


def upload(client, table=None, **fields):
    table = table or pair_of_responses()
    file = SimpleUploadedFile(table.name, table.content)
    return client.post("/api/datasets/", {"files": [file], **fields}, format="multipart")


@pytest.mark.parametrize("make", PEOPLE_TABLES.values(), ids=PEOPLE_TABLES)
def test_files_as_people_have_them_are_uploaded(admin, make):
    table = make()
    reading = upload(admin, table, dry_run=True).json()
    mapping = {
        "layout": reading["layout"],
        "map": [f"{field}={column}" for field, column in (reading["map"] or {}).items()],
        "choice": [f"{key}={value}" for key, values in (reading["choices"] or {}).items() for value in values],
    }
    fields = {name: values for name, values in mapping.items() if values}

    answer = upload(admin, table, name="Table", **fields)

    assert answer.status_code == 201
    stored = answer.json()
    assert (stored["contexts"], stored["candidates"]) == (table.contexts, table.candidates)
    assert [attribute["name"] for attribute in stored["attributes"]] == list(table.attributes)
    assert (reading["scores"], reading["votes"]) == (table.scores, table.votes)


def test_dry_run_says_what_would_be_read_and_stores_nothing(admin):
    answer = upload(admin, dry_run=True)

    reading = answer.json()
    assert answer.status_code == 200
    assert (reading["layout"], reading["map"]["choice"], reading["contexts"]) == ("pairs", "winner", 4)
    assert reading["first_contexts"][0]["candidates"][0]["candidate"] == "1"
    assert not Dataset.objects.exists()


def test_unknown_columns_are_refused_with_the_options_that_read_them(admin):
    answer = upload(admin, name="Pairs")

    assert answer.status_code == 400
    [problem] = answer.json()["problems"]
    assert "or map its columns: --layout pairs --map context_text=prompt" in problem


def test_a_mapping_is_given_and_used_again(admin):
    first = upload(admin, name="Pairs", layout="pairs", map=MAP, choice=CHOICE)
    again = upload(admin, name="Again", mapping_of="Pairs")

    assert (first.status_code, again.status_code) == (201, 201)
    assert Dataset.objects.get(name="Again").mapping == Dataset.objects.get(name="Pairs").mapping


def test_problems_of_the_mapping_come_with_those_of_the_name(admin):
    Dataset.objects.create(name="Taken", sha256="0")

    answer = upload(admin, name="Taken", layout="pairs", map=["text=prompt"])

    assert [problem.split(" — ")[0] for problem in answer.json()["problems"]] == [
        'name: a dataset "Taken" exists; choose another name',
        'map: unknown field "text"',
        "map: text_first or chosen or system_first: missing",
        "map: text_second or rejected or system_second: missing",
    ]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "name: This field is required."),
        ({"name": "x", "layout": "long"}, 'layout: "long" is not a valid choice.'),
        ({"name": "x", "mapping_of": "Nothing"}, 'mapping_of: there is no dataset "Nothing"'),
        ({"name": "x", "dry_run": "perhaps"}, "dry_run: Must be a valid boolean."),
    ],
)
def test_a_wrong_request_says_what_is_wrong(admin, fields, problem):
    answer = upload(admin, **fields)

    assert (answer.status_code, answer.json()["problems"]) == (400, [problem])


def test_attributes_are_named_for_a_table_without_scores(admin):
    table = SimpleUploadedFile("systems.csv", b"article,A,B\nOne.,Good text.,Bad text.\n")
    fields = {"name": "Own", "layout": "wide", "map": ["context_text=article", "text:A=A", "text:B=B"]}

    answer = admin.post(
        "/api/datasets/", {"files": [table], **fields, "attribute": ["coherence", "overall"]}, format="multipart"
    )

    assert [attribute["name"] for attribute in answer.json()["attributes"]] == ["coherence", "overall"]
    assert answer.json()["warnings"] == []
