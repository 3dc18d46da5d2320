"""The command `judge` as a process of its own: killed, interrupted, waiting for a worker."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judging.models import Comparison, Run
from judging.services.judges.loaded_engine import FIRST_SLICE
from tests.factories import make_dataset
from tests.judging.workers import assert_each_pair_answered_once, database_url, wait_until, worker

ROOT = Path(__file__).resolve().parent.parent.parent.parent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.worker,
    pytest.mark.xdist_group("worker"),
    pytest.mark.django_db(transaction=True),
]


def start(*arguments):
    """A command in a process of its own, on this test's database, as from a terminal: it heeds Ctrl-C.

    A shell makes what it runs in the background ignore Ctrl-C, these tests and all their processes too.
    """
    environment = os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment | {"LEASE_SECONDS": "4", "SWEEP_SECONDS": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_judge_that_is_killed_goes_on_where_it_stopped(remote_judge, endpoint):
    make_dataset(candidates=(11,) * 2)
    arguments = ("judge", "--dataset", "Summaries", "--judge", "remote", "--json")
    killed = start(*arguments)
    wait_until(Comparison.objects.exists, what="the first answer")
    killed.kill()
    killed.communicate()
    endpoint.answer.open()

    out, _ = start(*arguments).communicate()

    run = Run.objects.get()
    assert json.loads(out)["runs"][0]["reused"] == FIRST_SLICE
    assert_each_pair_answered_once(run)


def test_interrupted_judge_cancels_its_run_and_says_how_to_go_on(remote_judge, endpoint):
    make_dataset(candidates=(11,) * 2)
    interrupted = start("judge", "--dataset", "Summaries", "--judge", "remote", "--json")
    wait_until(Comparison.objects.exists, what="the first answer")
    interrupted.send_signal(signal.SIGINT)
    endpoint.answer.open()

    out, errors = interrupted.communicate()

    run = Run.objects.get()
    assert (interrupted.returncode, out, run.status) == (1, "", "cancelled")
    assert f"run {run.pk} is cancelled; go on with: evenhand resume {run.pk}" in errors
    assert not run.chunks.filter(status="running").exists()


def test_judge_hands_the_run_to_a_worker_and_waits(remote_judge, endpoint):
    endpoint.answer.open()
    make_dataset()

    with worker():
        waiting = start("judge", "--dataset", "Summaries", "--judge", "remote", "--queue", "--json")
        out, _ = waiting.communicate()

    run = Run.objects.get()
    assert json.loads(out)["runs"][0]["comparisons"] == 12
    assert run.queued_at is not None
