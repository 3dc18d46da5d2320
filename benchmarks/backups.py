"""Measure a round trip of a backup of a million comparisons: `python -m tests.servers python -m benchmarks.backups`.

Backs the database up, deletes all comparisons, restores it, and compares all rows with those before by their sums. The
same is done with a password. The peer is `pg_dump --format=custom` with `pg_restore` into a new database.

Prints a table on standard error and writes benchmarks/results/backups.json. Ends with an error if a row is not what it
was. Seconds are those by the clock.
"""

import argparse
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from benchmarks.pages.shapes import SHAPES, stored

RESULTS = Path(__file__).resolve().parent / "results" / "backups.json"
PASSWORD = "a long benchmark password"
OF_RESTORING = {"judging_activity", "django_session", "django_content_type", "auth_permission", "django_migrations"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, default="million")
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://…; default: DATABASE_URL")
    options = parser.parse_args()
    with django_on(options.database) as folder:
        from django.db import connection

        if connection.vendor != "postgresql":
            raise SystemExit("needs a PostgreSQL: python -m tests.servers python -m benchmarks.backups")
        stored(SHAPES[options.shape])
        lines, problems = round_trips(folder)
        peer = dumped(folder)
        connection.close()
    for line in (*lines, peer):
        line["ratio"] = round(line["restored_after"] / peer["restored_after"], 2)
        say("{way:24} {backup:8.1f} s {megabytes:8.1f} MB {restore:8.1f} s restored {ratio:8.2f}".format(**line))
    document = {
        "comparisons": SHAPES[options.shape].comparisons,
        "lines": [*lines, peer],
        "problems": problems,
        "machine": machine(("django", "psycopg")),
    }
    RESULTS.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if problems:
        raise SystemExit("\n".join(problems))


def round_trips(folder: Path) -> tuple[list[dict], list[str]]:
    """Return a line for each way, and the tables whose rows are not those before."""
    from judging.models import Comparison
    from judging.services.backups.backups import make_backup, restore_backup

    lines, problems = [], []
    for way, password in (("backup", ""), ("backup with a password", PASSWORD)):
        file, before = folder / "file", sums()
        backup = seconds(make_backup, file, password=password)
        Comparison.objects.all().delete()
        restore = seconds(restore_backup, file, password=password, replaces=True)
        after = sums()
        problems += [f"{way}: {table} is not what it was" for table in before if after.get(table) != before[table]]
        lines.append(line_of(way, backup, file, restore))
    return lines, problems


def dumped(folder: Path) -> dict:
    """Dump the database by the server's own program, and restore it into a new one."""
    from django.db import connection

    url, file, name = os.environ["DATABASE_URL"], folder / "dump", "restored_by_pg_restore"
    backup = seconds(run, "pg_dump", "--format=custom", f"--file={file}", url)
    connection.cursor().execute(f"CREATE DATABASE {name}")
    place = urlsplit(url)._replace(path=name).geturl()
    return line_of("pg_dump, pg_restore", backup, file, seconds(run, "pg_restore", f"--dbname={place}", file))


def line_of(way: str, backup: float, file: Path, restore: float) -> dict:
    return {
        "way": way,
        "backup": backup,
        "megabytes": file.stat().st_size / 1e6,
        "restore": restore,
        "restored_after": backup + restore,
    }


def run(*command: object) -> None:
    subprocess.run([*map(str, command)], check=True)


def seconds(do: Callable[..., object], *arguments: object, **options: object) -> float:
    started = time.perf_counter()
    do(*arguments, **options)
    return time.perf_counter() - started


def sums() -> dict[str, tuple[int, int]]:
    """Return the number of rows of each table, and the sum of their hashes."""
    from django.db import connection

    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor)) - OF_RESTORING
        query = 'SELECT count(*), sum(hashtextextended(one::text, 0)) FROM "{}" AS one'
        return {table: cursor.execute(query.format(table)).fetchone() for table in sorted(tables)}


if __name__ == "__main__":
    main()
