"""What of the workers' work got lost."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import Chunk, Run
from judging.services.execution.lost_chunks import GRACE, finish_runs, free_abandoned, hand_to_workers, waiting_chunks
from judging.services.runs.run_lifecycle import cancel
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


def run_of_three_chunks(*, handed=timedelta(minutes=1)):
    run = make_run(make_dataset(candidates=(11, 11, 11)))
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - handed)
    return run


def test_hand_to_workers_names_every_chunk_that_is_not_done():
    run = make_run(make_dataset(candidates=(11, 11, 11)))
    done, *rest = run.chunks.all()
    Chunk.objects.filter(pk=done.pk).update(status="done")

    assert hand_to_workers(run) == rest
    run.refresh_from_db()
    assert run.queued_at is not None


def test_hand_to_workers_sends_nothing_of_a_cancelled_run():
    run = make_run()
    cancel(run)

    assert hand_to_workers(run) == []


def test_hand_to_workers_leaves_every_other_run_as_it_is():
    other, run = make_run(), make_run(make_dataset("Others"))

    assert [chunk.run for chunk in hand_to_workers(run)] == [run]
    other.refresh_from_db()
    assert other.queued_at is None


def test_chunk_of_a_dead_worker_is_freed_once():
    run = run_of_three_chunks()
    dead, alive, _ = run.chunks.all()
    Chunk.objects.claim(dead.pk, lease=timedelta(seconds=-1))
    Chunk.objects.claim(alive.pk, lease=timedelta(seconds=30))

    assert free_abandoned() == [dead]
    assert free_abandoned() == []
    assert list(run.chunks.values_list("status", flat=True)) == ["pending", "running", "pending"]


def test_chunk_that_another_process_judges_is_not_the_workers_business():
    run = run_of_three_chunks()
    Run.objects.filter(pk=run.pk).update(queued_at=None)
    Chunk.objects.claim(run.chunks.first().pk, lease=timedelta(seconds=-1))

    assert free_abandoned() == []
    assert waiting_chunks() == []


def test_chunks_wait_once_the_run_was_handed_over_a_while_ago():
    run = run_of_three_chunks(handed=GRACE * 2)
    taken, *waiting = run.chunks.all()
    Chunk.objects.claim(taken.pk, lease=timedelta(seconds=30))

    assert waiting_chunks() == waiting


def test_chunks_of_a_run_just_handed_over_are_on_their_way():
    run_of_three_chunks(handed=GRACE / 2)

    assert waiting_chunks() == []


def test_chunk_of_a_dead_worker_is_not_sent_again_where_its_run_is_cancelled():
    run = run_of_three_chunks()
    Chunk.objects.claim(run.chunks.first().pk, lease=timedelta(seconds=-1))
    cancel(run)

    assert free_abandoned() == []


def test_chunks_of_a_cancelled_run_do_not_wait():
    cancel(run_of_three_chunks())

    assert waiting_chunks() == []


def test_run_whose_worker_died_at_the_very_end_is_finished():
    run = run_of_three_chunks()
    run.chunks.update(status="done")

    finish_runs()

    run.refresh_from_db()
    assert run.status == "done"
