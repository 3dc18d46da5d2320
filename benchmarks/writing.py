"""Measure how fast comparisons are stored: `python -m benchmarks.writing [--comparisons 100000] [--database URL]`.

The same comparisons are stored in a new run each time and committed in four ways: by Django's bulk_create, by one call
of our `insert` (as an import does), by `insert` in slices of 2,000 (as a run does), and by `import_judgments`, which
also checks them. The ratio is to bulk_create.

Seconds are processor time of this process and of its PostgreSQL process, so the server must run on this machine. They
depend little on the other work of the machine. "clock" is the time that a user waits.

Prints a table on standard error and writes benchmarks/results/writing-DATABASE.json. Without --database or
DATABASE_URL, uses SQLite in a temporary folder.
"""

import argparse
import json
import secrets
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from pathlib import Path

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from benchmarks.report import PAIRS, answers, make_dataset

SLICE = 2_000
RESULTS = Path(__file__).resolve().parent / "results"
NUMBERS = count()

Seconds = tuple[float, float]
"""Processor time, and time by the clock."""


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
    ways = ways_to_store(dataset, records)
    times: dict[str, list[Seconds]] = {name: [] for name in ways}
    for _ in range(repeats):  # in turn, so that other work on the machine slows all ways alike
        for name, store in ways.items():
            times[name].append(seconds_of(store, dataset))
    return {
        "comparisons": len(records),
        "repeats": repeats,
        "database": connection.vendor,
        "lines": lines(times, len(records)),
        "machine": machine(("django", "psycopg")),
    }


def lines(times: dict[str, list[Seconds]], rows: int) -> list[dict[str, object]]:
    """Return the fastest repeat of each way."""
    say(f"{'way':22}{'a second':>12}{'ratio':>8}{'by the clock':>14}")
    found = []
    for way, repeats in times.items():
        processor, clock = map(min, zip(*repeats, strict=True))
        ratio = min(times["bulk_create"])[0] / processor
        say(f"{way:22}{rows / processor:12,.0f}{ratio:8.2f}{rows / clock:14,.0f}")
        found.append({"way": way, "per_second": rows / processor, "ratio": ratio, "per_second_clock": rows / clock})
    return found


def seconds_of(store: Callable[[object], None], dataset: object) -> Seconds:
    """Measure the time to store all comparisons in a new run and to commit them."""
    from django.db import transaction

    run = new_run(dataset)
    spent, clock = processor_time(), time.perf_counter()
    with transaction.atomic():
        store(run)
    return processor_time() - spent, time.perf_counter() - clock


def processor_time() -> float:
    """Seconds of processor time so far, of this process and of the server's process for our connection."""
    return time.process_time() + sum(int(file.read_text().split()[0]) for file in server_files()) / 1e9


@cache
def server_files() -> list[Path]:
    """Return the file in which Linux keeps the processor time of the server's process, in nanoseconds."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), inet_server_addr() = inet_client_addr()")
        process, is_local = cursor.fetchone()
    file = Path(f"/proc/{process}/schedstat")
    if is_local is False or not file.is_file():
        raise SystemExit("the server runs elsewhere, so its processor time cannot be read")
    return [file]


def new_run(dataset: object) -> object:
    from judging.models import Judge, Run

    judge, _ = Judge.objects.get_or_create(name="benchmark", defaults={"backend": Judge.Backend.RECORDED})
    attribute = dataset.attributes.get()
    return Run.objects.create(dataset=dataset, attribute=attribute, judge=judge, method="recorded", planned=0, spec={})


def ways_to_store(dataset: object, records: Sequence[object]) -> dict[str, Callable[[object], None]]:
    """Return functions that store the records as comparisons of a run. `import_judgments` makes its own run."""
    from judging.models import Comparison
    from judging.services.datasets.dataset_keys import DatasetKeys
    from judging.services.datasets.recorded.answer_rows import COMPARISONS
    from judging.services.datasets.recorded.recorded_runs import import_judgments
    from judging.services.execution.bulk_insert import ComparisonRow, insert

    places = DatasetKeys(dataset)

    def rows(run: object) -> list[ComparisonRow]:
        return [
            ComparisonRow(
                run.pk,
                places.contexts[one.context],
                places.candidates[one.context, one.first],
                places.candidates[one.context, one.second],
                "answered",
                one.p_first,
            )
            for one in records
        ]

    def models(run: object) -> list[Comparison]:
        return [
            Comparison(
                run_id=row.run,
                context_id=row.context,
                first_id=row.first,
                second_id=row.second,
                outcome=row.outcome,
                p_first=row.p_first,
            )
            for row in rows(run)
        ]

    def in_slices(run: object) -> None:
        every = rows(run)
        for start in range(0, len(every), SLICE):
            insert(Comparison, every[start : start + SLICE], skip_known=True)

    return {
        "bulk_create": lambda run: Comparison.objects.bulk_create(models(run), batch_size=5_000),
        "insert": lambda run: insert(Comparison, rows(run)),
        "insert in slices": in_slices,
        "import_comparisons": lambda run: import_judgments(
            COMPARISONS, records, dataset=dataset, judge_name=f"benchmark {next(NUMBERS)}"
        ),
    }


if __name__ == "__main__":
    main()
