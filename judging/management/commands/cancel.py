"""`cancel`: stop a run and keep its answers."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_run
from judging.models import Run
from judging.services.runs.run_lifecycle import cancel


class Command(EvenhandCommand):
    help = "Stop a run. Its answers are kept, and resume continues it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")

    def run(self, options: dict[str, Any]) -> tuple[Run, bool]:
        run = get_run(options["run"])
        return run, cancel(run)

    def show(self, result: tuple[Run, bool]) -> None:
        run, was_active = result
        self.stdout.write(f"{run} is cancelled" if was_active else f"{run} had already ended: {run.status}")
