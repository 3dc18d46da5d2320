"""The command that lists judges."""

from typing import Any

from django.db.models import Count

from judging.management.operations.record import Operation
from judging.models import Judge

SHOWN_FIELDS = ("backend", "model", "revision", "dtype", "device", "base_url", "api_key_env")


def list_judges() -> dict[str, Any]:
    """List the judges with their settings and their number of runs."""
    judges = Judge.objects.annotate(run_count=Count("runs")).order_by("name", "pk")
    return {
        "judges": [
            {"judge": judge.name, "retired": judge.is_retired, "runs": judge.run_count}
            | {name: getattr(judge, name) for name in SHOWN_FIELDS}
            for judge in judges
        ]
    }


def _listed(row: dict[str, Any]) -> str:
    return f"{row['judge']}: {row['backend']} {row['model']}, {row['runs']} runs{', retired' * row['retired']}"


JUDGES = Operation(list_judges, lambda result: map(_listed, result["judges"]), examples=("judges", "judges --json"))
