"""Runs of a judge at an endpoint, with the real engine and a real server."""

import json
from math import log

import pytest
from django.core.management import call_command

from evenhand.engine import load_engine
from judging.models import Reasoning, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.endpoint.misbehaving_server import KEY, ServedEndpoint, as_usual, reply, status
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", KEY)
    with ServedEndpoint(prefers_the_letter_a) as served:
        yield served


@pytest.fixture
def judge(endpoint):
    return add_judge(name="remote", backend="openai", model="judge", base_url=endpoint.url, api_key_env="TEST_API_KEY")


def prefers_the_letter_a(body):
    p = 0.75 if "Summary A: Summary a " in body["messages"][-1]["content"] else 0.25
    return reply("A" if p > 0.5 else "B", [("A" if p > 0.5 else "B", {"A": log(p), "B": log(1 - p)})])


def execute(run):
    holder = EngineHolder(load_engine)
    execute_chunk(run.chunks.get().pk, load=holder.load)
    holder.close()
    run.refresh_from_db()


def test_run_at_an_endpoint_stores_probabilities_costs_and_environment(judge):
    run = make_run(make_dataset(candidates=(3,)), judge=judge)

    execute(run)

    rows = run.comparisons.values_list("first__key", "p_first", "outcome")
    assert {(key, round(p, 9), outcome) for key, p, outcome in rows} == {
        ("a", 0.75, "answered"),
        ("b", 0.25, "answered"),
        ("c", 0.25, "answered"),
    }
    assert (run.status, run.prompt_tokens, run.computed_tokens) == ("done", 120, 138)
    assert (run.environment["family"], run.environment["revision"]) == ("endpoint", "judge-2026")


def test_failed_request_is_the_error_of_its_comparison(judge, endpoint):
    run = make_run(make_dataset(candidates=(3,)), judge=judge)
    endpoint.first_do(as_usual, status(400, "too long"))

    execute(run)

    assert sorted(run.comparisons.values_list("outcome", flat=True)) == ["answered"] * 5 + ["error"]
    assert run.status == "done"


def test_refused_key_fails_the_run_which_can_be_resumed(judge, endpoint):
    run = make_run(make_dataset(candidates=(3,)), judge=judge)
    endpoint.first_do(status(401, f"wrong key {KEY}"))

    execute(run)
    failed = (run.status, run.comparisons.count())
    error = run.error
    resume(run)
    execute(run)

    assert failed == ("failed", 0)
    assert "it refuses the key; check the variable that the judge names" in error
    assert KEY not in error
    assert (run.status, run.comparisons.count()) == ("done", 6)


def test_run_whose_key_is_missing_fails_and_names_the_variable(judge, monkeypatch):
    monkeypatch.delenv("TEST_API_KEY")
    run = make_run(judge=judge, dataset=make_dataset(candidates=(2,)))

    execute(run)

    assert (run.status, "TEST_API_KEY" in run.error) == ("failed", True)


def test_prepair_at_an_endpoint_writes_analyses_first(judge, endpoint):
    def answer(body):
        return reply("Both are clear.") if body["max_tokens"] > 8 else prefers_the_letter_a(body)

    endpoint.answer = answer
    run = make_run(make_dataset(candidates=(2,)), judge=judge, prompt="prepair-1")

    execute(run)

    assert run.status == "done"
    assert set(Reasoning.objects.values_list("text", "complete")) == {("Both are clear.", True)}


def test_geval_at_an_endpoint_writes_its_steps_once_and_reads_the_numbers_after_them(judge, endpoint):
    listed = {"4": log(0.75), "2": log(0.25)}

    def answer(body):
        if body["max_tokens"] > 8:
            return reply("1. Read it.")
        return reply("4", [("4", listed)])

    endpoint.answer = answer
    run = make_run(make_dataset(candidates=(3,)), judge=judge, prompt="geval-1")

    execute(run)

    asked = [body["messages"][-1]["content"] for body in endpoint.asked]
    assert list(run.scores.values_list("value", flat=True)) == [pytest.approx(3.5)] * 3
    assert sum("Evaluation Steps:\n\n1. Read it.\n" in text for text in asked) == 3
    assert asked[-1].endswith("Answer only with a whole number from 1 to 5, and nothing else.")
    assert Reasoning.objects.get().text == "1. Read it."


def test_unieval_at_an_endpoint_reads_yes_and_no(judge, endpoint):
    endpoint.answer = lambda body: reply("Yes", [("Yes", {"Yes": log(0.75), "No": log(0.25)})])
    run = make_run(make_dataset(candidates=(1,)), judge=judge, prompt="unieval-2")

    execute(run)

    score = run.scores.get()
    assert (score.value, score.text) == (pytest.approx(0.75), "Yes")
    assert endpoint.asked[-1]["messages"][-1]["content"].endswith("Answer only with Yes or No, and nothing else.")


def test_export_shows_the_messages_and_needs_no_key(judge, endpoint, tmp_path, monkeypatch):
    run = make_run(make_dataset(candidates=(2,)), judge=judge)
    execute(run)
    monkeypatch.delenv("TEST_API_KEY")

    call_command("export_comparisons", run.pk, "--output", tmp_path / "run.jsonl", "--prompts")

    row = json.loads((tmp_path / "run.jsonl").read_text().splitlines()[0])
    assert json.loads(row["prompt_text"]) in [body["messages"] for body in endpoint.asked]
    assert (row["label_first"], row["label_second"], row["answer_prefix"]) == ("A", "B", "")


def test_key_is_stored_nowhere(judge, endpoint):
    run = make_run(make_dataset(candidates=(2,)), judge=judge)

    execute(run)

    stored = [*Run.objects.filter(pk=run.pk).values(), *type(judge).objects.values(), *run.comparisons.values()]
    assert KEY not in str(stored)
    assert "TEST_API_KEY" in str(stored)
