"""`cancel`: stop a run; what it has answered stays."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.base import EvenhandCommand
from judging.management.rows_by_name import find_run
from judging.models import Run
from judging.services.runs.run_lifecycle import cancel


class Command(EvenhandCommand):
    help = "Stop a run. What it has answered stays, and resume goes on from there."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")

    def run(self, options: dict[str, Any]) -> tuple[Run, bool]:
        run = find_run(options["run"])
        return run, cancel(run)

    def show(self, result: tuple[Run, bool]) -> None:
        run, was_active = result
        self.stdout.write(f"{run} is cancelled" if was_active else f"{run} had ended: {run.status}")
