"""Datasets over HTTP."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from judging.models import Context, Dataset, Run
from tests.factories import make_dataset, make_run
from tests.rankings import studies

pytestmark = pytest.mark.django_db

LINES = "\n".join(json.dumps(context) for context in studies.WORKED_CONTEXTS)


def upload(client, text=LINES, *, name="Study", **fields):
    file = SimpleUploadedFile("study.jsonl", text.encode())
    return client.post("/api/datasets/", {"name": name, "files": [file], **fields}, format="multipart")


def test_datasets_are_listed_with_counts_and_attributes(researcher):
    dataset = make_dataset(candidates=(2, 3), attributes=("coherence", "fluency"))

    [shown] = researcher.get("/api/datasets/").json()["results"]

    assert (shown["id"], shown["name"], shown["contexts"], shown["candidates"]) == (dataset.pk, "Summaries", 2, 5)
    assert [attribute["name"] for attribute in shown["attributes"]] == ["coherence", "fluency"]
    assert researcher.get(f"/api/datasets/{dataset.pk}/").json() == shown


def test_contexts_are_listed_in_order_or_found_by_their_subset_and_a_download_can_be_uploaded_again(researcher):
    dataset = studies.make_dataset()
    address = f"/api/datasets/{dataset.pk}/contexts/"

    first, second = researcher.get(address).json()["results"]
    found = researcher.get(address, {"subset": "voted"}).json()

    assert (first["context"], first["subset"], first["candidates"]) == ("c0", "scored", ["a", "b", "c"])
    assert second["text"] == "Another."
    assert (found["count"], found["results"]) == (1, [second])

    content = b"".join(researcher.get(f"/api/datasets/{dataset.pk}/download/")).decode()

    assert upload(researcher, content, name="Again").json()["contexts"] == dataset.contexts.count()


def test_contexts_and_candidates_are_of_one_dataset(researcher):
    dataset, _ = make_dataset(candidates=(2,)), make_dataset("Others")

    for path, expected in (("contexts", 1), ("candidates", 2)):
        assert researcher.get(f"/api/datasets/{dataset.pk}/{path}/").json()["count"] == expected


def test_candidates_of_a_dataset_have_their_scores_and_ratings(researcher):
    contexts = studies.one_context(3, None)
    contexts[0]["candidates"][1]["ratings"] = {"overall": {"r1": 1, "r2": 2}}
    dataset = studies.make_dataset(contexts)

    first, second = researcher.get(f"/api/datasets/{dataset.pk}/candidates/").json()["results"]

    assert (first["context"], first["candidate"], first["scores"], first["ratings"]) == ("c0", "a", {"overall": 3}, {})
    assert (second["scores"], second["ratings"]) == ({}, {"overall": {"r1": 1, "r2": 2}})


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize(("path", "queries"), [("", 6), ("{pk}/contexts/", 6), ("{pk}/candidates/", 7)])
def test_dataset_lists_need_the_same_queries_for_any_number_of_rows(
    researcher, size, path, queries, django_assert_num_queries
):
    for number in range(size):
        contexts = [studies.one_context(1, 2)[0] | {"context": f"c{place}"} for place in range(size)]
        dataset = studies.make_dataset(contexts, name=f"Study {number}")

    with django_assert_num_queries(queries):
        answer = researcher.get(f"/api/datasets/{path.format(pk=dataset.pk)}")

    assert answer.json()["count"] >= size


ONE = {"candidate": "a", "text": "A", "scores": {"coherence": 3}}


def test_an_uploaded_dataset_with_a_lonely_candidate_is_stored_with_a_warning(admin):
    lonely = json.dumps({"context": "c9", "text": "Lonely", "candidates": [ONE]})

    answer = upload(admin, lonely)

    assert answer.status_code == 201
    assert answer.json()["warnings"] == [
        '1 context has fewer than two candidates, so there is nothing to compare: "c9"'
    ]


def test_every_problem_of_an_upload_is_in_the_answer(admin):
    answer = upload(admin, LINES.replace('"overall": 3', '"overall": "three"').replace('"h2"', '""'))

    assert answer.status_code == 400
    assert answer.json()["detail"] == "2 problems; nothing was stored"
    assert [problem.split(" — ")[0] for problem in answer.json()["problems"]] == [
        'study.jsonl:1: candidates[0].scores.overall: "three"',
        'study.jsonl:2: votes[1].rater: ""',
    ]
    assert not Dataset.objects.exists()


def test_an_upload_without_files_is_refused(admin):
    answer = admin.post("/api/datasets/", {"name": "Study"}, format="multipart")

    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "1 problem; nothing was stored", "problems": ["files: This field is required."]},
    )


def test_the_owner_reads_what_goes_with_an_open_dataset_and_deletes_it(researcher, other_researcher):
    dataset = make_dataset(owner=researcher.user)
    run = make_run(dataset, owner=other_researcher.user)
    address = f"/api/datasets/{dataset.pk}/deletion/"

    shown = researcher.get(address).json()
    refused = researcher.post(address, {"name": "Summaries"}, format="json").json()
    Run.objects.filter(pk=run.pk).update(owner=researcher.user, status="done")
    deleted = researcher.post(address, {"name": "Summaries"}, format="json").json()

    assert (shown["name"], shown["goes"]["runs"], shown["of_others"]) == ("Summaries", 1, {"runs": 1})
    assert refused == {"detail": "2 problems; nothing was deleted", "problems": shown["obstacles"]}
    assert deleted["goes"] == shown["goes"]
    assert not Dataset.objects.exists()


def test_a_list_gives_at_most_a_thousand_rows_a_page(researcher):
    dataset = make_dataset(candidates=(1,))
    Context.objects.bulk_create(
        Context(dataset=dataset, key=f"c{place}", text="Text", position=place) for place in range(1, 1001)
    )

    page = researcher.get(f"/api/datasets/{dataset.pk}/contexts/", {"limit": 5000}).json()

    assert (page["count"], len(page["results"])) == (1001, 1000)
