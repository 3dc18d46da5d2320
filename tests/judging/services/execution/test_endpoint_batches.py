"""Runs whose questions an endpoint answers in batches."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from evenhand.engine import BatchState, load_engine
from judging.models import EndpointBatch, EndpointUse, Reasoning
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.endpoint_batches import RunLedger, cancel_left_batches, cancel_run_batches
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import cancel, resume
from tests.evenhand.engine.endpoint.batch_endpoint import BatchEndpoint
from tests.evenhand.engine.endpoint.misbehaving_server import reply, status
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint():
    with BatchEndpoint(lambda body: reply("A")) as served:
        yield served


@pytest.fixture
def judge(endpoint):
    prices = {"price_input": 2.0, "price_output": 10.0}
    return add_judge(name="remote", backend="openai", model="judge", base_url=endpoint.url, **prices)


def batch_run(judge, name="Summaries", **settings):
    return make_run(make_dataset(name, candidates=(3,)), judge=judge, in_batches=True, **settings)


def execute(run, times=1, **options):
    """Execute the run's chunk in a process of its own each time, so that nothing is kept but rows."""
    for _ in range(times):
        holder = EngineHolder(load_engine)
        execute_chunk(run.chunks.get().pk, load=holder.load, **options)
        holder.close()
    run.refresh_from_db()


def test_batch_that_a_worker_with_a_wrong_clock_asked_about_is_asked_about_in_time_and_counts_today(
    judge, endpoint, monkeypatch
):
    run = batch_run(judge)
    ahead = timezone.now() + timedelta(days=1)
    with monkeypatch.context() as wrong_clock:
        wrong_clock.setattr(timezone, "now", lambda: ahead)
        execute(run)
        ledger = RunLedger(run, poll_seconds=0)
        ledger.update(run.batches.get().key, BatchState("in_progress"))

    assert ledger.is_due(run.batches.get().key)
    assert EndpointUse.objects.get().used_at < ahead - timedelta(hours=12)
    assert EndpointUse.objects.today().totals()["requests"] == 6


def test_questions_are_uploaded_once_and_answered_later(judge, endpoint):
    run = batch_run(judge)

    execute(run)
    waiting = (run.status, run.comparisons.count(), run.chunks.get().status)
    execute(run)

    assert waiting == ("running", 0, "pending")
    assert (run.status, run.comparisons.filter(p_first=1.0).count()) == ("done", 6)
    assert [len(bodies) for bodies in endpoint.uploads] == [6]
    assert {body["max_tokens"] for body in endpoint.uploads[0]} == {8}
    assert run.prompt_tokens == 120


def test_each_answer_belongs_to_its_question(judge, endpoint):
    endpoint.answer = lambda body: reply("A" if "Summary A: Summary a " in body["messages"][-1]["content"] else "B")
    run = batch_run(judge)

    execute(run, times=2)

    rows = run.comparisons.values_list("first__key", "p_first")
    assert {(key, p) for key, p in rows} == {("a", 1.0), ("b", 0.0), ("c", 0.0)}


def test_failed_line_is_an_error_and_is_sent_in_a_new_batch_on_request(judge, endpoint):
    endpoint.answer = lambda body: status(500)
    run = batch_run(judge)
    engine_trial(endpoint, run)
    errors = set(run.comparisons.values_list("outcome", "error"))

    endpoint.answer = lambda body: reply("A")
    resume(run, errors=True)
    execute(run, times=2)

    assert errors == {("error", "the endpoint failed on this line of the batch: the server had an error")}
    assert (run.status, run.comparisons.filter(p_first=1.0).count()) == ("done", 6)
    assert len(endpoint.uploads) == 2


def engine_trial(endpoint, run):
    """Execute a run whose lines fail, although the probe is answered."""
    failing = endpoint.answer
    endpoint.answer = lambda body: reply("A") if "cat sat" in body["messages"][-1]["content"] else failing(body)
    execute(run, times=2)


def test_lines_that_an_expired_batch_left_out_are_sent_again(judge, endpoint):
    endpoint.leaves_out = {1, 4}
    run = batch_run(judge)

    execute(run, times=3)

    assert (run.status, run.comparisons.count()) == ("done", 6)
    assert [len(bodies) for bodies in endpoint.uploads] == [6, 2]


def test_batch_that_the_ledger_lost_is_found_at_the_endpoint(judge, endpoint):
    run = batch_run(judge)
    execute(run)
    EndpointBatch.objects.all().delete()

    execute(run)

    assert (run.status, len(endpoint.uploads)) == ("done", 1)


def test_two_runs_with_the_same_questions_have_two_batches(judge, endpoint):
    dataset = make_dataset(candidates=(2,))
    for run in [make_run(dataset, judge=judge, in_batches=True) for _ in range(2)]:
        execute(run, times=2)

    assert len(endpoint.uploads) == 2


def test_refused_batch_fails_the_run_which_can_be_resumed(judge, endpoint):
    endpoint.refuses = "line 3 has no body"
    run = batch_run(judge)
    execute(run)
    failed = (run.status, run.error)

    endpoint.refuses = ""
    resume(run)
    execute(run, times=2)

    assert failed == ("failed", "the endpoint refused the batch: line 3 has no body")
    assert run.status == "done"


@pytest.mark.parametrize(("left_out", "sent"), [({1, 2, 3, 4}, 4), ({0, 1, 2, 3, 4, 5}, 6)])
def test_cancelled_run_cancels_its_batch_and_sends_the_rest_when_resumed(judge, endpoint, left_out, sent):
    endpoint.leaves_out = left_out
    run = batch_run(judge)
    execute(run)

    cancel(run)
    cancel_run_batches(run)
    state = run.batches.get().status
    resume(run)
    execute(run, times=4)

    assert (endpoint.cancelled, state) == (["batch-0"], "cancelled")
    assert (run.status, run.comparisons.count()) == ("done", 6)
    assert [len(bodies) for bodies in endpoint.uploads] == [6, sent]


def test_batches_of_cancelled_runs_alone_are_cancelled_without_a_message(judge, endpoint):
    run, going_on = batch_run(judge), batch_run(judge, name="Other")
    for one in (run, going_on):
        execute(one)

    cancel(run)
    for _ in range(2):
        cancel_left_batches()

    assert endpoint.cancelled == ["batch-0"]
    assert [one.batches.get().status for one in (run, going_on)] == ["cancelled", "validating"]


def test_batch_that_ended_before_it_was_cancelled_is_asked_about_no_more(judge, endpoint):
    run = batch_run(judge)
    execute(run)
    endpoint.finish(endpoint.batches["batch-0"])

    cancel(run)
    for _ in range(2):
        cancel_left_batches()

    assert (endpoint.cancelled, run.batches.get().status) == (["batch-0"], "completed")


def test_batch_that_expired_without_an_answer_fails_the_run_and_is_sent_again(judge, endpoint):
    endpoint.leaves_out = {0, 1, 2, 3, 4, 5}
    run = batch_run(judge)
    execute(run, times=2)
    failed = (run.status, run.error)

    resume(run)
    execute(run, times=2)

    assert failed == ("failed", "the batch batch-0 is expired without an answer; resume the run to send it again")
    assert (run.status, len(endpoint.uploads)) == ("done", 2)


def test_cancelling_does_not_fail_where_the_endpoint_is_gone(judge, endpoint, caplog):
    run = batch_run(judge)
    execute(run)
    judge.base_url = "http://127.0.0.1:9/v1"
    judge.save()

    cancel(run)
    cancel_run_batches(type(run).objects.get(pk=run.pk))

    assert "are not cancelled at the endpoint" in caplog.text


def test_endpoint_is_not_asked_about_a_batch_again_at_once(judge, endpoint):
    run = batch_run(judge)

    execute(run, times=3, poll_seconds=3600)

    assert endpoint.batches["batch-0"]["polls"] == 1


def test_reasoning_is_written_in_a_batch_before_the_answers(judge, endpoint):
    endpoint.answer = lambda body: reply("Both are clear." if body["max_tokens"] > 8 else "A")
    run = make_run(make_dataset(candidates=(2,)), judge=judge, prompt="prepair-1", in_batches=True)

    execute(run, times=4)

    assert (run.status, Reasoning.objects.count()) == ("done", 2)
    assert [len(bodies) for bodies in endpoint.uploads] == [2, 2]


def test_sampled_answers_are_one_batch(judge, endpoint):
    run = batch_run(judge, generation=GenerationSettings(samples=3, temperature=1.0))

    execute(run, times=2)

    assert (run.status, [len(bodies) for bodies in endpoint.uploads]) == ("done", [18])


def test_batches_are_shown_and_cost_half(judge, endpoint):
    direct = make_run(make_dataset("Direct", candidates=(3,)), judge=judge)
    execute(direct)
    run = batch_run(judge)
    execute(run, times=2)

    shown = progress(run)

    assert [(one.status, one.completed, one.requests) for one in shown.batches] == [("completed", 6, 6)]
    assert shown.cost == pytest.approx(progress(direct).cost / 2)


def test_judge_command_waits_for_its_batches(judge, endpoint, settings, capsys):
    settings.BATCH_POLL_SECONDS = 0
    make_dataset("Sample notes", candidates=(2,))

    call_command("judge", "--dataset", "Sample notes", "--judge", "remote", "--batch")

    assert "2 comparisons" in capsys.readouterr().out
    assert [len(bodies) for bodies in endpoint.uploads] == [2]
