"""The commands that list and cancel runs."""

from __future__ import annotations

from typing import Annotated, Any

from evenhand.options import Option
from judging.management.operations.record import Operation
from judging.management.rows_by_name import get_dataset
from judging.management.run_rows import RunRow, describe_run, make_run_row
from judging.models import Run
from judging.services.execution.endpoint_batches import cancel_run_batches
from judging.services.runs.run_lifecycle import cancel


def list_runs(
    *, dataset: Annotated[str | None, Option("Only the runs on this dataset, by its name.")] = None
) -> dict[str, Any]:
    """List the runs, the latest first."""
    runs = Run.objects.select_related("dataset", "attribute", "judge")
    return {"runs": [_row(run) for run in (runs.filter(dataset=get_dataset(dataset)) if dataset else runs)]}


def cancel_run(run: Run) -> dict[str, Any]:
    """Stop a run. Its answers are kept, and resume continues it."""
    cancelled = cancel(run)
    cancel_run_batches(run)
    return {"run": run.pk, "cancelled": cancelled, "status": run.status}


def _row(run: Run) -> RunRow:
    return make_run_row(run) | {
        "dataset": run.dataset.name,
        "status": run.status,
        "planned": run.planned,
        "selection": run.selection_name,
        **run.exclusion.spec(),
        "error": run.error,
        "created": run.created_at.isoformat(),
    }


def _listed(row: RunRow) -> str:
    return f"{row['status']:9} {row['dataset']}: {describe_run(row)}"


def _ending(result: dict[str, Any]) -> str:
    ending = "is cancelled" if result["cancelled"] else f"had already ended: {result['status']}"
    return f"run {result['run']} {ending}"


RUNS = Operation(
    list_runs, lambda result: map(_listed, result["runs"]), examples=("runs --dataset SummEval", "runs --json")
)
CANCEL = Operation(cancel_run, lambda result: [_ending(result)], examples=("cancel 7", "cancel 7 --json"), of="run")
