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
from judging.services.judges.package_installation import STATE_FILE, Installation, write_installation
from tests.factories import make_dataset, make_judge, make_run, make_user
from tests.judging.workers import assert_each_pair_answered_once

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


def chunks_in_queue():
    """Take all messages of the usual queue, in order. Returns their chunks, as (run, position)."""
    with current_app.connection_for_read() as broker:
        taken = iter(lambda: broker.default_channel.basic_get(tasks.DEFAULT, no_ack=True), None)
        numbers = [message.decode()[0][0] for message in taken]
    places = {chunk.pk: (chunk.run_id, chunk.position) for chunk in Chunk.objects.all()}
    return [places[number] for number in numbers]


def test_first_chunks_of_each_run_go_before_the_later_ones_of_others():
    rita, sam = make_user("rita", "researcher"), make_user("sam", "researcher")
    long, short = (make_run(make_dataset(name, candidates=(11,) * 5)) for name in ("Long", "Short"))
    another = make_run(make_dataset("Another", candidates=(11,)))
    for run, owner in ((long, rita), (another, rita), (short, sam)):
        Run.objects.filter(pk=run.pk).update(owner=owner)
        tasks.send_run(run.pk)

    in_order = chunks_in_queue()

    doubling = [{0}, {1}, {2, 3}, {4}]
    expected = [{(run.pk, place) for run in (long, short) for place in places} for places in doubling]
    expected[1].add((another.pk, 0))  # Rita's second run
    assert [{in_order.pop(0) for _ in level} for level in expected] == expected
    assert in_order == []


def test_long_chunk_gives_way_to_a_run_that_waits_and_goes_on_after_it(judge, monkeypatch):
    monkeypatch.setattr(tasks, "GIVES_WAY_SECONDS", 0)
    long, waiting = make_run(make_dataset(candidates=(11,)), judge=judge), make_run(make_dataset("Short"), judge=judge)
    tasks.send_run(waiting.pk)

    tasks.judge_chunk(long.chunks.get().pk)

    assert long.chunks.get().status == "pending"
    assert 0 < long.comparisons.count() < long.planned
    assert chunks_in_queue() == [(waiting.pk, 0), (long.pk, 0)]

    tasks.judge_chunk(waiting.chunks.get().pk)
    tasks.judge_chunk(long.chunks.get().pk)

    assert {*Run.objects.values_list("status", flat=True)} == {"done"}
    long.refresh_from_db()
    assert_each_pair_answered_once(long)


def test_chunk_gives_way_to_no_run_of_another_queue(judge, monkeypatch):
    monkeypatch.setattr(tasks, "GIVES_WAY_SECONDS", 0)
    long = make_run(make_dataset(candidates=(11,)), judge=judge)
    tasks.send_run(make_run(make_dataset("Short"), judge=make_judge("large", device="cuda")).pk)

    tasks.judge_chunk(long.chunks.get().pk)

    assert long.chunks.get().status == "done"


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
    elsewhere = current_app.connection_for_write(
        "redis://127.0.0.1:1/0", transport="redis", transport_options={"max_retries": 0}
    )
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


def test_worker_logs_no_line_for_each_question_to_an_endpoint(caplog):
    with caplog.at_level(logging.INFO):  # as Celery sets it for a worker
        assert not logging.getLogger("httpx").isEnabledFor(logging.INFO)
        assert logging.getLogger("judging").isEnabledFor(logging.INFO)
