"""The command `judge` as a separate process: killed, interrupted, waiting for a worker."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from judging.models import Comparison, Run
from judging.services.judges.loaded_engine import FIRST_SLICE
from tests.commands import printed_json
from tests.factories import make_dataset
from tests.judging.workers import assert_each_pair_answered_once, database_url, wait_until, worker

ROOT = Path(__file__).resolve().parents[4]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.worker,
    pytest.mark.xdist_group("worker"),
    pytest.mark.django_db(transaction=True),
]


def start(*arguments):
    """Start a command in a separate process on this test's database. It reacts to Ctrl-C as in a terminal.

    A shell makes its background processes ignore Ctrl-C, and the processes of these tests would inherit that.
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


def test_judge_continues_where_a_killed_process_stopped_and_prints_lines_of_progress(remote_judge, endpoint, capsys):
    make_dataset(candidates=(11,) * 2)
    arguments = ("judge", "--dataset", "Summaries", "--judge", "remote", "--json")
    killed = start(*arguments)
    wait_until(Comparison.objects.exists, what="the first answer")
    killed.kill()
    killed.communicate()
    endpoint.answer.open()

    call_command(*arguments)

    run, (out, lines) = Run.objects.get(), capsys.readouterr()
    assert re.fullmatch(r"(run \d+, coherence, comparative-1: \d+ of 220.*\n)+", lines)
    assert json.loads(out)["runs"][0]["reused"] == FIRST_SLICE
    assert_each_pair_answered_once(run)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_judge_cancels_its_run_on_ctrl_c_or_when_told_to_end_and_says_how_to_continue(remote_judge, endpoint, number):
    make_dataset(candidates=(11,) * 2)
    interrupted = start("judge", "--dataset", "Summaries", "--judge", "remote", "--json")
    wait_until(Comparison.objects.exists, what="the first answer")
    interrupted.send_signal(number)
    endpoint.answer.open()

    out, errors = interrupted.communicate()

    run = Run.objects.get()
    advice = f"run {run.pk} is cancelled; continue with: evenhand resume {run.pk}"
    assert (interrupted.returncode, run.status) == (1, "cancelled")
    assert json.loads(out) == {"status": 1, "problems": [advice]}
    assert f"run {run.pk} is cancelled; continue with: evenhand resume {run.pk}" in errors
    assert not run.chunks.filter(status="running").exists()


def test_worker_continues_the_run_of_a_killed_command_and_takes_what_the_next_one_queues(
    remote_judge, endpoint, capsys
):
    make_dataset(candidates=(11,) * 2)
    make_dataset("Others")
    killed = start("judge", "--dataset", "Summaries", "--judge", "remote")
    wait_until(Comparison.objects.exists, what="the first answer")
    killed.kill()
    killed.communicate()
    endpoint.answer.open()

    with worker():
        wait_until(Run.objects.filter(status="done").exists, what="the end of the run")
        queued = printed_json(capsys, "judge", "--dataset", "Others", "--judge", "remote", "--queue")["runs"]

    continued, other = Run.objects.order_by("pk")
    assert_each_pair_answered_once(continued)
    assert queued[0]["comparisons"] == 12
    assert other.queued_at is not None
