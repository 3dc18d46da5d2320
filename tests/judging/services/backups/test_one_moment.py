"""A backup is of one moment, also if rows are stored while it is made."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from judging.models import Dataset, Run
from judging.services.backups.backups import copy_database
from tests.factories import make_dataset, make_run
from tests.judging.workers import wait_until

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite copies its file within one statement"),
]


def copy_and_disconnect(folder):
    try:
        return copy_database(folder)
    finally:
        connection.close()


def is_waiting():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def test_rows_that_are_stored_meanwhile_are_not_in_the_backup(tmp_path):
    make_run(make_dataset("Before"))

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE judging_run IN ACCESS EXCLUSIVE MODE")  # copied after judging_dataset
            copied = thread.submit(copy_and_disconnect, tmp_path)
            wait_until(is_waiting, what="the backup is half-way")
            make_run(make_dataset("Meanwhile"))
        rows = copied.result()

    assert (Dataset.objects.count(), Run.objects.count()) == (2, 2)
    assert (rows["judging_dataset"], rows["judging_run"], rows["judging_chunk"]) == (1, 1, 1)
