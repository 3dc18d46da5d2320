"""The command `judge` as a separate process: killed and interrupted."""

import json
import re
import signal

import pytest
from django.core.management import call_command

from judging.models import Comparison, Run
from judging.services.judges.loaded_engine import FIRST_SLICE
from tests.factories import make_dataset
from tests.judging.workers import assert_each_pair_answered_once, start_command, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.worker,
    pytest.mark.xdist_group("worker"),
    pytest.mark.django_db(transaction=True),
]


def test_judge_continues_where_a_killed_process_stopped_and_prints_lines_of_progress(remote_judge, endpoint, capsys):
    make_dataset(candidates=(11,))
    arguments = ("judge", "--dataset", "Summaries", "--judge", "remote", "--json")
    killed = start_command(*arguments)
    wait_until(Comparison.objects.exists, what="the first answer")
    killed.kill()
    killed.communicate()
    endpoint.answer.open()

    call_command(*arguments)

    run, (out, lines) = Run.objects.get(), capsys.readouterr()
    assert re.fullmatch(r"(run \d+, coherence, comparative-1: \d+ of 110.*\n)+", lines)
    assert json.loads(out)["runs"][0]["reused"] == FIRST_SLICE
    assert_each_pair_answered_once(run)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_judge_that_is_told_to_end_cancels_its_run_and_says_how_to_continue(remote_judge, endpoint, number):
    make_dataset(candidates=(11,))
    interrupted = start_command("judge", "--dataset", "Summaries", "--judge", "remote", "--json")
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
