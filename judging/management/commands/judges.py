"""`judges`: list the judges."""

from typing import Any

from django.db.models import Count

from judging.management.evenhand_command import EvenhandCommand
from judging.models import Judge

SHOWN_FIELDS = ("backend", "model", "revision", "dtype", "device", "base_url", "api_key_env")


class Command(EvenhandCommand):
    help = "List the judges with their settings and their number of runs."
    examples = ("judges", "judges --json")

    def run(self, options: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
        judges = Judge.objects.annotate(run_count=Count("runs")).order_by("name")
        return {
            "judges": [
                {"judge": judge.name, "retired": judge.is_retired, "runs": judge.run_count}
                | {name: getattr(judge, name) for name in SHOWN_FIELDS}
                for judge in judges
            ]
        }

    def show(self, result: dict[str, list[dict[str, Any]]]) -> None:
        for row in result["judges"]:
            state = ", retired" if row["retired"] else ""
            self.stdout.write(f"{row['judge']}: {row['backend']} {row['model']}, {row['runs']} runs{state}")
