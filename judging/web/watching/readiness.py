"""Checks of the parts that a server needs: for /readyz, /healthz, /metrics and the command `doctor`.

A check returns what is wrong, in words that name no host and no secret; nothing where all is well.
"""

import shutil
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.mail import get_connection
from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now
from django.utils import timezone

from judging.models import User, Worker
from judging.services.database_schema import schema_problems
from judging.services.full_disks import refused_writes
from judging.tasks import reaches_broker
from judging.web.watching.setup import setup_problems

OK = "ok"
SILENT = "does not answer"
MOST_APART = timedelta(seconds=5)
UNKNOWN_WHILE_SILENT = "not known: the database does not answer"


def readiness(*, thorough: bool = False) -> dict[str, str]:
    """Return each part that a server needs -> `ok`, or why not. thorough: with settings, GPU, disk, mail and clock."""
    answers = {name: _asked(check) for name, check in (SERVER_PARTS | (FURTHER_PARTS if thorough else {})).items()}
    if answers["database"] == SILENT:
        answers = {name: UNKNOWN_WHILE_SILENT if one == SILENT else one for name, one in answers.items()}
        answers["database"] = SILENT
    return answers


def _asked(check: Callable[[], str]) -> str:
    try:
        return check() or OK
    except (DatabaseError, InterfaceError):
        return SILENT


def database_problem() -> str:
    """Look whether the database answers and takes writes. Raises DatabaseError without an answer."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    refused = refused_writes()
    if connection.vendor == "sqlite" and "data_folder" in refused:
        return f"its folder {refused['data_folder']}"
    return refused.get("database", "")


def schema_problem() -> str:
    if problems := lasting_schema_problems():
        lasting_schema_problems.cache_clear()
    return "; ".join(problems)


@cache
def lasting_schema_problems() -> list[str]:
    """Compare the schema with the models, once while it fits."""
    return schema_problems()


def broker_problem() -> str:
    return "" if reaches_broker() else "cannot be reached: runs wait until it can"


def worker_problem() -> str:
    return "" if Worker.objects.seen_lately().exists() else "none was seen for two minutes: start evenhand worker"


def setup_problem() -> str:
    return "; ".join(setup_problems())


def gpu_problem() -> str:
    """Look whether the queue of a GPU has a worker where one is needed."""
    needs = settings.JUDGE_QUEUE == "gpu" or Path("/dev/nvidia0").exists()
    if not needs or any("gpu" in one.queues.split(",") for one in Worker.objects.seen_lately()):
        return ""
    return "no worker serves it: start evenhand worker --queues gpu on the machine with the GPU"


def disk_problem() -> str:
    free = shutil.disk_usage(settings.DATA_DIR).free
    if free > settings.MAX_UPLOAD_BYTES:
        return ""
    return f"the data folder has {free:,} free bytes, less than the largest upload: free some"


def mail_problem() -> str:
    """Open a connection to the mail server, if there is one."""
    if not settings.EMAIL_HOST:
        return ""
    try:
        get_connection().open()
    except OSError as error:  # also of SMTP
        return f"{settings.EMAIL_HOST} cannot be used: {error}; correct EMAIL_HOST and what belongs to it"
    return ""


def clock_problem() -> str:
    """Compare the clock here, and those of living workers, with that of the database."""
    row = User.objects.annotate(now=Now()).values_list("now", flat=True).first()
    apart = {"this machine": timezone.now() - row} if row else {}
    apart |= {one.name: one.own_clock - one.seen_at for one in Worker.objects.seen_lately()}
    wrong = [f"{name} by {abs(by.total_seconds()):.0f} s" for name, by in apart.items() if abs(by) > MOST_APART]
    return f"differs from that of the database: {', '.join(wrong)}; let NTP set the clocks" if wrong else ""


SERVER_PARTS: dict[str, Callable[[], str]] = {
    "database": database_problem,
    "schema": schema_problem,
    "broker": broker_problem,
    "worker": worker_problem,
}
FURTHER_PARTS: dict[str, Callable[[], str]] = {
    "settings": setup_problem,
    "gpu": gpu_problem,
    "disk": disk_problem,
    "mail": mail_problem,
    "clock": clock_problem,
}
