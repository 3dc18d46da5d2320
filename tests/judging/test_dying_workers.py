"""Real worker processes that die, end or compete, on the embedded broker and, where REDIS_URL names one, on Redis."""

import signal

import pytest

from evenhand.engine import load_engine
from judging import tasks
from judging.models import Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.loaded_engine import FIRST_SLICE, EngineHolder
from judging.services.plans.selection_settings import SelectionSettings
from tests.factories import make_dataset, make_run
from tests.judging.workers import (
    assert_each_pair_answered_once,
    empty_queues,
    large_run,
    wait_for_status,
    wait_until,
    worker,
)

pytestmark = [
    pytest.mark.worker,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture(autouse=True)
def _empty_queues():
    empty_queues()


def test_run_of_a_killed_worker_is_made_complete_by_another(remote_judge, endpoint):
    run = large_run(remote_judge, contexts=4)
    tasks.start_run(run.pk)

    with worker() as killed:
        wait_until(run.comparisons.exists, what="the first answer")
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert run.comparisons.count() == FIRST_SLICE
    endpoint.answer.open()
    with worker():
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)


def test_adaptive_run_of_a_killed_worker_keeps_its_held_out_pairs(remote_judge, endpoint):
    run = make_run(
        make_dataset(candidates=(12,) * 3), judge=remote_judge, selection=SelectionSettings("bt-optimal", 60, seed=1)
    )
    held_out = [chunk.held_out for chunk in run.chunks.all()]
    tasks.start_run(run.pk)

    with worker() as killed:
        wait_until(run.comparisons.exists, what="the first answer")
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert run.comparisons.count() == FIRST_SLICE < run.planned == 180
    endpoint.answer.open()
    go_on_here(run)

    assert_each_pair_answered_once(run)
    assert run.comparisons.count() == 180
    assert [chunk.held_out for chunk in run.chunks.all()] == held_out


def go_on_here(run):
    """Judge what is left in this process, once the leases of the dead worker have run out."""
    holder = EngineHolder(load_engine)

    def judged():
        for chunk in run.chunks.all():
            execute_chunk(chunk.pk, load=holder.load, pace=holder.pace)
        run.refresh_from_db()
        return run.status == "done"

    wait_until(judged, what="run is done")
    holder.close()


def test_messages_that_the_broker_lost_are_sent_again(remote_judge, endpoint):
    endpoint.answer.open()
    run = make_run(judge=remote_judge)
    Run.objects.filter(pk=run.pk).update(queued_at="2020-01-01T00:00:00Z")

    with worker():
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)


def test_two_workers_share_a_run_and_double_nothing(remote_judge, endpoint):
    endpoint.answer.open()
    run = large_run(remote_judge, contexts=3)

    with worker(LEASE_SECONDS="60"), worker(LEASE_SECONDS="60"):  # neither dies, be the machine ever so busy
        tasks.start_run(run.pk)
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
    assert set(run.chunks.values_list("attempt", flat=True)) == {1}


def test_worker_that_shuts_down_releases_its_chunk_after_the_slice(remote_judge, endpoint):
    run = make_run(make_dataset(candidates=(16,)), judge=remote_judge)
    tasks.start_run(run.pk)

    with worker() as process:
        wait_until(run.comparisons.exists, what="the first answer")
        process.send_signal(signal.SIGTERM)
        endpoint.answer.open()
        wait_until(lambda: process.poll() is not None, what="the worker ended")
    assert process.returncode == 0
    assert [chunk.status for chunk in run.chunks.all()] == ["pending"]
    assert FIRST_SLICE < run.comparisons.count() < run.planned
    with worker():
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
