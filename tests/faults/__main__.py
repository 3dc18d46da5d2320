"""Break a running service, again and again, and count what is lost, doubled, changed or paid twice.

`unshare -m python -m tests.faults [--rounds 25] [--kinds "worker killed,Redis emptied"]` starts PostgreSQL, Redis, two
endpoints and two workers as processes. In each round, two people start a run each; while both workers judge the first,
the fault strikes. Leases are short, and an endpoint takes 0.25 s an answer.

A full disk needs the right to mount a small disk, and a wrong clock needs the program faketime. A kind without its
means is left out and named. Prints a table on standard error, and writes its lines to benchmarks/results/faults.json.
Ends with an error if a comparison was lost, doubled or changed, if more than one slice of each worker was asked twice,
or if a run did not end.
"""

import argparse
import json
import shutil
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.machine import machine, say
from evenhand.engine.endpoint.http_client import CONCURRENCY
from judging.services.judges.loaded_engine import SLICE_SECONDS
from tests.faults.endpoint import SECONDS
from tests.faults.kinds import KINDS, wrong_clock
from tests.faults.service import WORKERS, running_service

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "faults.json"
CONTEXTS, CANDIDATES = 3, 12
SLICE = round(SLICE_SECONDS * CONCURRENCY / SECONDS)
"""The largest number of questions that a worker asks before it stores their answers."""
SUMS = ("rounds", "lost", "doubled", "changed", "resumed")
SPREAD = ("asked_twice", "seconds", "next_run_seconds")
HEAD = f"{'fault':22}" + "".join(f"{name:>9}" for name in SUMS) + "".join(f"{name:>17}" for name in SPREAD)


@dataclass
class Round:
    """Result of a fault: comparisons lost, stored twice or with another value; questions asked twice; seconds."""

    lost: int
    doubled: int
    changed: int
    resumed: int
    asked_twice: int
    seconds: float
    next_run_seconds: float


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with running_service() as service:
        rounds = measured(service, options.kinds.split(","), options.rounds)
    document = {
        "command": "unshare -m python -m tests.faults " + " ".join(sys.argv[1:]),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "comparisons_a_round": CONTEXTS * CANDIDATES * (CANDIDATES - 1),
        "workers": WORKERS,
        "largest_slice": SLICE,
        "faults": {kind: summary(of_kind) for kind, of_kind in rounds.items()},
        "machine": machine(("django", "celery", "psycopg", "redis")),
    }
    if options.output.exists():
        document["faults"] = json.loads(options.output.read_text())["faults"] | document["faults"]
    options.output.write_text(json.dumps(document, indent=2) + "\n")
    every = [one for of_kind in rounds.values() for one in of_kind]
    if any(one.lost or one.doubled or one.changed or one.asked_twice > WORKERS * SLICE for one in every):
        raise SystemExit("a fault lost, doubled or changed a comparison, or more than a slice of each worker")


def measured(service, kinds, number):
    world = World(service)
    say(HEAD)
    found = {}
    for kind in kinds:
        if lacks := missing(service, kind):
            say(f"{kind:22}  left out: {lacks}")
            continue
        found[kind] = [world.round(kind, Random(f"{kind} {one}")) for one in range(number)]
        say(line(kind, summary(found[kind])))
    return found


def missing(service, kind):
    if kind.startswith("disk") and not service.disk:
        return "this account may not mount a disk"
    if kind.startswith("clock") and not shutil.which("faketime"):
        return "the program faketime is missing"
    return ""


class World:
    """A dataset, two people with a judge each, and the answers of an undisturbed run."""

    def __init__(self, service):
        from tests.factories import make_dataset, make_judge, make_user

        self.service = service
        self.dataset = make_dataset(candidates=(CANDIDATES,) * CONTEXTS)
        self.small = make_dataset("Small", candidates=(3,))
        self.people = [make_user(name, "researcher") for name in ("rita", "carl")]
        self.judges = [
            make_judge(f"remote-{port}", model="judge", backend="openai", base_url=f"http://127.0.0.1:{port}/v1")
            for port in service.ports
        ]
        run = self.new_run(0)
        self.start(run)
        self.end(run)
        self.undisturbed = answers_of(run)

    def new_run(self, person):
        from tests.factories import make_run

        dataset = (self.dataset, self.small)[person]
        return make_run(dataset, judge=self.judges[person], owner=self.people[person])

    def start(self, run):
        from judging import tasks

        self.service.wait_until(lambda: tasks.start_run(run.pk) or True, what="the run is queued")

    def round(self, kind, chance):
        """Strike while both workers judge; at the same moment, the next person starts a run."""
        service = self.service
        if kind.startswith("clock"):
            service.kill(service.workers[0])
            service.start_worker(**wrong_clock(chance))
        service.renew_workers()
        run, next_run = self.new_run(0), self.new_run(1)
        service.questions[0].write_text("")
        started = time.monotonic()
        self.start(run)
        answered = run.comparisons.order_by().values("context").distinct()  # a chunk is a context
        service.wait_until(lambda: answered.count() == WORKERS, what="both workers judge")
        time.sleep(chance.uniform(0.2, 3.0))
        with ThreadPoolExecutor(1) as beside:
            next_seconds = beside.submit(self.seconds_to_begin, next_run)
            KINDS[kind](service, chance)
            service.renew_workers()
            resumed = self.end(run)
            seconds = time.monotonic() - started
        self.end(next_run)
        return Round(*self.compared(run), resumed, self.asked_twice(), seconds, next_seconds.result())

    def seconds_to_begin(self, run):
        """Start a run; return the seconds until its first answer is stored."""
        from django.db import connection

        started = time.monotonic()
        self.start(run)
        self.service.wait_until(run.comparisons.exists, what="the first answer of the next run")
        connection.close()
        return time.monotonic() - started

    def end(self, run):
        """Wait for the end of a run, and resume it once if it failed. Returns how often that was."""
        from judging.services.runs.run_lifecycle import resume

        for resumed in range(2):
            self.service.wait_until(partial(has_ended, run), what=f"the end of run {run.pk}")
            if run.status == "done":
                return resumed
            say(f"  run {run.pk}: {run.error}")
            resume(run)
            self.start(run)
        raise RuntimeError(f"run {run.pk} did not end: {run.error}")

    def compared(self, run):
        """Return how many comparisons are lost, doubled, and changed, with the tokens as one more of these."""
        planned = Counter(tuple(pair) for chunk in run.chunks.all() for pair in chunk.pairs)
        stored = Counter(run.comparisons.values_list("first", "second"))
        answers = answers_of(run)
        changed = sum(answers.get(one, value) != value for one, value in self.undisturbed.items())
        return (planned - stored).total(), (stored - planned).total(), changed

    def asked_twice(self):
        asked = Counter(self.service.questions[0].read_text().split())
        return asked.total() - len(asked)


def has_ended(run):
    run.refresh_from_db()
    return run.status in ("done", "failed")


def answers_of(run):
    """Return the answer to each pair, and what the run cost."""
    rows = run.comparisons.values_list("first", "second", "outcome", "p_first")
    return {(first, second): answer for first, second, *answer in rows} | {"tokens": run.prompt_tokens}


def summary(rounds):
    """Return the sums of what went wrong, and the middle and the most of the rest."""
    values = {name: [getattr(one, name) for one in rounds] for name in (*SUMS[1:], *SPREAD)}
    sums = {name: sum(values[name]) for name in SUMS[1:]}
    spread = {name: {"median": round(median(values[name]), 1), "most": round(max(values[name]), 1)} for name in SPREAD}
    return {"rounds": len(rounds)} | sums | spread


def line(kind, figures):
    spread = "".join(f"{one['median']:10.1f}{one['most']:7.1f}" for one in map(figures.get, SPREAD))
    return f"{kind:22}" + "".join(f"{figures[name]:9}" for name in SUMS) + spread


if __name__ == "__main__":
    main()
