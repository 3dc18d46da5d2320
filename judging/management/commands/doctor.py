"""`doctor`: check what an installation needs."""

from typing import Any

from judging.management.evenhand_command import EvenhandCommand
from judging.web.watching.readiness import OK, readiness


class Command(EvenhandCommand):
    help = (
        "Check settings, database, schema, broker, workers, GPU, disk, mail and clocks: for each `ok`, or what to do. "
        "The exit status is 1 if something is wrong."
    )
    examples = ("doctor", "doctor --json")

    def run(self, options: dict[str, Any]) -> dict[str, str]:
        return readiness(thorough=True)

    def show(self, result: dict[str, str]) -> None:
        for part, state in result.items():
            self.stdout.write(f"{part}: {state}")

    def status_of(self, result: dict[str, str]) -> int:
        return int(set(result.values()) != {OK})
