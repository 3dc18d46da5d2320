"""Checks of the parts that a server needs: for /readyz, /healthz, /metrics and the command `doctor`.

A check returns what is wrong, in words that name no host and no secret; nothing where all is well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from django.db import DatabaseError, InterfaceError, connection

from judging.models import Worker
from judging.services.backups.schema import schema_problems
from judging.tasks import reaches_broker
from judging.web.limits.full_disks import refused_writes

OK = "ok"
SILENT = "does not answer"
UNKNOWN_WHILE_SILENT = "not known: the database does not answer"


def readiness() -> dict[str, str]:
    """Return each part that a server needs -> `ok`, or why not."""
    answers = {name: _asked(check) for name, check in SERVER_PARTS.items()}
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


SERVER_PARTS: Mapping[str, Callable[[], str]] = {
    "database": database_problem,
    "schema": schema_problem,
    "broker": broker_problem,
    "worker": worker_problem,
}
