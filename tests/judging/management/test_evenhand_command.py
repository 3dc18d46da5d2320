"""The behaviour of all commands."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def list_runs(database, **variables):
    environment = {**os.environ, "DATABASE_URL": database, "SECRET_KEY": "only-for-tests"} | variables
    environment["DJANGO_SETTINGS_MODULE"] = "evalsite.settings"
    command = [sys.executable, "manage.py", "runs", "--json"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_commands_say_how_to_create_missing_tables(tmp_path):
    done = list_runs(f"sqlite:///{tmp_path}/empty.sqlite3")

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip() == "CommandError: the database has no tables yet; run the command `migrate` first"


def test_commands_make_the_folder_of_the_embedded_database(tmp_path):
    done = list_runs("", EVENHAND_DATA=str(tmp_path / "data"))

    assert "no tables yet" in done.stderr
    assert (tmp_path / "data" / "db.sqlite3").exists()


def test_commands_report_an_unreachable_database(tmp_path):
    done = list_runs(f"sqlite:///{tmp_path}/gone/evenhand.sqlite3")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "CommandError: the database cannot be reached: unable to open database file",
        "Run the same command again once the database is back. Stored answers are kept.",
    ]
