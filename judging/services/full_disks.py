"""Errors of a full disk, which may stop neither reading nor signing in."""

import errno
import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, connection, transaction

REFUSED_BY_POSTGRESQL = {"53100", "25006"}  # the disk is full; writing was switched off, as some hosts then do
REFUSED_BY_SQLITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY}
LEAST_SPACE = 32 * 2**20
"""Free bytes of the data folder below which the health check warns."""
PROBE = "SELECT current_setting('transaction_read_only'), count(*) FROM generate_series(1, 100000)"
"""Needs three megabytes of the server's disk for a moment."""

logger = logging.getLogger(__name__)


def lacks_space(error: BaseException | None) -> bool:
    """Return True if an error, or one behind it, says that nothing can be stored."""
    if error is None:
        return False
    return (
        getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        or getattr(error, "sqlstate", None) in REFUSED_BY_POSTGRESQL
        or getattr(error, "sqlite_errorcode", 0) & 0xFF in REFUSED_BY_SQLITE
        or lacks_space(error.__cause__ or error.__context__)
    )


@contextmanager
def best_effort() -> Iterator[None]:
    """Go on where something cannot be stored that nobody waits for."""
    try:
        yield
    except DatabaseError as error:
        if not lacks_space(error):
            raise
        logger.warning("not stored: %s", error)


def refused_writes() -> dict[str, str]:
    """Return why `database` or `data_folder` can store nothing more. Raises DatabaseError without an answer."""
    problems = {}
    try:
        if connection.vendor == "postgresql" and _is_read_only():
            problems["database"] = "takes no writes: it is read-only"
    except DatabaseError as error:
        if not lacks_space(error):
            raise
        problems["database"] = "takes no writes: its disk is full"
    return problems | full_folder()


def full_folder() -> dict[str, str]:
    free = shutil.disk_usage(settings.DATA_DIR).free
    return {"data_folder": f"has {free:,} free bytes"} if free < LEAST_SPACE else {}


def _is_read_only() -> bool:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(PROBE)
        return bool(cursor.fetchone()[0] == "on")
