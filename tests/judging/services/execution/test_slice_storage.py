"""Slices that are stored while the next is asked, on PostgreSQL."""

from threading import Event, current_thread

import pytest
from django.db import connection
from django.db.models import F

from judging.models import Comparison
from judging.services.execution import slices
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.slices import SliceWriter
from judging.services.judges.loaded_engine import FIRST_SLICE
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.judged_runs import judge_all
from tests.judging.workers import assert_each_pair_answered_once, wait_until

SECONDS = 60
on_postgres = pytest.mark.skipif(connection.vendor != "postgresql", reason="DATABASE_URL names no PostgreSQL")


def store(*slices, then=lambda: None):
    with SliceWriter() as storing:
        for one in slices:
            storing.store([one], is_last=False)
        then()


def fail():
    raise ValueError("the disk is full")


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.postgres
@on_postgres
def test_slice_is_stored_while_the_next_is_asked():
    asked, stored = Event(), []

    store(lambda: stored.append(asked.wait(SECONDS)), then=asked.set)

    assert stored == [True]


@pytest.mark.postgres
@on_postgres
def test_slices_are_stored_in_order_and_the_last_before_returning():
    stored = []

    with SliceWriter() as storing:
        for is_last in (False, False, True):
            storing.store([lambda: stored.append(current_thread().name)], is_last=is_last)

    assert stored == ["slice writer_0", "slice writer_0", current_thread().name]


@pytest.mark.postgres
@on_postgres
def test_no_slice_is_stored_after_one_that_failed():
    stored = []

    with pytest.raises(ValueError, match="the disk is full"):
        store(fail, lambda: stored.append("second"))

    assert stored == []


def test_storage_error_is_raised_at_the_end():
    with pytest.raises(ValueError, match="the disk is full"):
        store(fail)


def test_slice_is_stored_if_the_next_call_fails():
    stored = []

    with pytest.raises(KeyboardInterrupt):
        store(lambda: stored.append("first"), then=interrupt)

    assert stored == ["first"]


@pytest.mark.postgres
@on_postgres
def test_error_of_the_call_comes_before_the_storage_error(caplog):
    with pytest.raises(KeyboardInterrupt):
        store(fail, then=interrupt)

    assert caplog.messages == ["a slice is not stored, and will be asked again: the disk is full"]


@pytest.mark.postgres
@on_postgres
@pytest.mark.django_db(transaction=True)
def test_slice_is_stored_once_the_database_is_back():
    stored = []

    def write():
        stored.append(connection.connection)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())" if len(stored) < 3 else "SELECT 1")

    store(write)

    assert len(stored) == 3


@pytest.mark.django_db
def test_cost_of_a_slice_that_is_stored_twice_counts_once(monkeypatch):
    once, twice = (make_run(make_dataset(name, candidates=(5,))) for name in ("One", "Other"))
    judge_all(once)
    monkeypatch.setattr(slices, "_call_each", lambda writes: [write() for write in (*writes, *writes)])

    judge_all(twice)

    assert (twice.prompt_tokens, twice.seconds > 0) == (once.prompt_tokens, True)
    assert_each_pair_answered_once(twice)


@pytest.mark.django_db
def test_slice_is_stored_at_once_within_a_transaction():
    stored = []

    store(lambda: stored.append(current_thread()))

    assert stored == [current_thread()]


@pytest.mark.postgres
@on_postgres
@pytest.mark.django_db(transaction=True)
def test_rows_of_a_slice_are_stored_before_the_next_is_answered():
    run = make_run(make_dataset(candidates=(5,)))

    def answer(question):
        if len(engine.asked) > FIRST_SLICE:
            wait_until(Comparison.objects.exists, what="the first slice is stored")
        return 0.75

    engine = FakeEngine(answer)
    execute_chunk(run.chunks.get().pk, load=lambda settings: engine)

    run.refresh_from_db()
    assert_each_pair_answered_once(run)


@pytest.mark.postgres
@on_postgres
@pytest.mark.django_db(transaction=True)
def test_worker_that_lost_its_lease_asks_no_further_slice():
    run = make_run(make_dataset(candidates=(9,)))

    def answer(question):
        run.chunks.update(attempt=F("attempt") + 1)
        return 0.75

    engine = FakeEngine(answer)
    execute_chunk(run.chunks.get().pk, load=lambda settings: engine)

    assert len(engine.asked) == FIRST_SLICE
    assert not run.comparisons.exists()
