"""How fast comparisons are written: `python -m benchmarks.writing [--comparisons 100000] [--database URL]`.

The same comparisons, each time of a new run and committed, written by Django's bulk_create and by ours
(services.execution.bulk_insert): at once, as an import does, and in slices of 2,000, as a run does; and by the whole of
`import_comparisons`, which also checks them. Seconds are of the processor, ours and the server's added up, so the
server has to run on the same machine; the clock shows less where it has a core of its own. "in" is the time until the
rows are in the table, "commit" that until the transaction has ended, where PostgreSQL looks foreign keys up.

Prints a table on standard error and writes benchmarks/results/writing-DATABASE.json. Without --database or
DATABASE_URL, into SQLite in a temporary folder.
"""

import argparse
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from benchmarks.report import PAIRS, answers, make_dataset

SLICE = 2_000
RESULTS = Path(__file__).resolve().parent / "results"
NUMBERS = count()


@dataclass(frozen=True, slots=True)
class Way:
    """A way to write; against: the way that its ratio is taken to."""

    name: str
    write: Callable[[object, Sequence[object]], None]
    against: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=100_000)
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://… or sqlite:///…")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with django_on(options.database):
        document = measured(-(-options.comparisons // PAIRS), options.repeats)
    file = RESULTS / f"writing-{document['database']}.json"
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def measured(contexts: int, repeats: int) -> dict[str, object]:
    from django.db import connection

    dataset = make_dataset(f"writing: {contexts} contexts, {secrets.token_hex(4)}", contexts)
    records = list(answers(0, contexts))
    ways = ways_to_write(dataset)
    times: dict[str, list[tuple[float, float]]] = {way.name: [] for way in ways}
    for _ in range(repeats):  # in turn, so that what else the machine does harms all alike
        for way in ways:
            times[way.name].append(seconds_of(way, dataset, records))
    lines = [line(way, times, len(records)) for way in ways]
    say(f"{'way':28}{'a second':>12}{'in, s':>9}{'commit, s':>11}{'ratio':>8}")
    for one in lines:
        say(f"{one['way']:28}{one['per_second']:12,.0f}{one['in']:9.3f}{one['commit']:11.3f}{one['ratio']:8.2f}")
    return {
        "comparisons": len(records),
        "repeats": repeats,
        "database": connection.vendor,
        "lines": lines,
        "machine": machine(("django", "psycopg")),
    }


def line(way: Way, times: dict[str, list[tuple[float, float]]], rows: int) -> dict[str, object]:
    """The fastest of the repeats; ratio: how many times as fast as the way it is held against."""
    (inserted, committed), other = min(times[way.name], key=sum), min(map(sum, times[way.against]))
    whole = inserted + committed
    return {
        "way": way.name,
        "per_second": rows / whole,
        "in": inserted,
        "commit": committed,
        "against": way.against,
        "ratio": other / whole,
    }


def seconds_of(way: Way, dataset: object, records: Sequence[object]) -> tuple[float, float]:
    """Until the rows are in, and from then until they are committed."""
    from django.db import transaction

    run = new_run(dataset)
    started = spent()
    with transaction.atomic():
        way.write(run, records)
        inserted = spent()
    return inserted - started, spent() - inserted


def spent() -> float:
    """Seconds of the processor so far: ours, and those of the server's process at the other end."""
    return time.process_time() + sum(int(file.read_text().split()[0]) for file in server_files()) / 1e9


@cache
def server_files() -> list[Path]:
    """Where Linux tells the time that the process of our connection has run, in nanoseconds."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), inet_server_addr() = inet_client_addr()")
        process, is_local = cursor.fetchone()
    file = Path(f"/proc/{process}/schedstat")
    if is_local is False or not file.is_file():
        raise SystemExit("the server runs elsewhere, so its processor's time cannot be read")
    return [file]


def new_run(dataset: object) -> object:
    from judging.models import Judge, Run

    judge, _ = Judge.objects.get_or_create(name="benchmark", defaults={"backend": Judge.Backend.RECORDED})
    attribute = dataset.attributes.get()
    return Run.objects.create(dataset=dataset, attribute=attribute, judge=judge, method="recorded", planned=0, spec={})


def ways_to_write(dataset: object) -> list[Way]:
    ways = Ways(dataset)
    return [
        Way("bulk_create", ways.by_django, "bulk_create"),
        Way("insert", ways.by_us, "bulk_create"),
        Way("slices, bulk_create", ways.slices_by_django, "slices, bulk_create"),
        Way("slices, insert", ways.slices_by_us, "slices, bulk_create"),
        Way("import_comparisons", ways.imported, "bulk_create"),
    ]


class Ways:
    """Each writes records as comparisons of a run."""

    def __init__(self, dataset: object) -> None:
        from judging.services.datasets.record_lookup import Places

        self.dataset, self.places = dataset, Places(dataset)

    def by_django(self, run: object, records: Sequence[object]) -> None:
        from judging.models import Comparison

        Comparison.objects.bulk_create([self.model(run, one) for one in records], batch_size=5_000)

    def by_us(self, run: object, records: Sequence[object]) -> None:
        from judging.models import Comparison
        from judging.services.execution.bulk_insert import insert

        insert(Comparison, [self.row(run, one) for one in records])

    def slices_by_django(self, run: object, records: Sequence[object]) -> None:
        from judging.models import Comparison

        for part in slices(records):
            Comparison.objects.bulk_create([self.model(run, one) for one in part], ignore_conflicts=True)

    def slices_by_us(self, run: object, records: Sequence[object]) -> None:
        from judging.models import Comparison
        from judging.services.execution.bulk_insert import insert

        for part in slices(records):
            insert(Comparison, [self.row(run, one) for one in part], skip_known=True)

    def imported(self, run: object, records: Sequence[object]) -> None:
        from judging.services.datasets.recorded_judgments import import_comparisons

        import_comparisons(records, dataset=self.dataset, judge_name=f"benchmark {next(NUMBERS)}")

    def ids(self, record: object) -> tuple[int, int, int]:
        candidates, context = self.places.candidates, record.context
        return self.places.contexts[context], candidates[context, record.first], candidates[context, record.second]

    def model(self, run: object, record: object) -> object:
        from judging.models import Comparison

        context, first, second = self.ids(record)
        return Comparison(
            run=run, context_id=context, first_id=first, second_id=second, outcome="answered", p_first=record.p_first
        )

    def row(self, run: object, record: object) -> object:
        from judging.services.execution.bulk_insert import ComparisonRow

        return ComparisonRow(run.pk, *self.ids(record), "answered", record.p_first)


def slices(records: Sequence[object]) -> list[Sequence[object]]:
    return [records[start : start + SLICE] for start in range(0, len(records), SLICE)]


if __name__ == "__main__":
    main()
