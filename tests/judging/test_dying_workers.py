"""Real worker processes that die, end or compete, on the embedded broker and, where REDIS_URL names one, on Redis."""

import signal
from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.engine import load_engine
from evenhand.engine.endpoint.http_client import TIMEOUT_SECONDS
from judging import tasks
from judging.models import Chunk, Comparison, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.loaded_engine import FIRST_SLICE, EngineHolder
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_lifecycle import cancel
from tests.commands import printed_json
from tests.evenhand.engine.endpoint.batch_endpoint import BatchEndpoint
from tests.evenhand.engine.endpoint.misbehaving_server import reply
from tests.factories import make_dataset, make_judge, make_run
from tests.judging.workers import (
    assert_each_pair_answered_once,
    empty_queues,
    large_run,
    lasting_workers,
    start_command,
    wait_for_status,
    wait_until,
)

pytestmark = [pytest.mark.worker, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def workers():
    """Living workers, which the tests here share. A killed one leaves a lease of a minute."""
    with lasting_workers() as living:
        yield living


@pytest.fixture(autouse=True)
def _empty_queues():
    empty_queues()


def stop_while_it_works(worker, run, how):
    wait_until(run.comparisons.exists, what="the first answer")
    worker.send_signal(how)


def kill_while_it_works(worker, run):
    """Kill a worker that has stored its first slice, and let its lease run out."""
    stop_while_it_works(worker, run, signal.SIGKILL)
    worker.wait()
    assert run.comparisons.count() == FIRST_SLICE < run.planned
    assert Chunk.objects.held().update(lease_until=timezone.now() - timedelta(seconds=1)) == 1


def test_messages_that_the_broker_lost_are_sent_again(remote_judge, endpoint, workers):
    endpoint.answer.open()
    run = make_run(judge=remote_judge)
    Run.objects.filter(pk=run.pk).update(queued_at="2020-01-01T00:00:00Z")

    workers()
    wait_for_status(run, "done")

    assert_each_pair_answered_once(run)


def test_batch_of_a_cancelled_run_is_cancelled_by_a_worker_that_no_message_reached(workers):
    with BatchEndpoint(lambda body: reply("A"), polls_needed=10**9) as endpoint:
        judge = make_judge("batches", model="judge", backend="openai", base_url=endpoint.url)
        run = make_run(judge=judge, in_batches=True)
        tasks.start_run(run.pk)
        workers()
        wait_until(run.batches.exists, what="the batch is sent")

        cancel(run)
        wait_until(lambda: run.batches.get().status == "cancelled", what="the batch is cancelled")

    assert endpoint.cancelled == ["batch-0"]


def test_two_workers_share_a_run_and_double_nothing(remote_judge, endpoint, workers):
    run = large_run(remote_judge, contexts=2)

    workers(2)
    tasks.start_run(run.pk)
    wait_until(lambda: run.chunks.filter(status="running").count() == 2, what="each worker has a chunk")
    endpoint.answer.open()
    wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
    assert set(run.chunks.values_list("attempt", flat=True)) == {1}


def test_worker_continues_the_run_of_a_killed_command_and_takes_what_the_next_one_queues(
    remote_judge, endpoint, workers, capsys
):
    make_dataset(candidates=(11,))
    make_dataset("Others")
    killed = start_command("judge", "--dataset", "Summaries", "--judge", "remote")
    wait_until(Comparison.objects.exists, what="the first answer")
    killed.kill()
    killed.communicate()
    endpoint.answer.open()

    workers()
    wait_until(Run.objects.filter(status="done").exists, what="the end of the run")
    queued = printed_json(capsys, "judge", "--dataset", "Others", "--judge", "remote", "--queue")["runs"]

    continued, other = Run.objects.order_by("pk")
    assert_each_pair_answered_once(continued)
    assert queued[0]["comparisons"] == 12
    assert other.queued_at is not None


def test_run_of_a_killed_worker_is_made_complete_by_another(remote_judge, endpoint, workers):
    """With the pairs that were held out before."""
    run = make_run(
        make_dataset(candidates=(12,) * 3), judge=remote_judge, selection=SelectionSettings("bt-optimal", 60, seed=1)
    )
    held_out = [chunk.held_out for chunk in run.chunks.all()]
    tasks.start_run(run.pk)

    kill_while_it_works(*workers(), run)
    endpoint.answer.open()
    workers()
    wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
    assert run.comparisons.count() == run.planned == 180
    assert [chunk.held_out for chunk in run.chunks.all()] == held_out


def test_worker_that_shuts_down_releases_its_chunk_after_the_slice(remote_judge, endpoint, workers):
    run = make_run(make_dataset(candidates=(16,)), judge=remote_judge)
    tasks.start_run(run.pk)
    [worker] = workers()

    stop_while_it_works(worker, run, signal.SIGTERM)
    endpoint.answer.open()
    wait_until(lambda: worker.poll() is not None, what="the worker ended")
    assert worker.returncode == 0
    assert [chunk.status for chunk in run.chunks.all()] == ["pending"]
    assert FIRST_SLICE < run.comparisons.count() < run.planned
    go_on_here(run)

    assert_each_pair_answered_once(run)


def test_worker_that_is_to_end_does_not_wait_for_an_endpoint_that_hangs(remote_judge, endpoint, workers):
    run = large_run(remote_judge, contexts=1)
    tasks.start_run(run.pk)
    [worker] = workers()

    stop_while_it_works(worker, run, signal.SIGTERM)
    status = worker.wait(timeout=tasks.LAST_SLICE_SECONDS + TIMEOUT_SECONDS / 2)
    stored = run.comparisons.count()
    endpoint.answer.open()
    go_on_here(run)

    assert (status, stored) == (0, FIRST_SLICE)
    assert_each_pair_answered_once(run)


def go_on_here(run):
    """Judge what is left in this process."""
    holder = EngineHolder(load_engine)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=holder.load, pace=holder.pace)
    holder.close()
    run.refresh_from_db()
    assert run.status == "done"
