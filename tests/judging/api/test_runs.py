"""Runs over HTTP."""

import pytest

from judging import tasks
from judging.models import Chunk, Comparison, Reasoning, Run
from judging.services.plans.selection_settings import SelectionSettings
from tests.factories import answer_run, make_dataset, make_judge, make_run
from tests.rankings import studies

pytestmark = pytest.mark.django_db

ASKED = {"dataset": "Summaries", "attribute": "coherence", "judge": "tiny"}


def test_runs_are_listed_with_how_far_they_are(researcher):
    run = make_run(owner=researcher.user)
    answer_run(run)

    [shown] = researcher.get("/api/runs/").json()["results"]

    assert {key: shown[key] for key in ("id", "dataset", "attribute", "judge", "method", "prompt", "owner")} == {
        "id": run.pk,
        "dataset": "Summaries",
        "attribute": "coherence",
        "judge": "tiny",
        "method": "comparative",
        "prompt": "comparative-1",
        "owner": "rita",
    }
    assert (shown["status"], shown["planned"], shown["asked"]) == ("done", 12, 12)


def test_run_detail_has_specification_and_progress(researcher):
    run = answer_run(make_run(owner=researcher.user))

    shown = researcher.get(f"/api/runs/{run.pk}/").json()

    assert shown["spec"] == run.spec
    assert shown["progress"]["answered"] == 12


def test_runs_are_found_by_dataset_and_status(researcher):
    make_run(make_dataset("One"))
    wanted = answer_run(make_run(make_dataset("Two")))
    make_run(wanted.dataset)

    found = researcher.get("/api/runs/", {"dataset": "Two", "status": "done"}).json()["results"]

    assert [run["id"] for run in found] == [wanted.pk]


def test_a_run_is_created_and_handed_to_the_workers(researcher, monkeypatch, django_capture_on_commit_callbacks):
    make_dataset(candidates=(3, 3, 2))
    make_judge()
    asked = {"selection": "bt-optimal", "hold_out": 0.5, "seed": 3, "samples": 3, "temperature": 0.5}
    asked |= {"without_system": ["system-c"], "without_context": ["c2"]}
    sent = []
    monkeypatch.setattr(tasks, "send_work", lambda chunks, behind=0: sent.extend(chunks))

    with django_capture_on_commit_callbacks(execute=True):
        answer = researcher.post("/api/runs/", ASKED | asked | {"comparisons": 1}, format="json")

    run, shown = Run.objects.get(), answer.json()
    assert (answer.status_code, shown["id"], shown["planned"]) == (201, run.pk, 2)
    assert {name: shown[name] for name in asked} == asked
    assert (run.owner, run.comparisons_per_context, run.prompt_name) == (researcher.user, 1, "comparative-1")
    assert shown["spec"]["writing"] == {"samples": 3, "temperature": 0.5}
    assert sent == list(Chunk.objects.filter(run=run))


def test_run_detail_has_the_evaluation_steps(researcher):
    make_dataset()
    make_judge()
    before = researcher.post("/api/runs/", ASKED | {"method": "geval"}, format="json").json()
    run = Run.objects.get(pk=before["id"])
    Reasoning.objects.create(
        judge=run.judge, question_sha256=run.reasoning_sha256, max_new_tokens=512, text="1. Read.", complete=False
    )

    after = researcher.get(f"/api/runs/{run.pk}/").json()

    assert (before["steps"], before["progress"]["reasonings_planned"]) == (None, 1)
    assert (after["steps"], after["progress"]["reasonings_done"]) == ("1. Read.", 1)
    assert (before["progress"]["reasonings_cut"], after["progress"]["reasonings_cut"]) == (0, 1)


def test_a_run_is_cancelled_and_resumed_by_the_workers(researcher, monkeypatch, django_capture_on_commit_callbacks):
    run = make_run(owner=researcher.user)
    sent = []
    monkeypatch.setattr(tasks, "send_work", lambda chunks, behind=0: sent.extend(chunks))

    cancelled = researcher.post(f"/api/runs/{run.pk}/cancel/").json()
    with django_capture_on_commit_callbacks(execute=True):
        resumed = researcher.post(f"/api/runs/{run.pk}/resume/").json()

    assert (cancelled["status"], resumed["status"]) == ("cancelled", "pending")
    assert sent == list(run.chunks.all())


def test_a_recorded_run_cannot_be_resumed(researcher):
    run = studies.compared(studies.make_dataset())

    answer = researcher.post(f"/api/runs/{run.pk}/resume/")

    assert (answer.status_code, answer.json()["problems"]) == (
        400,
        [f"run {run.pk} was recorded elsewhere; there is nothing to resume"],
    )


def test_comparisons_are_listed_as_they_were_answered(researcher):
    run = studies.compared(studies.make_dataset())

    shown = researcher.get(f"/api/runs/{run.pk}/comparisons/").json()

    assert shown["count"] == 9
    first = shown["results"][0]
    assert {key: first[key] for key in ("context", "first", "second", "outcome", "p_first", "undefined")} == {
        "context": "c0",
        "first": "a",
        "second": "b",
        "outcome": "answered",
        "p_first": 0.9,
        "undefined": {},
    }


def test_comparisons_are_found_by_outcome_and_context_and_held_out_or_not(researcher):
    run = studies.compared(studies.make_dataset())

    found = researcher.get(f"/api/runs/{run.pk}/comparisons/", {"context": "c1", "outcome": "error"}).json()

    assert [(row["first"], row["second"]) for row in found["results"]] == [("a", "c")]

    address = f"/api/runs/{run.pk}/comparisons/"

    assert researcher.get(address, {"held_out": "perhaps"}).status_code == 400
    assert researcher.get(address, {"held_out": "true"}).json()["count"] == 0
    assert {row["held_out"] for row in researcher.get(address, {"held_out": "false"}).json()["results"]} == {False}


def test_comparisons_of_an_adaptive_run_mark_held_out_pairs(researcher):
    choice = SelectionSettings("bt-optimal", 7, hold_out=0.4)
    run = answer_run(make_run(make_dataset(candidates=(4, 4)), selection=choice, owner=researcher.user))
    address = f"/api/runs/{run.pk}/comparisons/"

    every, held, others = (
        researcher.get(address, query).json()["results"] for query in ({}, {"held_out": "true"}, {"held_out": "false"})
    )

    assert len(held) == len(run.held_out_pairs()) > 0
    assert [row for row in every if row["held_out"]] == held
    assert [row for row in every if not row["held_out"]] == others


def test_a_log_probability_of_minus_infinity_is_null_with_the_reason(researcher):
    run = answer_run(make_run(make_dataset(candidates=(2,)), owner=researcher.user))
    Comparison.objects.filter(run=run).update(raw_first=-1.5, raw_second=float("-inf"))

    row = researcher.get(f"/api/runs/{run.pk}/comparisons/").json()["results"][0]

    assert (row["raw_first"], row["raw_second"]) == (-1.5, None)
    assert row["undefined"] == {"raw_second": "the judge gave the label no probability"}


@pytest.mark.parametrize("size", [1, 4])
def test_run_lists_need_the_same_queries_for_any_number_of_rows(researcher, size, django_assert_num_queries):
    for number in range(size):
        run = answer_run(make_run(make_dataset(f"Study {number}", candidates=(size + 1,))))

    with django_assert_num_queries(4):  # token, roles, count, rows
        researcher.get("/api/runs/")
    with django_assert_num_queries(5):  # token, roles, run, count, rows
        researcher.get(f"/api/runs/{run.pk}/comparisons/")


SCORES = "context,attribute,candidate,score\nc0,overall,a,1\nc0,overall,b,\n"


@pytest.mark.parametrize(
    ("run_of", "first"),
    [
        (studies.compared, "context,attribute,first"),
        (lambda dataset: studies.scored(dataset, SCORES), "context,attribute,candidate"),
    ],
)
def test_answers_of_any_run_are_downloaded_as_the_import_reads_them(researcher, run_of, first):
    run = run_of(studies.make_dataset())

    table = researcher.get(f"/api/runs/{run.pk}/download/")
    lines = researcher.get(f"/api/runs/{run.pk}/download/", {"file": "jsonl"})

    text = b"".join(table.streaming_content).decode()
    assert text.startswith(first)
    assert len(text.splitlines()) - 1 == len(b"".join(lines.streaming_content).splitlines()) == run.answers.count()
    assert researcher.get(f"/api/runs/{run.pk}/download/", {"file": "xml"}).status_code == 400


def test_run_in_batches_is_started_and_shows_its_batches(researcher):
    make_dataset()
    make_judge(backend="openai", base_url="http://127.0.0.1:1/v1")

    started = researcher.post("/api/runs/", ASKED | {"batch": True}, format="json").json()
    run = Run.objects.get(pk=started["id"])
    run.batches.create(key="0" * 64, batch_id="batch-7", status="in_progress", requests=12, completed=5)
    shown = researcher.get(f"/api/runs/{run.pk}/").json()

    assert (started["in_batches"], shown["spec"] == run.spec) == (True, True)
    (batch,) = shown["progress"]["batches"]
    assert (batch["batch_id"], batch["status"], batch["requests"], batch["completed"]) == (
        *("batch-7", "in_progress"),
        *(12, 5),
    )
