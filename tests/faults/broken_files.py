"""Send broken files through every import: `python -m tests.faults.broken_files [--files 10000] [--seed 0]`.

Each file is an example of a format, of a tool's log, a workbook, an archive or a backup, with bytes removed, replaced,
repeated or put in. An import may refuse it with InvalidFile or Refused alone, within SECONDS. Then it leaves no row and
no temporary file. What it stores is taken back. Without --database or DATABASE_URL, the database is SQLite in a
temporary folder. `python -m tests.servers python -m tests.faults.broken_files` gives it a PostgreSQL.

Prints a table on standard error, and writes its lines to benchmarks/results/broken-files.json. Ends with an error that
names seed and number of a file, if an import failed, left something half-stored, or took too much time or memory.
Ctrl-C ends it early, with the figures so far.
"""

import argparse
import gzip
import json
import resource
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from inspect import getmembers, isfunction
from pathlib import Path
from random import Random

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from evenhand.file_problems import InvalidFile
from evenhand.formats import SourceFile
from evenhand.refusals import Refused
from tests.evenhand.formats.good_files import GOOD, PACKED, PIECES
from tests.evenhand.formats.logs import examples

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "broken-files.json"
SECONDS, MEGABYTES = 5.0, 300
LONGEST_REPEAT = 1_000  # times that a piece is put in
SMALL = (b"", b" ", b"0", b"-", b"a", b"\n", b"\x00", "é".encode(), b'"', b",")


@dataclass
class Figures:
    """How many files an import stored, refused and failed at, and the longest seconds for one."""

    stored: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://… or sqlite:///…")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with django_on(options.database):
        from django.db import connection

        figures, faults = send_broken(options.files, options.seed)
        number = figures["dataset"].stored + figures["dataset"].refused + figures["dataset"].failed
        vendor = connection.vendor
        connection.close()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    document = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "database": vendor,
        "files": number,
        "seed": options.seed,
        "megabytes": most,
        "faults": faults,
        "imports": {name: asdict(one) for name, one in figures.items()},
        "machine": machine(("django", "psycopg")),
    }
    options.output.write_text(json.dumps(document, indent=2) + "\n")
    for name, one in figures.items():
        counts = f"{one.stored:6} stored {one.refused:6} refused {one.failed:4} failed"
        say(f"{name:28} {counts} {one.seconds:6.2f} s at most")
    say(f"{number} files, {most} MB at most")
    if faults or most > MEGABYTES:
        raise SystemExit("\n".join([*(f"{where}: {fault}" for fault, where in faults.items()), f"{most} MB"]))


def send_broken(number: int, seed: int) -> tuple[dict[str, Figures], dict[str, str]]:
    """Return the figures of each import, and each fault with its first file. Stores the rows that imports add to."""
    from tests.faults.every_import import FURTHER_EXAMPLES, IMPORTS, backup_bytes, store_rows

    store_rows()
    good = [*GOOD, *PACKED, *logs(), *FURTHER_EXAMPLES * 8, backup_bytes()]  # so that each import has files it may take
    figures, faults = {name: Figures() for name in IMPORTS}, dict[str, str]()
    before, rows = tempfile.tempdir, count_rows()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        tempfile.tempdir = folder
        try:
            for one in range(number):
                content = broken(Random(f"{seed} {one}"), good)
                for name, store in IMPORTS.items():
                    result = sent(store, content, figures[name])
                    result = "left temporary files" if any(Path(folder).iterdir()) else result
                    if result:
                        faults.setdefault(result, f"file {one} of seed {seed}, {name}")
                if count_rows() != rows:
                    faults.setdefault("left rows", f"file {one} of seed {seed}")
        finally:
            tempfile.tempdir = before
    return figures, faults


def sent(store: Callable[[SourceFile], object], content: bytes, figures: Figures) -> str:
    """Return what an import did that it may not; "" if it stored the file, which is taken back, or refused it."""
    from django.db import transaction

    started = time.monotonic()
    with transaction.atomic():
        fault = ""
        try:
            store(SourceFile("file", content))
            figures.stored += 1
            transaction.set_rollback(True)
        except (InvalidFile, Refused):
            figures.refused += 1
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            fault = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:80]}"
            figures.failed += 1
            transaction.set_rollback(True)
    seconds = time.monotonic() - started
    figures.seconds = max(figures.seconds, round(seconds, 2))
    return fault or (f"took more than {SECONDS:g} seconds" if seconds > SECONDS else "")


def count_rows() -> Sequence[int]:
    """Return the number of rows of each table."""
    from django.db import connection

    with connection.cursor() as cursor:
        tables = sorted(connection.introspection.table_names(cursor))
        counts = ", ".join(f'(SELECT count(*) FROM "{table}")' for table in tables)
        return cursor.execute(f"SELECT {counts}").fetchone()


def broken(chance: Random, good: Sequence[bytes]) -> bytes:
    """Return a file with one to four changes; every second one has a single small change, which is often no fault."""
    content = chance.choice(good)
    if chance.random() < 0.5:
        start = chance.randint(0, len(content))
        return content[:start] + chance.choice(SMALL) + content[start + chance.randint(0, 1) :]
    for _ in range(chance.randint(1, 4)):
        start, other = chance.randint(0, len(content)), chance.choice(good)
        piece = chance.choice(
            [
                chance.choice(PIECES),
                chance.randbytes(chance.randint(1, 8)),
                content[start : start + chance.randint(1, 200)] * chance.randint(1, 3),
                other[: chance.randint(1, len(other))],
                content[start : start + 20] * chance.randint(1, LONGEST_REPEAT),
            ]
        )
        content = content[:start] + piece + content[start + chance.choice([0, 1, 8, 100, len(content)]) :]
    return gzip.compress(content) if chance.random() < 0.1 else content


def logs() -> Iterator[bytes]:
    for name, make in getmembers(examples, isfunction):
        if make.__module__ == examples.__name__ and name != "document":
            made = make()
            yield from (one.read() for one in (made if isinstance(made, list | tuple) else [made]))


if __name__ == "__main__":
    main()
