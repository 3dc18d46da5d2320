"""Messages and their queues."""

import logging
import os
from datetime import timedelta

import pytest
from celery import current_app
from django.test import override_settings
from django.utils import timezone

from judging import tasks
from judging.models import Chunk, Run
from judging.services.judges.local_models import STATE_FILE, Installation, write_installation
from tests.factories import make_dataset, make_judge, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("worker")]


@pytest.fixture(autouse=True)
def empty_queues():
    with current_app.connection_for_write() as broker:
        for queue in (tasks.DEFAULT, tasks.GPU):
            broker.default_channel.queue_declare(queue)
            broker.default_channel.queue_purge(queue)


def test_start_run_sends_one_message_per_chunk_once_the_transaction_is_through(django_capture_on_commit_callbacks):
    run = make_run(make_dataset(candidates=(11, 11, 11)))

    with django_capture_on_commit_callbacks(execute=True):
        tasks.start_run(run.pk)
        assert tasks.queue_length("default") == 0

    assert tasks.queue_length("default") == 3
    assert tasks.queue_length("gpu") == 0


@pytest.mark.parametrize(
    ("device", "judge_queue", "queue"),
    [
        ("cpu", "gpu", "default"),
        ("cuda", "default", "gpu"),
        ("cuda:1", "default", "gpu"),
        ("auto", "default", "default"),
        ("auto", "gpu", "gpu"),
    ],
)
def test_queue_follows_the_device_of_the_judge(device, judge_queue, queue):
    with override_settings(JUDGE_QUEUE=judge_queue):
        assert tasks.queue_of(make_judge(device=device)) == queue


def test_endpoint_needs_no_gpu():
    judge = make_judge("gpt", backend="openai", base_url="http://localhost/v1", device="cuda")

    assert tasks.queue_of(judge) == "default"


def test_queue_is_busy_if_a_worker_but_not_a_command_holds_a_chunk():
    run = make_run()
    Chunk.objects.claim(run.chunks.get().pk, duration=timedelta(seconds=30))
    assert not tasks.has_busy_worker(run.judge)

    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now())

    assert tasks.has_busy_worker(run.judge)
    assert not tasks.has_busy_worker(make_judge("large", device="cuda"))


def test_sweep_sends_lost_chunks_only():
    run = make_run(make_dataset(candidates=(11, 11, 11)))
    Run.objects.filter(pk=run.pk).update(queued_at="2020-01-01T00:00:00Z")

    tasks.sweep()
    tasks.sweep()

    assert tasks.queue_length("default") == 3


def test_sweep_sends_the_chunk_of_a_dead_worker_once():
    run = make_run(make_dataset(candidates=(11, 11)))
    tasks.send_run(run.pk)
    Chunk.objects.filter(pk=run.chunks.first().pk).update(status="running", lease_until="2020-01-01T00:00:00Z")

    tasks.sweep()
    tasks.sweep()

    assert tasks.queue_length("default") == 3


def test_sweep_finishes_a_run_whose_last_worker_died_just_before_it_could():
    run = make_run()
    run.chunks.update(status="done")

    tasks.sweep()

    run.refresh_from_db()
    assert run.status == "done"


def test_run_waits_if_the_broker_is_unreachable(caplog, monkeypatch):
    run = make_run()
    elsewhere = current_app.connection_for_write("redis://127.0.0.1:1/0", transport_options={"max_retries": 0})
    unreachable = tasks.judge_chunk.apply_async
    monkeypatch.setattr(
        tasks.judge_chunk,
        "apply_async",
        lambda *args, **options: unreachable(*args, **options, connection=elsewhere, retry=False),
    )

    tasks.send_run(run.pk)

    assert "the message broker cannot be reached" in caplog.text
    run.refresh_from_db()
    assert (run.status, run.queued_at is not None) == ("pending", True)


def test_judge_chunk_leaves_a_chunk_of_a_stopped_run():
    run = make_run()
    Run.objects.filter(pk=run.pk).update(status="cancelled")

    tasks.judge_chunk(run.chunks.get().pk)

    assert run.chunks.get().status == "pending"


def test_a_run_of_a_local_judge_waits_while_its_packages_are_installed(settings, tmp_path, judge):
    settings.DATA_DIR = tmp_path
    run = make_run(judge=judge)
    write_installation(tmp_path, Installation(1, 2, "Downloading", os.getpid()))

    tasks.judge_chunk(run.chunks.get().pk)

    run.refresh_from_db()
    assert (run.status, run.comparisons.count()) == ("pending", 0)
    (tmp_path / STATE_FILE).unlink()
    tasks.judge_chunk(run.chunks.get().pk)
    run.refresh_from_db()
    assert (run.status, run.comparisons.count()) == ("done", 12)


@pytest.mark.parametrize(("status", "sent"), [("in_progress", 1), ("completed", 0)])
def test_only_unfinished_batches_of_a_stopped_run_are_cancelled(status, sent, django_capture_on_commit_callbacks):
    run = make_run(judge=make_judge(backend="openai", base_url="http://127.0.0.1:9/v1"), in_batches=True)
    run.batches.create(key="0" * 64, batch_id="batch-7", status=status, requests=3)

    with django_capture_on_commit_callbacks(execute=True):
        tasks.start_cancelling(run.pk)

    assert tasks.queue_length(tasks.DEFAULT) == sent


def test_batches_of_a_run_that_was_deleted_meanwhile_need_no_cancelling():
    run = make_run()
    gone = run.pk
    run.delete()

    tasks.cancel_batches(gone)

    assert not Run.objects.filter(pk=gone).exists()


def test_worker_logs_no_line_for_each_question_to_an_endpoint(caplog):
    with caplog.at_level(logging.INFO):  # as Celery sets it for a worker
        assert not logging.getLogger("httpx").isEnabledFor(logging.INFO)
        assert logging.getLogger("judging").isEnabledFor(logging.INFO)
