"""The commands that list, rename and retire judges."""

from typing import Annotated, Any

from django.db.models import Count

from evenhand.options import Option
from judging.management.operations.record import Operation
from judging.models import Judge
from judging.services.judges.judge_changes import rename_judge, retire_judge

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


def rename(judge: Judge, **chosen: Any) -> dict[str, str]:  # noqa: ANN401 - options of the service
    """Give a judge another name, also in the reports of its runs."""
    before = judge.name
    rename_judge(judge, **chosen)
    return {"judge": judge.name, "before": before}


def retire(judge: Judge, *, undo: Annotated[bool, Option("Bring the judge back into use.")] = False) -> dict[str, Any]:
    """Take a judge out of use: it takes no new runs and is offered nowhere. Its runs and their results stay."""
    retire_judge(judge, retired=not undo)
    return {"judge": judge.name, "retired": judge.is_retired}


def _listed(row: dict[str, Any]) -> str:
    return f"{row['judge']}: {row['backend']} {row['model']}, {row['runs']} runs{', retired' * row['retired']}"


JUDGES = Operation(list_judges, lambda result: map(_listed, result["judges"]), examples=("judges", "judges --json"))
RENAME_JUDGE = Operation(
    rename,
    lambda result: [f'judge "{result["before"]}" is now called "{result["judge"]}"'],
    examples=("rename_judge flan flan-t5-xl", "rename_judge gpt gpt-4o-2024-08-06 --json"),
    of="judge",
    services=(rename_judge,),
    placed=("name",),
)
RETIRE_JUDGE = Operation(
    retire,
    lambda result: [f'judge "{result["judge"]}" is {"retired" if result["retired"] else "in use"}'],
    examples=("retire_judge flan", "retire_judge flan --undo"),
    of="judge",
)
