"""Chunks and their leases."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from judging.models import Chunk
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db

LEASE, RUN_OUT = timedelta(seconds=30), timedelta(seconds=-1)


@pytest.fixture
def chunks():
    """Two parts of one run."""
    return list(make_run(make_dataset(candidates=(11, 11))).chunks.all())


def states(chunks):
    return [Chunk.objects.get(pk=chunk.pk).status for chunk in chunks]


def test_chunk_has_one_holder(chunks):
    one, _ = chunks

    assert Chunk.objects.claim(one.pk, duration=LEASE) is not None
    assert Chunk.objects.claim(one.pk, duration=LEASE) is None


@pytest.fixture
def wrong_clock(monkeypatch):
    """Set the clock of this process an hour ahead of the database's."""
    ahead = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(timezone, "now", lambda: ahead)
    return monkeypatch


def test_worker_whose_clock_is_ahead_takes_no_chunk_that_another_holds(chunks, wrong_clock):
    held = chunks[0]
    Chunk.objects.filter(pk=held.pk).update(status="running", attempt=1, lease_until=Now() + LEASE)

    assert Chunk.objects.claim(held.pk, duration=LEASE) is None
    assert (list(Chunk.objects.held()), list(Chunk.objects.expired())) == ([held], [])
    assert Chunk.objects.reopen([held.pk]) == 0


def test_lease_of_a_worker_whose_clock_was_ahead_expires_in_time(chunks, wrong_clock):
    Chunk.objects.claim(chunks[0].pk, duration=RUN_OUT)
    lease = Chunk.objects.claim(chunks[1].pk, duration=LEASE)
    Chunk.objects.extend(replace(lease, duration=RUN_OUT))

    wrong_clock.undo()

    assert list(Chunk.objects.expired()) == chunks


def test_lease_is_of_its_own_chunk(chunks):
    mine = Chunk.objects.claim(chunks[0].pk, duration=LEASE)
    theirs = Chunk.objects.claim(chunks[1].pk, duration=RUN_OUT)

    assert Chunk.objects.extend(mine)
    assert list(Chunk.objects.expired()) == [chunks[1]]
    Chunk.objects.release(mine)
    assert states(chunks) == ["pending", "running"]
    assert Chunk.objects.complete(theirs)
    assert states(chunks) == ["pending", "done"]


def test_lease_is_lost_once_another_worker_claims_the_chunk(chunks):
    lost = Chunk.objects.claim(chunks[0].pk, duration=RUN_OUT)
    Chunk.objects.claim(chunks[0].pk, duration=LEASE)

    assert not Chunk.objects.extend(lost)
    assert not Chunk.objects.complete(lost)
    Chunk.objects.release(lost)

    assert states(chunks) == ["running", "pending"]


def test_lease_is_lost_once_the_chunk_is_reopened(chunks):
    lost = Chunk.objects.claim(chunks[0].pk, duration=RUN_OUT)

    assert Chunk.objects.reopen([chunks[0].pk]) == 1

    assert not Chunk.objects.extend(lost)
    assert not Chunk.objects.complete(lost)
    assert states(chunks) == ["pending", "pending"]


def test_extended_lease_lasts_for_its_duration(chunks):
    hold = Chunk.objects.claim(chunks[0].pk, duration=LEASE)
    Chunk.objects.filter(pk=chunks[0].pk).update(lease_until=timezone.now() + RUN_OUT)
    assert not Chunk.objects.held().exists()

    Chunk.objects.extend(hold)

    assert list(Chunk.objects.held()) == [chunks[0]]


def test_only_a_chunk_with_an_expired_lease_is_freed(chunks):
    alive, dead = chunks
    Chunk.objects.claim(alive.pk, duration=LEASE)
    Chunk.objects.claim(dead.pk, duration=RUN_OUT)

    assert [Chunk.objects.free_expired(chunk.pk) for chunk in (alive, dead, dead)] == [False, True, False]
    assert states(chunks) == ["running", "pending"]
