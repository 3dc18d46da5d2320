"""The behaviour of all commands."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[3]


def list_runs(database="", **variables):
    environment = {
        **os.environ,
        "DATABASE_URL": database,
        "SECRET_KEY": "only for tests, where nothing is secret",
    } | variables
    environment["DJANGO_SETTINGS_MODULE"] = "evalsite.settings"
    command = [sys.executable, "manage.py", "runs", "--json"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_commands_say_how_to_create_missing_tables(tmp_path):
    done = list_runs(f"sqlite:///{tmp_path}/empty.sqlite3")

    problem = "the database has no tables yet; run the command `migrate` first"
    assert (done.returncode, done.stderr) == (1, f"{problem}\n")
    assert json.loads(done.stdout) == {"status": 1, "problems": [problem]}


def test_commands_make_the_folder_of_the_embedded_database(tmp_path):
    assert "no tables yet" in list_runs("", EVENHAND_DATA=str(tmp_path / "data")).stderr
    assert (tmp_path / "data" / "db.sqlite3").exists()


def test_commands_report_an_unreachable_database(tmp_path):
    done = list_runs(f"sqlite:///{tmp_path}/gone/evenhand.sqlite3")

    problems = [
        "the database cannot be reached: unable to open database file",
        "Run the same command again once the database is back. Stored answers are kept.",
    ]
    assert (done.returncode, done.stderr.splitlines()) == (1, problems)
    assert json.loads(done.stdout) == {"status": 1, "problems": problems}


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"DEBUG": "yes"}, "setting DEBUG is 'yes'; give 1 or 0 (also true/false, on/off)"),
        ({"LOG_LEVEL": "loud"}, "setting LOG_LEVEL is 'loud'; give one of: DEBUG, INFO, WARNING, ERROR"),
        (
            {"DATABASE_URL": "mysql://here/x"},
            "setting DATABASE_URL starts with 'mysql'; give postgresql://… or sqlite:///…",
        ),
        ({"DATABASE_URL": "postgresql://here:port/x"}, "setting DATABASE_URL is no address: Port could not be cast"),
        ({"REDIS_URL": "localhost:6379"}, "setting REDIS_URL is 'localhost:6379'; give redis://HOST:PORT/0"),
        ({"SECRET_KEY": "", "DATABASE_URL": "sqlite:///x"}, "setting SECRET_KEY is empty; give a long random text"),
    ],
)
def test_a_wrong_setting_is_one_line_and_no_traceback(variables, problem):
    done = list_runs(**variables)

    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(problem)
    assert json.loads(done.stdout) == {"status": 2, "problems": [line]}


@pytest.mark.django_db
def test_refused_input_is_printed_as_json_too(capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("report", "--dataset", "Samlpe", "--json")

    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert json.loads(printed.out) == {"status": 2, "problems": printed.err.splitlines()}
