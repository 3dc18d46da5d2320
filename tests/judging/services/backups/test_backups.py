"""A backup between two installations, each in a process of its own with its own database, data folder and secret."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from tests.judging.workers import database_url

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[4]
START = """
import json, django
from io import StringIO
from pathlib import Path
django.setup()
from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from axes.models import AccessLog
from django.contrib.sessions.models import Session
from evenhand.refusals import Refused
from judging.models import Activity, Comparison, Dataset, User
from judging.services.backups import backups
from judging.services.database_schema import schema_problems
from tests.factories import answer_run, make_dataset, make_run, make_user

def told():
    names = [[row.name for row in Dataset.objects.all()], [row.username for row in User.objects.all()]]
    uploads = [file.read_text() for file in sorted(settings.MEDIA_ROOT.rglob("*"))]
    return [*names, Comparison.objects.count(), uploads, cache.get("figures")]

def lines():
    return list(Activity.objects.values_list("action", "on"))

def refused(file, **settings):
    try:
        backups.restore_backup(file, **settings)
    except Refused as refusal:
        return str(refusal)

call_command("migrate", verbosity=0)
FILE = Path({file!r})
"""
OLD = """
call_command("migrate", "axes", "0008", verbosity=0)  # an earlier version, with a row in a table that has grown since
with connection.cursor() as cursor:
    columns = "user_agent, ip_address, username, http_accept, path_info, attempt_time"
    cursor.execute(f"INSERT INTO axes_accesslog ({columns}) VALUES ('', '::1', 'rita', '', '', '2026-01-01')")
Session.objects.create(session_key="signed-in", session_data="", expire_date="2999-01-01T00:00Z")
answer_run(make_run(make_dataset(candidates=(3, 2), owner=make_user("rita", "researcher"))))
make_dataset(owner=make_user("otto", "researcher"))  # of the same name
settings.MEDIA_ROOT.mkdir(parents=True)
(settings.MEDIA_ROOT / "pending.csv").write_text("kept")
call_command("backup", str(FILE), stdout=StringIO())
backups.applied_migrations = lambda: [("judging", "0001_initial"), ("judging", "9999_of_next_year")]
backups.make_backup(FILE.with_suffix(".later"))
with backups.opened_archive(FILE) as (folder, facts):
    (folder / "manifest.json").unlink()
    backups.write_archive(folder, FILE.with_suffix(".other"), facts=facts | {"database": "mysql"})
print(json.dumps([told(), lines(), facts["settings"]]))
"""
NEW = """
answers = [[refused(FILE.with_suffix(ending)) for ending in (".later", ".other")]]
call_command("restore", str(FILE), stdout=StringIO())
answers.append(told())
make_dataset("Later")
cache.set("figures", "of the dataset that is lost")
answers.append(refused(FILE))
answers.append(Dataset.objects.count())
call_command("restore", str(FILE), "--replace", stdout=StringIO())
answers += [told(), lines()]
answers.append([schema_problems(), AccessLog.objects.count(), Session.objects.count(), make_dataset("Next").pk])
print(json.dumps(answers))
"""


@pytest.fixture
def databases(tmp_path):
    """The addresses of two new databases, on the server of this test where it has one."""
    if connection.vendor == "sqlite":
        yield [f"sqlite:///{tmp_path / name}" for name in ("old.sqlite3", "new.sqlite3")]
        return
    own = connection.settings_dict["NAME"]
    server = database_url().replace(f"/{own}?", "/postgres?", 1)
    names = [f"{own}_{name}" for name in ("old", "new")]
    with psycopg.connect(server, autocommit=True) as admin:
        for name in names:
            admin.execute(f'CREATE DATABASE "{name}"')
        yield [database_url().replace(f"/{own}?", f"/{name}?", 1) for name in names]
        for name in names:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def answer_of(url, lines, *, folder, name):
    """Return what lines print in an installation with this database."""
    own = {"DATABASE_URL": url, "EVENHAND_DATA": str(folder / name), "SECRET_KEY": f"of the installation {name}" * 2}
    environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "REDIS_URL": ""}
    program = START.format(file=str(folder / "evenhand.backup")) + lines
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_backup_of_one_installation_is_restored_in_another_of_the_next_version(databases, tmp_path):
    old, noted, set_then = answer_of(databases[0], OLD, folder=tmp_path, name="old")
    answers = answer_of(databases[1], NEW, folder=tmp_path, name="new")
    (later, other), restored, again, rows, replaced, then_noted, now = answers

    assert old == [["Summaries", "Summaries"], ["rita", "otto"], 8, ["kept"], None]
    assert restored == replaced == old
    assert now == [[], 1, 0, 3]
    assert {"DATABASE_URL", "EVENHAND_DATA", "SECRET_KEY"} <= {*set_then}
    assert ("which is later than" in later, "a backup of mysql, while DATABASE_URL" in other) == (True, True)
    assert again == (
        "replace: the database has 3 datasets and 1 run — restore into an empty one, or give --replace to lose them"
    )
    assert rows == 3
    assert noted == [["start", "run 1"], ["download", "evenhand.backup"]]
    assert then_noted == [["start", "run 1"], ["restore", "evenhand.backup"]]
