"""Simulate many workers that share one database: `python -m benchmarks.queue_simulation`.

Each worker takes a chunk, judges it in slices, and stores each slice. The database serves a few connections at once.
What it needs for a row was measured (benchmarks/results/writing-postgresql.json); what it needs for a claim and a
heartbeat is assumed. "busy" is the share of a worker's time that it judges: what the database lets it keep.

Then a short run comes while a long one fills the queue. With priorities, as `send_work` gives them, its first chunk
goes before the later ones of the long run; without, behind all of them.

Prints tables on standard error and writes benchmarks/results/queue.json.
"""

import argparse
import heapq
import json
import random
from pathlib import Path

from benchmarks.machine import say

RESULTS = Path(__file__).resolve().parent / "results"
SLICE_SECONDS, BEAT_SECONDS = 2.0, 2.0


class Database:
    """A number of connections that work at once. A request takes the first that is free."""

    def __init__(self, connections: int) -> None:
        self._free_at = [0.0] * connections

    def serve(self, now: float, seconds: float) -> float:
        """Return when a request ends that comes now."""
        ends = max(now, heapq.heappop(self._free_at)) + seconds
        heapq.heappush(self._free_at, ends)
        return ends


def share_of_judging(workers: int, options: argparse.Namespace, rng: random.Random) -> float:
    """Return the share of all workers' time in which they judge, over some minutes."""
    database, judged = Database(options.connections), 0.0
    slices = max(1, round(options.chunk / (options.rate * SLICE_SECONDS)))
    rows = options.chunk / slices
    # when a worker comes to the database, its number, the slices left of its chunk, and what it has to store
    coming = [(rng.uniform(0, SLICE_SECONDS), number, 0, 0.0) for number in range(workers)]
    heapq.heapify(coming)
    while coming[0][0] < options.seconds:
        now, number, left, cost = heapq.heappop(coming)
        served = database.serve(now, cost if left else cost + options.claim)
        seconds = rows / options.rate * rng.uniform(0.8, 1.2)
        judged += seconds
        to_store = rows * options.row + options.beat * seconds / BEAT_SECONDS
        heapq.heappush(coming, (served + seconds, number, (left or slices) - 1, to_store))
    return judged / (workers * options.seconds)


def wait_of_a_short_run(workers: int, chunks: int, chunk_seconds: float, *, with_priority: bool) -> float:
    """Return the seconds until a short run begins that comes amid a long one of so many chunks."""
    rng = random.Random(0)
    free_at = sorted(rng.uniform(0, chunk_seconds) for _ in range(workers))
    if with_priority:
        return free_at[0]
    for _ in range(chunks):
        heapq.heapreplace(free_at, free_at[0] + chunk_seconds * rng.uniform(0.8, 1.2))
    return free_at[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=450.0, help="answers per second of a worker")
    parser.add_argument("--chunk", type=int, default=240, help="comparisons of a chunk")
    parser.add_argument("--claim", type=float, default=0.01, help="seconds of the database for a chunk")
    parser.add_argument("--row", type=float, default=2.5e-5, help="seconds of the database for a row")
    parser.add_argument("--beat", type=float, default=0.002, help="seconds of the database for a heartbeat")
    parser.add_argument("--connections", type=int, default=4, help="that the database serves at once: its cores")
    parser.add_argument("--seconds", type=float, default=300.0)
    options = parser.parse_args()
    document = {"options": vars(options), "workers": judging_lines(options), "waits": waiting_lines()}
    (RESULTS / "queue.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def judging_lines(options: argparse.Namespace) -> list[dict[str, float]]:
    say(f"{'workers':>8}{'busy':>8}{'answers a second':>18}")
    lines = []
    for workers in (1, 10, 30, 100, 200, 300, 1000):
        busy = share_of_judging(workers, options, random.Random(workers))
        lines.append({"workers": workers, "busy": busy, "per_second": workers * busy * options.rate})
        say(f"{workers:>8}{busy:>8.0%}{lines[-1]['per_second']:>18,.0f}")
    return lines


def waiting_lines() -> list[dict[str, float]]:
    say(f"{'workers':>8}{'with priorities':>18}{'without':>10}")
    lines = []
    for workers in (1, 10, 100):
        first, last = (wait_of_a_short_run(workers, 10_000, 30.0, with_priority=one) for one in (True, False))
        lines.append({"workers": workers, "with_priorities": first, "without": last})
        say(f"{workers:>8}{first:>16.1f} s{last:>8,.0f} s")
    return lines


if __name__ == "__main__":
    main()
