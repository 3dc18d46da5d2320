"""Chunks of dead workers, and chunks whose messages were lost."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import Chunk, Run
from judging.services.execution.lost_work import (
    MESSAGE_GRACE,
    finish_complete_runs,
    free_chunks_of_dead_workers,
    queue_run,
    runs_of_dead_commands,
    unclaimed_chunks,
)
from judging.services.runs.run_lifecycle import cancel, resume
from tests.factories import make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db
SILENCE = timedelta(minutes=1)


def run_of_three_chunks(*, handed=timedelta(minutes=1)):
    run = make_run(make_dataset(candidates=(11, 11, 11)))
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - handed)
    return run


def test_queue_run_returns_every_unfinished_chunk():
    run = make_run(make_dataset(candidates=(11, 11, 11)))
    done, *rest = run.chunks.all()
    Chunk.objects.filter(pk=done.pk).update(status="done")

    assert queue_run(run) == rest
    run.refresh_from_db()
    assert run.queued_at is not None


def test_queue_run_returns_nothing_for_a_cancelled_run():
    run = make_run()
    cancel(run)

    assert queue_run(run) == []


def test_queue_run_leaves_other_runs_alone():
    other, run = make_run(), make_run(make_dataset("Others"))

    assert [chunk.run for chunk in queue_run(run)] == [run]
    other.refresh_from_db()
    assert other.queued_at is None


def test_chunk_of_a_dead_worker_is_freed_once():
    run = run_of_three_chunks()
    dead, alive, _ = run.chunks.all()
    Chunk.objects.claim(dead.pk, duration=timedelta(seconds=-1))
    Chunk.objects.claim(alive.pk, duration=timedelta(seconds=30))

    assert free_chunks_of_dead_workers() == [dead]
    assert free_chunks_of_dead_workers() == []
    assert list(run.chunks.values_list("status", flat=True)) == ["pending", "running", "pending"]


def test_run_of_a_killed_command_is_found_once_its_lease_has_expired():
    run = run_of_three_chunks()
    Run.objects.filter(pk=run.pk).update(queued_at=None, status="running")
    lease = Chunk.objects.claim(run.chunks.first().pk, duration=timedelta(seconds=30))
    assert runs_of_dead_commands(silence=SILENCE) == []

    Chunk.objects.extend(replace(lease, duration=timedelta(seconds=-1)))

    assert runs_of_dead_commands(silence=SILENCE) == [run]
    assert queue_run(run) == list(run.chunks.all())
    assert runs_of_dead_commands(silence=SILENCE) == []


@pytest.mark.parametrize("end", ["complete", "release"])
def test_runs_of_a_command_that_holds_no_chunk_are_found_once_it_is_silent(end):
    """It is killed between two chunks, or while it waits for a batch; its next run waits."""
    dataset, rita = make_dataset(candidates=(11, 11, 11)), make_user("rita", "researcher")
    run, following, queued, others = (make_run(dataset, owner=owner) for owner in (None, None, None, rita))
    Run.objects.filter(pk=queued.pk).update(queued_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(status="running")
    Run.objects.update(created_at=timezone.now() - 2 * SILENCE)
    lease = Chunk.objects.claim(run.chunks.first().pk, duration=timedelta(seconds=30))
    getattr(Chunk.objects, end)(lease)
    while_it_lives = runs_of_dead_commands(silence=SILENCE)

    run.chunks.filter(pk=lease.chunk_id).update(lease_until=timezone.now() - SILENCE)

    assert while_it_lives == [others]
    assert runs_of_dead_commands(silence=SILENCE) == [run, following, others]


def test_run_that_was_just_resumed_waits_for_its_command():
    run = make_run()
    Run.objects.update(created_at=timezone.now() - 2 * SILENCE, status="cancelled")
    resume(run)
    just_now = runs_of_dead_commands(silence=SILENCE)

    run.events.update(at=timezone.now() - 2 * SILENCE)

    assert (just_now, runs_of_dead_commands(silence=SILENCE)) == ([], [run])


def test_chunk_of_another_process_is_not_freed():
    run = run_of_three_chunks()
    Run.objects.filter(pk=run.pk).update(queued_at=None)
    Chunk.objects.claim(run.chunks.first().pk, duration=timedelta(seconds=-1))

    assert free_chunks_of_dead_workers() == []
    assert unclaimed_chunks() == []


def test_chunks_are_unclaimed_after_the_grace_period():
    run = run_of_three_chunks(handed=MESSAGE_GRACE * 2)
    taken, *waiting = run.chunks.all()
    Chunk.objects.claim(taken.pk, duration=timedelta(seconds=30))

    assert unclaimed_chunks() == waiting


def test_chunks_of_a_run_just_queued_are_not_unclaimed():
    run_of_three_chunks(handed=MESSAGE_GRACE / 2)

    assert unclaimed_chunks() == []


def test_chunk_of_a_dead_worker_is_not_freed_if_its_run_is_cancelled():
    run = run_of_three_chunks()
    Chunk.objects.claim(run.chunks.first().pk, duration=timedelta(seconds=-1))
    cancel(run)

    assert free_chunks_of_dead_workers() == []


def test_chunks_of_a_cancelled_run_are_not_unclaimed():
    cancel(run_of_three_chunks())

    assert unclaimed_chunks() == []


def test_complete_run_of_a_dead_worker_is_finished():
    run = run_of_three_chunks()
    run.chunks.update(status="done")

    finish_complete_runs()

    run.refresh_from_db()
    assert run.status == "done"
