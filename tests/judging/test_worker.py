"""A real worker process, on the embedded broker and, where REDIS_URL names one, on Redis."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection

from judging import tasks
from judging.engine import load_engine
from judging.models import Chunk, Comparison, Reasoning, Run
from judging.services.choices import Choice
from judging.services.engines import EngineHolder
from judging.services.execution import execute_chunk
from judging.services.runs import cancel, resume
from tests.factories import make_dataset, make_judge, make_run

pytestmark = [
    pytest.mark.worker,
    pytest.mark.slow,
    pytest.mark.xdist_group("worker"),
    pytest.mark.django_db(transaction=True),
]

ROOT = Path(__file__).resolve().parent.parent.parent
DEADLINE_SECONDS = 60
SHORT_LEASE = 4


@pytest.fixture
def judge(tiny_model):
    return make_judge(model=str(tiny_model))


@pytest.fixture(autouse=True)
def _empty_queues():
    """No message of another test is left when one begins."""
    with tasks.current_app.connection_for_write() as broker:
        for queue in (tasks.DEFAULT, tasks.GPU):
            broker.default_channel.queue_declare(queue)
            broker.default_channel.queue_purge(queue)


@contextmanager
def worker(**environment):
    """A worker of both queues on this test's database and broker; killed at the end if it still lives."""
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "evalsite", "worker", "--pool=solo", "-Q", "default,gpu", "-l", "INFO"],
        cwd=ROOT,
        env=os.environ
        | {"DATABASE_URL": database_url(), "LEASE_SECONDS": str(SHORT_LEASE), "SWEEP_SECONDS": "1"}
        | {"OMP_NUM_THREADS": "1", "DJANGO_SETTINGS_MODULE": "tests.settings"}
        | environment,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()


def database_url():
    """The address of this test's database, as another process is told it."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    return f"postgresql://{database['USER']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"


def wait_until(happened, *, what):
    """Ask again and again until it happened; fails after the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not happened():
        assert time.monotonic() < deadline, f"not within {DEADLINE_SECONDS} seconds: {what}"
        time.sleep(0.02)  # asks again; nothing depends on how long


def wait_for_status(run, status):
    def reached():
        run.refresh_from_db()
        return run.status == status

    wait_until(reached, what=f"run is {status}")


def assert_each_pair_answered_once(run):
    pairs = Counter((first, second) for chunk in run.chunks.all() for first, second in chunk.pairs)
    rows = Counter(run.comparisons.values_list("first", "second"))
    assert rows == pairs
    assert set(rows.values()) == {1}
    assert set(run.comparisons.values_list("outcome", flat=True)) == {"answered"}
    assert run.prompt_tokens > 0


def large_run(judge):
    """8 chunks of 110 comparisons: some seconds of work."""
    return make_run(make_dataset(candidates=(11,) * 8), judge=judge)


def test_worker_judges_a_run_that_was_handed_to_it(judge):
    run = make_run(judge=judge)

    with worker():
        tasks.start_run(run.pk)
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
    assert run.environment["revision"].startswith("sha256:")
    assert Chunk.objects.unfinished().count() == 0


def test_worker_writes_about_each_candidate_once_for_prepair(judge):
    run = make_run(judge=judge, prompt="prepair-1")

    with worker():
        tasks.start_run(run.pk)
        wait_for_status(run, "done")

    assert Reasoning.objects.count() == 6
    assert run.comparisons.count() == 12


def test_run_of_a_killed_worker_is_made_complete_by_another(judge):
    run = large_run(judge)
    tasks.start_run(run.pk)

    with worker() as killed:
        wait_until(run.comparisons.exists, what="the first answer")
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    there = run.comparisons.count()
    assert 0 < there < run.planned
    with worker():
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)


def test_adaptive_run_of_a_killed_worker_goes_on_with_what_it_held_out(judge):
    run = make_run(make_dataset(candidates=(12,) * 6), judge=judge, choice=Choice("bt-optimal", 60, seed=1))
    held_out = [chunk.held_out for chunk in run.chunks.all()]
    tasks.start_run(run.pk)

    with worker() as killed:
        wait_until(run.comparisons.exists, what="the first answer")
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert 0 < run.comparisons.count() < run.planned == 360
    go_on_here(run)

    assert_each_pair_answered_once(run)
    assert run.comparisons.count() == 360
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


def test_messages_that_the_broker_lost_are_sent_again(judge):
    run = make_run(judge=judge)
    Run.objects.filter(pk=run.pk).update(queued_at="2020-01-01T00:00:00Z")

    with worker():
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)


def test_cancelled_run_stops_in_the_middle_and_is_resumed(judge):
    run = large_run(judge)
    tasks.start_run(run.pk)

    with worker():
        wait_until(run.comparisons.exists, what="the first answer")
        assert cancel(run)
        wait_until(lambda: not Chunk.objects.filter(run=run, status="running").exists(), what="the worker lets go")
        there = run.comparisons.count()
        assert 0 < there < run.planned
        resume(run)
        tasks.start_run(run.pk)
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)


def test_two_workers_share_a_run_and_double_nothing(judge):
    run = large_run(judge)

    with worker(), worker():
        tasks.start_run(run.pk)
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
    assert set(run.chunks.values_list("attempt", flat=True)) == {1}


def test_message_that_comes_twice_does_nothing(judge):
    run = large_run(judge)
    tasks.start_run(run.pk)
    tasks.send_run(run.pk)

    with worker():
        wait_for_status(run, "done")
        wait_until(lambda: tasks.queue_length("default") == 0, what="every message is taken")

    assert_each_pair_answered_once(run)
    assert set(run.chunks.values_list("attempt", flat=True)) == {1}


def test_judge_that_cannot_be_loaded_fails_its_run_and_the_worker_goes_on(judge, tmp_path):
    broken = make_run(judge=make_judge("broken", model=str(tmp_path)))
    good = make_run(make_dataset("Other"), judge=judge)

    with worker():
        tasks.start_run(broken.pk)
        tasks.start_run(good.pk)
        wait_for_status(good, "done")

    broken.refresh_from_db()
    assert broken.status == "failed"
    assert str(tmp_path) in broken.error
    assert not Comparison.objects.filter(run=broken).exists()


def test_worker_that_is_told_to_end_gives_its_chunk_back_after_the_slice(judge):
    run = make_run(make_dataset(candidates=(45,)), judge=judge)
    tasks.start_run(run.pk)

    with worker() as process:
        wait_until(run.comparisons.exists, what="the first answer")
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: process.poll() is not None, what="the worker ended")
    assert process.returncode == 0
    assert [chunk.status for chunk in run.chunks.all()] == ["pending"]
    assert 0 < run.comparisons.count() < run.planned
    with worker():
        wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
