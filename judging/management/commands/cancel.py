"""`cancel`: stop a run and keep its answers."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_run
from judging.services.execution.endpoint_batches import cancel_run_batches
from judging.services.runs.run_lifecycle import cancel


class Command(EvenhandCommand):
    help = "Stop a run. Its answers are kept, and resume continues it."
    examples = (
        "cancel 7",
        "cancel 7 --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        run = get_run(options["run"])
        cancelled = cancel(run)
        cancel_run_batches(run)
        return {"run": run.pk, "cancelled": cancelled, "status": run.status}

    def show(self, result: dict[str, Any]) -> None:
        ending = "is cancelled" if result["cancelled"] else f"had already ended: {result['status']}"
        self.stdout.write(f"run {result['run']} {ending}")
