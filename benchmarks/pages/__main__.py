"""Measure the time and the bytes of the pages of results through Django's test client.

`python -m benchmarks.pages [SHAPE …] [--database URL] [--repeats 3] [--before FILE] [--output FILE]` makes datasets of
these shapes in a database, or uses those of an earlier call there again. Without --database or DATABASE_URL, the
database is SQLite in a temporary folder. Prints a table on standard error and writes one JSON document (default:
benchmarks/results/pages.json). --before: such a document of other code, for the ratio of its times to these.

Cold means an empty cache and nothing kept in memory, warm the same request once more. A switch is the page with one
changed control, after a warm request without it. "page" is the bytes of the page, compressed, and "first visit" those
with all its scripts and style sheets, plotly included. GOALS has what each should not exceed. Seconds are from start to
end, so the machine must be quiet. Pages are timed in this process, which has imported the code. "command" is
`report --json` in new processes with an empty cache.

The shapes are summaries (9 runs of 24,000 comparisons), verdicts (58 runs of the size of LLMBar), pairs and
pairs-100000 (contexts of two candidates, three runs), million (ten runs with a million comparisons together), and
answers (one run of a million comparisons).
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from benchmarks.pages.shapes import SHAPES, Shape, stored, study_of
from benchmarks.pages.wire import FIRST_VISIT_GOAL, LATER_PAGE_GOAL, wire_bytes
from benchmarks.report import as_command
from evalsite.memory import use_memory_well

if TYPE_CHECKING:
    from django.test import Client

RESULTS = Path(__file__).resolve().parents[1] / "results/pages.json"


@dataclass(frozen=True)
class Page:
    """A page and its address.

    of: what the address names. query: what the address asks for. switch: the same with one changed control, if
    measured. most_contexts: the page is not measured for datasets with more.
    """

    name: str
    address: str
    of: str = "dataset"
    query: str = ""
    switch: str = ""
    most_contexts: int | None = None


PAGES = (
    Page("results", "dataset-results", switch="ranking=win-ratio"),
    Page("study, accuracy", "study", of="study", query="figure=accuracy", switch="figure=accuracy&debias=yes"),
    Page("study, Spearman", "study", of="study", query="figure=spearman", switch="figure=spearman&ranking=win-ratio"),
    Page("comparison of runs", "dataset-compare", most_contexts=20_000),  # 10,000 permutations of all contexts
    Page("agreement", "dataset-agreement"),
    Page("results of a run", "run-results", of="run"),
    Page("diagnostics of a run", "run-diagnostics", of="run"),
    Page("answers of a run", "run-answers", of="run", switch="kind=wrong"),
)
TABLES = ("results", "study, accuracy", "study, Spearman")
GOALS = {
    "summaries": {name: {"cold": 0.8, "warm": 0.08, "switch": 0.08} for name in TABLES},
    "verdicts": {name: {"cold": 1.5} for name in TABLES},
    "pairs": {"results": {"cold": 2.0}, "agreement": {"cold": 2.0}, "diagnostics of a run": {"cold": 2.0}},
    "pairs-100000": {
        "results": {"cold": 3.0},
        "study, accuracy": {"cold": 3.0, "switch": 0.3},
        "study, Spearman": {"cold": 3.0, "switch": 0.3},
    },
    "million": {name: {"cold": 2.0} for name in (*TABLES, "command")},
    "answers": {"answers of a run": {"switch": 0.3}, "diagnostics of a run": {"cold": 3.0}},
}
"""Shape -> page -> the most seconds on two cores of a quiet machine."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"default: all of {', '.join(SHAPES)}")
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://… or sqlite:///…")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--before", type=Path, metavar="FILE")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE")
    options = parser.parse_args()
    before = json.loads(options.before.read_text()) if options.before else {"shapes": {}}
    use_memory_well()  # as the web process does, which also multiplies matrices in one thread
    with django_on(options.database), threadpool_limits(1):
        measured = {name: _measured(SHAPES[name], options.repeats) for name in options.shapes or SHAPES}
    document = {"shapes": measured, "machine": machine(("django", "numpy", "scipy"))}
    _print(measured, before["shapes"])
    options.output.write_text(json.dumps(document, indent=2) + "\n")


def _measured(shape: Shape, repeats: int) -> dict[str, Any]:
    """Return the size of a shape, and the seconds of each page: the median, the least and the most of the repeats."""
    from django.db import connection
    from django.urls import reverse

    say(f"{shape.name}: {shape.comparisons:,} comparisons of {shape.runs} runs on {shape.contexts:,} contexts")
    dataset, client = stored(shape), _signed_in_client()
    study = study_of(dataset)
    numbers = {"dataset": dataset.pk, "study": study.pk, "run": dataset.runs.earliest("pk").pk}
    measured = [page for page in PAGES if shape.contexts <= (page.most_contexts or shape.contexts)]
    addresses = {page.name: reverse(page.address, args=[numbers[page.of]]) for page in measured}
    pages = {
        page.name: {
            kind: _summary(times) for kind, times in _times(client, addresses[page.name], page, repeats).items()
        }
        for page in measured
    }
    commands = [as_command(dataset.name) for _ in range(repeats + 1)][1:]  # the first compiles
    pages["command"] = {"cold": _summary([command["command"] for command in commands])}
    return {
        "comparisons": shape.comparisons,
        "contexts": shape.contexts,
        "runs": shape.runs,
        "database": connection.vendor,
        "command_megabytes": max(command["megabytes"] for command in commands),
        "pages": pages,
        "bytes": {name: wire_bytes(client, address) for name, address in addresses.items()},
        "goals": GOALS[shape.name] | {"bytes": {"first visit": FIRST_VISIT_GOAL, "page": LATER_PAGE_GOAL}},
    }


def _times(client: Client, address: str, page: Page, repeats: int) -> dict[str, list[float]]:
    """Return the seconds of a page: cold, warm, and after a switch."""
    from rankings.loading.run_answers import forget_rows
    from rankings.report_cache import forget_figures

    request = partial(_seconds, client)
    usual, switched = f"{address}?{page.query}", f"{address}?{page.switch}"
    for one in (usual, switched):  # the first compiles templates
        request(one)
    seconds: dict[str, list[float]] = {"cold": [], "warm": []} | ({"switch": []} if page.switch else {})
    for _ in range(repeats):
        forget_figures()
        forget_rows()
        seconds["cold"].append(request(usual))
        seconds["warm"].append(request(usual))
        if page.switch:
            seconds["switch"].append(request(switched))
    return seconds


def _signed_in_client() -> Client:
    """Return a test client of a researcher."""
    from django.test import Client

    from judging.models import User

    researcher, _ = User.objects.get_or_create(username="benchmark", defaults={"is_superuser": True})
    client = Client(SERVER_NAME="localhost")
    client.force_login(researcher)
    return client


def _seconds(client: Client, address: str) -> float:
    started = time.perf_counter()
    response = client.get(address)
    seconds = time.perf_counter() - started
    if response.status_code != 200:
        raise SystemExit(f"{address} answers {response.status_code}")
    return seconds


def _summary(times: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(times), "low": min(times), "high": max(times)}


def _print(shapes: dict[str, Any], before: dict[str, Any]) -> None:
    """Print the medians of each page, and their ratios to those of other code."""
    for name, measured in shapes.items():
        earlier = before.get(name, {}).get("pages", {})
        say(f"{name}, seconds{', and how many times longer before' if earlier else ''}")
        for page, kinds in measured["pages"].items():
            say(f"  {page:24}" + "".join(_cell(kind, kinds, earlier.get(page, {})) for kind in kinds))
        for page, sizes in measured["bytes"].items():
            say(f"  {page:24}" + "".join(f"{kind} {size / 1000:7.1f} kB   " for kind, size in sizes.items()))


def _cell(kind: str, now: dict[str, Any], before: dict[str, Any]) -> str:
    seconds = now[kind]["median"]
    ratio = f" (x{before[kind]['median'] / seconds:.1f})" if kind in before else ""
    return f"{kind} {seconds:7.3f}{ratio:10}"


if __name__ == "__main__":
    main()
