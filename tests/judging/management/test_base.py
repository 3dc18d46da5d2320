"""What all commands share."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_commands_say_what_to_do_where_the_database_has_no_tables(tmp_path):
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path}/empty.sqlite3", "SECRET_KEY": "only-for-tests"}
    environment["DJANGO_SETTINGS_MODULE"] = "evalsite.settings"
    command = [sys.executable, "manage.py", "runs", "--json"]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip() == "CommandError: the database has no tables yet; run `python manage.py migrate` first"
