"""The command that cancels a run."""

from typing import Any

from judging.management.operations.record import Operation
from judging.models import Run
from judging.services.execution.endpoint_batches import cancel_run_batches
from judging.services.runs.run_lifecycle import cancel


def cancel_run(run: Run) -> dict[str, Any]:
    """Stop a run. Its answers are kept, and resume continues it."""
    cancelled = cancel(run)
    cancel_run_batches(run)
    return {"run": run.pk, "cancelled": cancelled, "status": run.status}


def _ending(result: dict[str, Any]) -> str:
    ending = "is cancelled" if result["cancelled"] else f"had already ended: {result['status']}"
    return f"run {result['run']} {ending}"


CANCEL = Operation(cancel_run, lambda result: [_ending(result)], examples=("cancel 7", "cancel 7 --json"), of="run")
