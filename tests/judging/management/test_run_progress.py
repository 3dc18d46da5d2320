"""Progress of runs, in a terminal and without one."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from judging.management.run_progress import RunProgress
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, as_usual, reply, says, status
from tests.factories import make_dataset, make_judge, make_run
from tests.judging.workers import database_url

ROOT = Path(__file__).resolve().parents[3]
REWRITE = "\r\x1b[2K"

pytestmark = pytest.mark.django_db(transaction=True)


def in_a_terminal(*arguments):
    """Run a command whose standard error is a terminal. Return its exit status and what the terminal received."""
    here, terminal = pty.openpty()
    environment = os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    process = subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment | {"TERM": "xterm-256color", "COLUMNS": "120", "LOG_LEVEL": ""},
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(here, 4096):
            shown += part
    except OSError:  # the process has ended
        pass
    os.close(here)
    process.communicate()
    return process.returncode, shown.decode()


def lines_of(shown):
    """Return what is left in each line of a terminal, without colours."""
    last = (line.rsplit(REWRITE, 1)[-1] for line in shown.split("\r\n"))
    return [plain for line in last if (plain := re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", "", line).strip())]


def test_bar_stays_in_its_line_and_errors_are_noted_above_it():
    make_dataset(candidates=(2,), attributes=("coherence", "fluency"))
    with ServedEndpoint() as endpoint:
        make_judge("remote", model="judge", backend="openai", base_url=endpoint.url)
        endpoint.first_do(*[as_usual] * 3, status(400, "too long"))

        status_code, shown = in_a_terminal("judge", "--dataset", "Summaries", "--judge", "remote", "--json")

    first, second, bar = lines_of(shown)
    assert status_code == 0
    assert shown.count(REWRITE) > 1
    assert not re.search(r"\x1b\[(\d;)?(31|91)m|38;5;(1|9|197)m", shown), "red is for errors only"
    assert re.fullmatch(r"run \d+: first of 1 errors: the endpoint answered 400: too long", first)
    assert second.startswith("Correct the cause, then ask again with: evenhand resume")
    assert re.fullmatch(r"run \d+, fluency, comparative-1 ━+ 4/4 0 unparsed, 1 errors", bar)


@pytest.mark.parametrize("output", [(), ("--json",)])
def test_judge_shows_an_answer_and_has_its_own_status_if_all_are_unparsed(capsys, output):
    make_dataset(candidates=(3,))
    with ServedEndpoint(lambda body: reply("Neither is good.")) as endpoint:
        make_judge("remote", model="judge", backend="openai", base_url=endpoint.url)

        with pytest.raises(SystemExit) as ended:
            call_command("judge", "--dataset", "Summaries", "--judge", "remote", *output)

    printed = capsys.readouterr()
    assert ended.value.code == 3
    assert "all answers are unparsed. One of them: 'Neither is good.'" in printed.err
    assert json.loads(printed.out)["runs"][0]["unparsed"] == 6 if output else "6 unparsed" in printed.out


def test_judge_ends_well_if_some_answers_are_parsed(capsys):
    make_dataset(candidates=(3,))
    with ServedEndpoint() as endpoint:
        make_judge("remote", model="judge", backend="openai", base_url=endpoint.url)
        endpoint.first_do(as_usual, says(reply("Neither is good.")))

        call_command("judge", "--dataset", "Summaries", "--judge", "remote")

    assert "1 unparsed" in capsys.readouterr().out


def test_a_line_of_progress_is_not_printed_twice():
    run, lines = make_run(), []

    with RunProgress([run], lines.append) as shown:
        shown.update(run)
        shown.update(run)

    assert lines == [f"{run}, coherence, comparative-1: 0 of 12"]
