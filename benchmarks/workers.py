"""Measure how workers share runs: `python -m tests.servers python -m benchmarks.workers [--workers 1 2 4]`.

The demo's judge compares all summaries of the sample in several runs, with so many workers of one thread each. Times
are from the first message to the last answer. "ratio" is to the fewest workers; no more than the cores can be gained.
The numbers of workers take turns, so that other work on the machine slows all alike.

Then one of two workers is killed amid the runs, and another is started: nothing may be lost or doubled.

Prints a table on standard error and writes benchmarks/results/workers.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.database import django_on
from benchmarks.machine import machine, say

if TYPE_CHECKING:
    from judging.models import Dataset, Run

RESULTS = Path(__file__).resolve().parent / "results/workers.json"
RUNS = 12
seeds = count()  # every run is another one
WAIT = 600  # seconds for anything that is waited for
OWN_SETTINGS = {"OMP_NUM_THREADS": "1", "LEASE_SECONDS": "6", "SWEEP_SECONDS": "1"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with django_on():
        document = _measured(options.workers, options.repeats)
    _print(document)
    RESULTS.write_text(json.dumps(document, indent=2) + "\n")


def _measured(numbers: list[int], repeats: int) -> dict[str, object]:
    from judging.services.demo import load_sample

    dataset = load_sample()
    found: dict[int, list[float]] = {number: [] for number in numbers}
    for _ in range(repeats):
        for number in numbers:
            found[number].append(_speed(dataset, number))
            say(f"{number} workers: {found[number][-1]:.1f} answers a second")
    medians = {number: statistics.median(speeds) for number, speeds in found.items()}
    fewest = min(medians)
    return {
        "workers": [
            {"workers": number, "per_second": speed, "ratio": speed / medians[fewest], "all": found[number]}
            for number, speed in medians.items()
        ],
        "killed_and_added": _with_a_death(dataset),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "machine": machine(("django", "celery", "torch")),
    }


def _speed(dataset: Dataset, number: int) -> float:
    """Return the answers per second of so many workers, which have loaded the judge before."""
    from judging.models import Worker

    with _working(number):
        while Worker.objects.exclude(model="").count() < number:
            _finish(_start_runs(dataset))
        runs, started = _start_runs(dataset), time.monotonic()
        _finish(runs)
    return sum(run.planned for run in runs) / (time.monotonic() - started)


@contextmanager
def _working(number: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start workers, and end them after the block."""
    from judging.models import Worker

    Worker.objects.all().delete()
    workers = [_start_worker() for _ in range(number)]
    try:
        _wait_until(lambda: Worker.objects.count() == number)
        yield workers
    finally:
        for one in workers:
            one.terminate()
        for one in workers:
            one.wait()


def _start_worker() -> subprocess.Popen[bytes]:
    from judging.management.server_processes import worker

    process = worker()
    environment = {**process.environment, **OWN_SETTINGS}
    return subprocess.Popen(process.command, env=environment, stderr=subprocess.DEVNULL)


def _start_runs(dataset: Dataset) -> list[Run]:
    """Start runs of the demo's judge on every pair."""
    from judging import tasks
    from judging.models import Judge, Prompt
    from judging.services.plans.selection_settings import SelectionSettings
    from judging.services.runs.run_lifecycle import create_runs
    from judging.services.runs.run_request import RunRequest

    judge, prompt = Judge.objects.get(name="demo"), Prompt.objects.get(name="comparative-1")
    choices = [SelectionSettings(seed=next(seeds)) for _ in range(RUNS)]
    runs = create_runs([RunRequest(dataset, dataset.attributes.first(), judge, prompt, one) for one in choices])
    for run in runs:
        tasks.send_run(run.pk)
    return runs


def _finish(runs: list[Run]) -> None:
    from judging.models import Run

    active = Run.objects.filter(pk__in=[run.pk for run in runs]).active()
    _wait_until(lambda: not active.exists())
    if failed := Run.objects.filter(pk__in=[run.pk for run in runs]).exclude(status=Run.Status.DONE).first():
        raise SystemExit(f"run {failed.pk} ended as {failed.status}: {failed.error}")


def _with_a_death(dataset: Dataset) -> dict[str, int]:
    """Kill one of two workers after a third of the answers, start another, and count lost and doubled answers."""
    from judging.models import Chunk, Comparison

    with _working(2) as workers:
        runs = _start_runs(dataset)
        stored = Comparison.objects.filter(run__in=runs)
        _wait_until(lambda: stored.count() > sum(run.planned for run in runs) / 3)
        workers[0].kill()
        workers.append(_start_worker())
        _finish(runs)
    chunks = Chunk.objects.filter(run__in=runs).values_list("run", "pairs")
    wanted = Counter((run, *pair) for run, pairs in chunks for pair in pairs)
    given = Counter(stored.values_list("run", "first", "second"))
    return {"planned": wanted.total(), "lost": (wanted - given).total(), "doubled": (given - wanted).total()}


def _wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not happened():
        if time.monotonic() > deadline:
            sys.exit(f"a worker did not do its part within {WAIT} seconds; start it by hand and read its log")
        time.sleep(0.2)


def _print(document: dict[str, object]) -> None:
    say(f"{document['cores']} cores, load {document['load']}")
    for row in document["workers"]:
        say(f"  {row['workers']} workers {row['per_second']:7.1f} answers a second   x{row['ratio']:.2f}")
    say(f"  a worker killed, one added: {document['killed_and_added']}")


if __name__ == "__main__":
    main()
