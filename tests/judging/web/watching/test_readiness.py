"""Programs that watch a server learn from /livez and /readyz what it lacks, and nothing secret."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from kombu import Connection

from judging import tasks
from judging.models import Worker
from judging.services import full_disks
from judging.services.execution.worker_reports import report_worker
from judging.web.watching.readiness import lasting_schema_problems

pytestmark = pytest.mark.django_db

READY = {"database": "ok", "schema": "ok", "broker": "ok", "worker": "ok"}
NO_WORKER = "none was seen for two minutes: start evenhand worker"


@pytest.fixture(autouse=True)
def worker():
    """A worker that lives, and none that other tests left."""
    lasting_schema_problems.cache_clear()
    Worker.objects.all().delete()
    report_worker("default,gpu")
    return Worker.objects.get()


def ready(client):
    answer = client.get("/readyz")
    return answer.status_code, answer.json()


def fail(*_):
    raise OperationalError('connection to server at "db.example.org" failed for user "evenhand", password "hunter2"')


def test_server_that_lacks_nothing_is_ready(client):
    assert ready(client) == (200, READY)


@pytest.mark.parametrize(("silent_for", "status"), [(timedelta(minutes=1), 200), (timedelta(minutes=3), 503)])
def test_worker_counts_until_it_is_silent_for_two_minutes(client, silent_for, status):
    Worker.objects.update(seen_at=timezone.now() - silent_for)

    assert ready(client) == (status, READY if status == 200 else READY | {"worker": NO_WORKER})


def test_worker_reports_again_in_its_row(worker):
    Worker.objects.update(seen_at=timezone.now() - timedelta(days=1))

    report_worker("gpu")

    again = Worker.objects.seen_lately().get()
    assert (again.pk, again.queues, again.memory > 10**6) == (worker.pk, "gpu", True)


def test_server_without_broker_is_not_ready(client, monkeypatch):
    monkeypatch.setattr(tasks.app, "connection_for_write", partial(Connection, "redis://127.0.0.1:1/0"))

    assert ready(client) == (503, READY | {"broker": "cannot be reached: runs wait until it can"})


def test_server_with_another_schema_is_not_ready(client):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'sessions'")

    missing = "1 migrations are missing, from sessions.0001_initial on; run the command migrate"
    assert ready(client) == (503, READY | {"schema": missing})


def test_silent_database_is_named_without_its_host_and_password_while_the_process_lives(client):
    unknown = "not known: the database does not answer"
    with connection.execute_wrapper(fail):
        alive = client.get("/livez")
        answer = ready(client)

    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert answer == (503, READY | {"database": "does not answer", "schema": unknown, "worker": unknown})


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="only there the data folder holds the database")
def test_full_folder_of_the_embedded_database_is_named(client, monkeypatch):
    monkeypatch.setattr(full_disks, "LEAST_SPACE", 2**60)

    status, answer = ready(client)

    assert (status, answer["database"].startswith("its folder has "), answer["worker"]) == (503, True, "ok")
