"""Celery workers in separate processes, and waits for the work that they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.db import connection

from judging import tasks
from judging.management import server_processes
from tests.factories import make_dataset, make_run

ROOT = Path(__file__).resolve().parent.parent.parent
DEADLINE_SECONDS = 180  # much longer than any wait of a passing test
SHORT_LEASE = 4


def empty_queues():
    """Remove the messages that other tests left."""
    with tasks.app.connection_for_write() as broker:
        for queue in (tasks.DEFAULT, tasks.GPU):
            broker.default_channel.queue_declare(queue)
            broker.default_channel.queue_purge(queue)


@contextmanager
def worker(*program, stderr=None, **environment):
    """Start a worker of both queues on this test's database and broker. Kills it at the end if it still runs.

    program: arguments of Python. Default: the program that the command `worker` becomes. stderr: as of Popen.
    """
    process = subprocess.Popen(
        [sys.executable, *(program or server_processes.worker().arguments)],
        cwd=ROOT,
        stderr=stderr,
        env=os.environ
        | {"DATABASE_URL": database_url(), "LEASE_SECONDS": str(SHORT_LEASE), "SWEEP_SECONDS": "1"}
        | {"OMP_NUM_THREADS": "1", "DJANGO_SETTINGS_MODULE": "tests.settings"}
        | environment,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()


@contextmanager
def lasting_workers():
    """Yield a function that returns so many living workers: those of earlier tests, and new ones for the dead."""
    with ExitStack() as started:
        workers = []

        def living(number=1):
            alive = [one for one in workers if one.poll() is None]
            for one in alive[number:]:
                one.kill()
                one.wait()
            workers[:] = alive[:number]
            workers.extend(started.enter_context(worker(LEASE_SECONDS="60")) for _ in range(number - len(workers)))
            return list(workers)

        yield living


def start_command(*arguments):
    """Start a command in a separate process on this test's database. It reacts to Ctrl-C as in a terminal.

    A shell makes its background processes ignore Ctrl-C, and nohup the loss of the terminal; the processes of these
    tests would inherit that.
    """
    environment = os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment | {"LEASE_SECONDS": str(SHORT_LEASE), "SWEEP_SECONDS": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in (signal.SIGINT, signal.SIGHUP)],
    )


def database_url():
    """Return the DATABASE_URL of this test's database, for another process."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    return f"postgresql://{database['USER']}@:{database['PORT']}/{database['NAME']}?host={database['HOST']}"


def wait_until(happened, *, what):
    """Poll until `happened()` is true. Fails after DEADLINE_SECONDS, naming `what`."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not happened():
        assert time.monotonic() < deadline, f"not within {DEADLINE_SECONDS} seconds: {what}"
        time.sleep(0.05)  # between two polls; no result depends on it


def wait_for_status(run, status):
    def reached():
        run.refresh_from_db()
        return run.status == status

    wait_until(reached, what=f"run is {status}")


def assert_each_pair_answered_once(run):
    pairs = Counter((first, second) for chunk in run.chunks.all() for first, second in chunk.pairs)
    rows = Counter(run.comparisons.values_list("first", "second"))
    assert rows == pairs
    assert set(rows.values()) == {1}
    assert set(run.comparisons.values_list("outcome", flat=True)) == {"answered"}
    assert run.prompt_tokens > 0


def large_run(judge, *, contexts):
    """A run with one chunk of 110 comparisons per context."""
    return make_run(make_dataset(candidates=(11,) * contexts), judge=judge)
