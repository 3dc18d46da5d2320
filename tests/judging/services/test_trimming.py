"""Rows and files that only grow: the old ones are removed, and nothing else."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session
from django.utils import timezone

from judging.management.server_processes import web_server
from judging.models import Activity, AnsweredRequest, ApiToken, Worker
from judging.services.trimming import trim
from tests.factories import make_token, make_user

DAY = timedelta(days=1)


@pytest.mark.django_db
def test_rows_that_ended_are_removed_and_others_stay():
    now, rita = timezone.now(), make_user("rita")
    for end in (now - DAY, now + DAY):
        Session.objects.create(session_key=str(end), session_data="", expire_date=end)
        token = make_token(rita)
        ApiToken.objects.filter(token_key=token[:15]).update(expiry=end)
    for key, age in (("old", 2 * DAY), ("new", 0 * DAY)):
        row = AnsweredRequest.objects.create(user=rita, key=key)
        AnsweredRequest.objects.filter(pk=row.pk).update(created_at=now - age)
    for on, age in (("dataset 1", 31 * DAY), ("dataset 2", 29 * DAY)):
        row = Activity.objects.create(action="import", on=on)
        Activity.objects.filter(pk=row.pk).update(at=now - age)
    for name, age in (("gone", 2 * DAY), ("busy", DAY / 2)):
        Worker.objects.create(name=name, memory=0, own_clock=now, seen_at=now - age)
    for log in (AccessAttempt, AccessFailureLog, AccessLog):
        for age in (100 * DAY, 80 * DAY):
            count = {"failures_since_start": 1} if log is AccessAttempt else {}
            row = log.objects.create(username=str(age), ip_address="127.0.0.1", **count)
            log.objects.filter(pk=row.pk).update(attempt_time=now - age)

    trim(activity_kept=30 * DAY)

    assert [one.expire_date for one in Session.objects.all()] == [now + DAY]
    assert [one.expiry for one in ApiToken.objects.all()] == [now + DAY]
    assert [one.key for one in AnsweredRequest.objects.all()] == ["new"]
    assert [one.on for one in Activity.objects.filter(action="import")] == ["dataset 2"]
    assert [one.name for one in Worker.objects.all()] == ["busy"]
    for log in (AccessAttempt, AccessFailureLog, AccessLog):
        assert [one.username for one in log.objects.all()] == [str(80 * DAY)]


@pytest.mark.django_db
def test_files_and_folders_older_than_a_day_are_removed(tmp_path):
    old, new = time.time() - 25 * 3600, time.time() - 3600
    for name, changed in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "inside").touch()
        (tmp_path / f"{name}.upload").touch()
        for path in (tmp_path / name, tmp_path / f"{name}.upload"):
            os.utime(path, (changed, changed))

    trim(tmp_path, tmp_path / "missing", activity_kept=DAY)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "new.upload"]


def test_web_server_writes_temporary_files_where_they_are_removed(settings, tmp_path):
    settings.TEMPORARY_DIR = tmp_path / "temporary"
    server = web_server("localhost", 8000)

    made = subprocess.run(
        [sys.executable, "-c", "import tempfile; print(tempfile.mkstemp()[1])"],
        env=server.environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert Path(made.stdout.strip()).parent == settings.TEMPORARY_DIR
