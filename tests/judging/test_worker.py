"""A real worker process, on the embedded broker and, if REDIS_URL is set, on Redis."""

import os
import time

import pytest
from django.conf import settings

from judging import tasks
from judging.models import Chunk, Comparison, Judge, Reasoning, Worker
from judging.services.runs.run_lifecycle import cancel, resume
from tests.factories import make_dataset, make_judge, make_run
from tests.judging.workers import (
    assert_each_pair_answered_once,
    database_url,
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
    pytest.mark.usefixtures("living_worker"),
]


@pytest.fixture(scope="module")
def living_worker(django_db_setup, django_db_blocker):
    """One worker for all tests here. It looks for lost work only when it starts, and for what a killed server left."""
    left = settings.TEMPORARY_DIR / "left.upload"
    left.parent.mkdir(exist_ok=True)
    left.touch()
    os.utime(left, (time.time() - 25 * 3600,) * 2)
    with django_db_blocker.unblock():
        url = database_url()
    with worker("manage.py", "worker", DATABASE_URL=url, SWEEP_SECONDS="3600") as process:
        yield process


@pytest.fixture(autouse=True)
def _empty_queues():
    empty_queues()


@pytest.fixture
def judge():
    """The judge of the demo, which this process needs no torch to make."""
    return Judge.objects.get(name="demo")


def test_worker_judges_a_run_that_was_handed_to_it(judge):
    run = make_run(judge=judge)

    tasks.start_run(run.pk)
    wait_for_status(run, "done")

    assert_each_pair_answered_once(run)
    assert run.environment["revision"].startswith("sha256:")
    assert Chunk.objects.unfinished().count() == 0


def test_worker_writes_about_each_candidate_once_for_prepair(judge):
    run = make_run(judge=judge, prompt="prepair-1")

    tasks.start_run(run.pk)
    wait_for_status(run, "done")

    assert Reasoning.objects.count() == 6
    assert run.comparisons.count() == 12


def test_cancelled_run_frees_its_worker_while_the_endpoint_hangs_and_is_resumed(remote_judge, endpoint):
    run = large_run(remote_judge, contexts=1)
    tasks.start_run(run.pk)

    wait_until(run.comparisons.exists, what="the first answer")
    assert cancel(run)
    wait_until(lambda: not Chunk.objects.filter(run=run, status="running").exists(), what="the worker lets go")
    there = run.comparisons.filter(outcome="answered").count()
    assert 0 < there == run.comparisons.count() < run.planned
    endpoint.answer.open()
    resume(run)
    tasks.start_run(run.pk)
    wait_for_status(run, "done")

    assert_each_pair_answered_once(run)


def test_message_that_comes_twice_does_nothing(judge):
    run = large_run(judge, contexts=2)
    tasks.start_run(run.pk)
    tasks.send_run(run.pk)

    wait_for_status(run, "done")
    wait_until(lambda: tasks.queue_length("default") == 0, what="every message is taken")

    assert_each_pair_answered_once(run)
    assert set(run.chunks.values_list("attempt", flat=True)) == {1}


def test_judge_that_cannot_be_loaded_fails_its_run_and_the_worker_goes_on(judge, tmp_path):
    broken = make_run(judge=make_judge("broken", model=str(tmp_path)))
    good = make_run(make_dataset("Other"), judge=judge)

    tasks.start_run(broken.pk)
    tasks.start_run(good.pk)
    wait_for_status(good, "done")

    broken.refresh_from_db()
    assert broken.status == "failed"
    assert str(tmp_path) in broken.error
    assert not Comparison.objects.filter(run=broken).exists()


def test_worker_reports_its_queues_memory_and_answers(judge, client):
    wait_until(Worker.objects.seen_lately().exists, what="the worker reports itself")

    row = Worker.objects.get()
    assert (row.queues, row.memory > 10**7, row.gpus) == ("default,gpu", True, [])
    assert client.get("/readyz").json()["worker"] == "ok"


def test_worker_removes_what_a_killed_web_server_left():
    wait_until(lambda: [*settings.TEMPORARY_DIR.iterdir()] == [], what="the old file is removed")


def test_worker_leaves_the_processor_to_pages(living_worker):
    assert os.getpriority(os.PRIO_PROCESS, living_worker.pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)
