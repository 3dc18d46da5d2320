"""Deletions that are killed, or meet others who write."""

import threading

import pytest
from django.db import IntegrityError, connection, transaction

from judging.models import Comparison, Context, Dataset
from judging.services.deletion.row_deletion import delete_row
from tests.factories import answer_run, make_dataset, make_run
from tests.judging.workers import wait_until, worker
from tests.stored_rows import every_count

DELETION = """
from judging.models import Dataset
from judging.services.deletion.row_deletion import delete_row
delete_row(Dataset.objects.get(), name="Summaries")
"""
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="two writers at once need PostgreSQL"),
]


@pytest.fixture
def run():
    return answer_run(make_run(make_dataset()))


def is_waiting():
    """True if another session waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def test_a_killed_deletion_deletes_nothing(run):
    counts = every_count()

    with transaction.atomic():
        list(Context.objects.select_for_update())  # they go after the comparisons, so the deletion waits half-way
        with worker("manage.py", "shell", "-c", DELETION) as deletion:
            wait_until(is_waiting, what="the deletion to be half-way")
            deletion.kill()
            deletion.wait()

    assert every_count() == counts


def test_an_answer_that_is_stored_too_late_is_refused_and_the_deletion_stands(run):
    deletion = threading.Thread(target=delete_and_disconnect, args=[run.dataset])
    late = run.comparisons.first()
    late.delete()

    with pytest.raises(IntegrityError):
        store_during(deletion, late)

    assert not Dataset.objects.exists()
    assert not Comparison.objects.exists()


def store_during(deletion, answer):
    """Store an answer, and let the deletion end before the transaction does."""
    with transaction.atomic():
        answer.save(force_insert=True)
        deletion.start()
        deletion.join()


def delete_and_disconnect(row):
    try:
        delete_row(row, name=str(row))
    finally:
        connection.close()
