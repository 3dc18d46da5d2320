"""Several runs started by one request."""

import pytest

from judging import tasks
from judging.models import Run
from tests.commands import printed_json
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db

ASKED = {"dataset": "Summaries", "attribute": "coherence", "judge": "tiny"}


def test_lists_of_attributes_and_prompts_start_a_run_for_each_of_both(
    researcher, monkeypatch, django_capture_on_commit_callbacks
):
    make_dataset(attributes=("coherence", "fluency", "depth"))
    make_judge()
    several = {"dataset": "Summaries", "judge": "tiny", "attributes": ["fluency", "coherence", "fluency"]}
    sent = []
    monkeypatch.setattr(tasks, "send_work", lambda chunks, behind=0: sent.extend(chunks))

    with django_capture_on_commit_callbacks(execute=True):
        answer = researcher.post(
            "/api/runs/", several | {"prompts": ["comparative-2", "pointwise-1"], "seed": 3}, format="json"
        )

    assert answer.status_code == 201
    assert [(run["attribute"], run["method"], run["prompt"], run["seed"]) for run in answer.json()["runs"]] == [
        ("fluency", "comparative", "comparative-2", 3),
        ("fluency", "pointwise", "pointwise-1", 3),
        ("coherence", "comparative", "comparative-2", 3),
        ("coherence", "pointwise", "pointwise-1", 3),
    ]
    assert {chunk.run_id for chunk in sent} == {run["id"] for run in answer.json()["runs"]}


def test_a_list_of_one_is_answered_by_a_list(researcher):
    before = make_run(owner=researcher.user)

    runs = researcher.post("/api/runs/", ASKED | {"prompts": ["comparative-1"]}, format="json").json()["runs"]

    started = Run.objects.exclude(pk=before.pk).get()
    assert [(run["id"], run["prompt"]) for run in runs] == [(started.pk, "comparative-1")]


@pytest.mark.parametrize(
    ("asked", "problems"),
    [
        (
            {"attribute": "coherence", "attributes": ["coherence"]},
            ["attribute: attributes is given too; give only one of them"],
        ),
        ({}, ["attribute: needed"]),
        ({"attributes": []}, ["attribute: needed"]),
        (
            {"attributes": ["coherence", "depth", "wit"]},
            ['attribute: there is no "depth"', 'attribute: there is no "wit"'],
        ),
        (
            {"attribute": "coherence", "method": "prepair", "prompts": ["prepair-1", "cot-1"]},
            ['prompt: "cot-1" is no prompt of method prepair; there are: prepair-1, prepair-tie-1'],
        ),
    ],
)
def test_lists_that_make_no_sense_are_refused(researcher, asked, problems):
    make_dataset()
    make_judge()

    answer = researcher.post("/api/runs/", {"dataset": "Summaries", "judge": "tiny"} | asked, format="json")

    assert (answer.status_code, answer.json()["problems"]) == (400, problems)


def test_run_is_of_the_dataset_and_the_attribute_that_are_named(researcher):
    make_dataset("Another")
    make_dataset()
    make_dataset("Third")
    make_judge()

    run = researcher.post("/api/runs/", ASKED | {"prompt": "comparative-1"}, format="json").json()

    stored = Run.objects.get(pk=run["id"])
    assert (stored.dataset.name, stored.attribute.dataset.name) == ("Summaries", "Summaries")


def test_dry_run_answers_as_the_command_does_and_starts_nothing(researcher, capsys, judge):
    make_dataset(candidates=(3, 2)).contexts.filter(key="c1").update(text="The cat sat. " * 400)

    answer = researcher.post("/api/runs/", ASKED | {"dry_run": True, "method": "cot"}, format="json")

    options = ("--dataset", "Summaries", "--judge", "tiny", "--method", "cot", "--dry-run")
    assert (answer.status_code, answer.json()) == (200, printed_json(capsys, "judge", *options))
    assert answer.json()["runs"][0]["warnings"][0].startswith("About 2 of 8 prompts are longer than ")
    assert not Run.objects.exists()
