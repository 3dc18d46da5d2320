"""What is sent to which queue."""

import pytest
from celery import current_app
from django.test import override_settings

from judging import tasks
from judging.models import Chunk, Run
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


def test_sweep_sends_what_no_queue_has_and_no_more():
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


def test_run_waits_where_the_broker_is_away(caplog, monkeypatch):
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


def test_judge_chunk_leaves_a_chunk_whose_run_is_not_wanted():
    run = make_run()
    Run.objects.filter(pk=run.pk).update(status="cancelled")

    tasks.judge_chunk(run.chunks.get().pk)

    assert run.chunks.get().status == "pending"
