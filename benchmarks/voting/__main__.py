"""Measure the voting pages while many annotators vote at once, through gunicorn and the real pages.

`python -m benchmarks.voting [--people 100] [--pairs 10000] [--attributes 1] [--seconds 120] [--pace 20] [--readers 0]
[--runs 0]` makes a campaign, starts the web server as `serve` does (2 processes of 8 threads), and lets Locust's users
sign in and vote every PACE seconds. Measuring begins once everybody has voted. --readers: so many researchers also open
pages of a million comparisons as often. --runs: so many runs of the demo's judge wait for a worker, which judges them
one after the other. Without --database or DATABASE_URL, the database is SQLite in a temporary folder. `python -m
tests.servers python -m benchmarks.voting` gives it a PostgreSQL, whose commits do not wait for the disk.

Prints a table on standard error and writes one JSON document. It ends with an error if a page failed, if the votes
stored are not exactly those that annotators gave, or if the memory of a process grew by more than GROWTH in half an
hour. Milliseconds are those that an annotator waits. The server, the database and Locust share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

import psutil

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from benchmarks.voting.busy_campaign import (
    VOTING,
    check_votes,
    count_answers,
    make_campaign,
    make_pages,
    make_runs,
)
from tests.servers import free_port

GOAL, GOAL_BESIDE_READERS, GOAL_OF_READERS = 200, 300, 500  # milliseconds, for 95 of 100 requests
GROWTH, SOAK_SECONDS = 0.05, 1800  # of memory, in a measuring that lasts so long
SAMPLE_SECONDS = 10
RESULTS = Path(__file__).resolve().parents[1] / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100, help="annotators at once")
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--attributes", type=int, default=1, help="asked about each pair, one after the other")
    parser.add_argument("--seconds", type=int, default=120, help="duration of measuring")
    parser.add_argument("--pace", type=float, default=20, metavar="SECONDS", help="between two votes of one annotator")
    parser.add_argument("--readers", type=int, default=0, help="researchers at once")
    parser.add_argument("--runs", type=int, default=0, help="runs that a worker judges meanwhile")
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://… or sqlite:///…")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: benchmarks/results/voting-DATABASE.json")
    options = parser.parse_args()
    with django_on(options.database):
        document = _measured(options)
    output = options.output or RESULTS / f"voting-{document['database']}.json"
    output.write_text(json.dumps(document, indent=2) + "\n")
    _print(document)
    if document["problems"]:
        raise SystemExit("\n".join(document["problems"]))


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    from django.db import connection

    campaign = make_campaign(options.people, options.pairs, options.attributes)
    pages = make_pages(options.readers) if options.readers else []
    make_runs(options.runs)
    connection.close()
    with ExitStack() as servers:
        host, server = servers.enter_context(_running_server())
        processes = {"web": server}
        if options.runs:
            processes["worker"] = servers.enter_context(_running_worker())
        samples = servers.enter_context(_watched(processes))
        voting = _vote(host, campaign, pages, options)
    memory = _memory(samples, options.seconds)
    grown = [name for name, one in memory.items() if one["last"] > (1 + GROWTH) * one["first"]]
    return {
        "database": connection.vendor,
        "people": options.people,
        "readers": options.readers,
        "answers": count_answers(),
        "pairs": options.pairs,
        "attributes": options.attributes,
        "seconds": options.seconds,
        "pace": options.pace,
        "milliseconds": voting["milliseconds"],
        "votes": voting["votes"],
        "megabytes": memory,
        "problems": [
            *voting["failures"],
            *check_votes(campaign, voting["votes"]),
            *(f"the memory of {name} grew" for name in grown if options.seconds >= SOAK_SECONDS),
        ],
        "load": round(os.getloadavg()[0], 2),
        "machine": machine(("django", "gunicorn", "waitress", "locust", "psycopg")),
    }


@contextmanager
def _running_server() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start the web server and yield its address and process."""
    port = free_port()
    server = subprocess.Popen([sys.executable, "manage.py", "serve", "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        host = f"http://127.0.0.1:{port}"
        _wait_for(f"{host}/healthz", server)
        yield host, server
    finally:
        server.terminate()
        server.wait(30)


@contextmanager
def _running_worker() -> Iterator[subprocess.Popen[bytes]]:
    """Start a worker, which judges the runs that wait."""
    worker = subprocess.Popen([sys.executable, "manage.py", "worker"], stderr=subprocess.DEVNULL)
    try:
        yield worker
    finally:
        worker.terminate()
        worker.wait(60)


@contextmanager
def _watched(processes: dict[str, subprocess.Popen[bytes]]) -> Iterator[dict[str, list[int]]]:
    """Yield the bytes of processes, and of those that they started, which are noted every SAMPLE_SECONDS."""
    samples, ended = dict[str, list[int]](), threading.Event()

    def note() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            for name, process in processes.items():
                parent = psutil.Process(process.pid)
                for number, one in enumerate([parent, *parent.children()]):
                    samples.setdefault(f"{name} {number}", []).append(one.memory_info().rss)

    watch = threading.Thread(target=note)
    watch.start()
    try:
        yield samples
    finally:
        ended.set()
        watch.join()


def _memory(samples: dict[str, list[int]], seconds: int) -> dict[str, dict[str, int]]:
    """Return the megabytes of each process in the first and in the last fifth of the measuring."""
    fifth = max(1, seconds // SAMPLE_SECONDS // 5)
    measured = {name: values[-5 * fifth :] for name, values in samples.items()}
    return {
        name: {"first": round(median(values[:fifth]) / 2**20), "last": round(median(values[-fifth:]) / 2**20)}
        for name, values in measured.items()
    }


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise SystemExit(f"the server ended with status {server.returncode}")
        try:
            urlopen(address, timeout=30).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the server does not answer")


def _vote(host: str, campaign: int, pages: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Let annotators vote and researchers read. Returns milliseconds of requests, the number of votes, and failures."""
    with tempfile.NamedTemporaryFile(suffix=".json") as results:
        subprocess.run(
            [
                *(sys.executable, "-m", "locust", "-f", str(Path(__file__).with_name("annotators.py"))),
                *("--headless", "--only-summary", "--host", host, "--stop-timeout", "30"),
                *("--users", str(options.people + options.readers), "--spawn-rate", "2"),  # a password takes a while
                *("--campaign", str(campaign), "--pace", str(options.pace)),
                *("--readers", str(options.readers), "--pages", ",".join(pages)),
                *("--measured-seconds", str(options.seconds), "--results", results.name),
            ],
            stdout=sys.stderr,
            check=False,
        )
        return json.loads(Path(results.name).read_text())


def _print(document: dict[str, Any]) -> None:
    head = f"{document['people']} annotators, {document['pairs']:,} pairs, {document['votes']} votes"
    say(f"{document['database']}: {head}, load {document['load']}")
    if document["readers"] or document["answers"]:
        say(f"beside {document['readers']} researchers and runs with {document['answers']:,} answers")
    of_votes = GOAL_BESIDE_READERS if document["readers"] else GOAL
    for request, times in document["milliseconds"].items():
        goal = of_votes if request in VOTING else GOAL_OF_READERS
        late = "" if times["p95"] < goal else f"   above the goal of {goal}"
        say(f"  {request:40} median {times['p50']:6.0f} ms   p95 {times['p95']:6.0f} ms   n {times['n']}{late}")
    for name, megabytes in document["megabytes"].items():
        say(f"  {name:40} {megabytes['first']} MB at first, {megabytes['last']} MB at last")


if __name__ == "__main__":
    main()
