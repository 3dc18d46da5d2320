"""The command that says what waits, and what each worker does."""

from collections.abc import Iterator
from typing import Any

from evenhand.report_json import as_json
from evenhand.units import counted, format_duration
from judging.management.operations.record import Operation
from judging.web.watching.workers import workers_report


def list_workers() -> dict[str, Any]:
    """List what waits in the queues, and what each worker does. Runs that nobody works on come first."""
    report: dict[str, Any] = as_json(workers_report())
    return report


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"Is anything waiting that nobody works on? {report['answer']}"
    for one in report["waiting"]:
        waits = f"{counted(one['chunks'], 'chunk')} for {format_duration(one['seconds'])}"
        yield f"run {one['run']}: {one['dataset']}, {one['judge']}: {waits}. {one['reason']}"
    for one in report["queues"]:
        yield f"queue {one['queue']}: {counted(one['chunks'], 'waiting chunk')}, {counted(one['workers'], 'worker')}"
    for one in report["workers"]:
        runs = ", ".join(f"run {run}" for run in one["runs"]) or "idle"
        holds = " or ".join(one["judges"]) or "no model"
        yield f"{one['name']}: {runs}; holds {holds}; {one['per_second']:.2g} answers a second"


WORKERS = Operation(list_workers, _lines, examples=("workers", "workers --json"))
