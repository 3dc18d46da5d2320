"""The commands that list campaigns, runs and activity, without loading what changes them."""

from typing import Annotated, Any

from evenhand.options import Option
from judging.management.campaign_rows import campaign_row
from judging.management.operations.record import Operation
from judging.management.rows_by_name import get_dataset
from judging.management.run_rows import RunRow, describe_run, make_run_row
from judging.models import Act, Activity, Campaign, Run


def list_campaigns() -> dict[str, Any]:
    """List the campaigns with their state, their deadline and the votes so far."""
    campaigns = Campaign.objects.with_progress().select_related("dataset").prefetch_related("asked_attributes")
    return {"campaigns": [campaign_row(campaign) for campaign in campaigns]}


def list_runs(
    *, dataset: Annotated[str | None, Option("Only the runs on this dataset, by its name.", if_none="all")] = None
) -> dict[str, Any]:
    """List the runs, the latest first."""
    runs = Run.objects.select_related("dataset", "attribute", "judge")
    return {"runs": [_run(run) for run in (runs.filter(dataset=get_dataset(dataset)) if dataset else runs)]}


def list_activity(
    *,
    text: Annotated[str | None, Option("Words in the name of the account or of the thing.", if_none="all")] = None,
    action: Annotated[str | None, Option("Only this action.", choices=dict(Act.choices), if_none="all")] = None,
) -> dict[str, Any]:
    """List who did what, the latest first."""
    lines = Activity.objects.matching(text or "", action=action or "")
    return {
        "activity": [
            {"at": one.at.isoformat(), "who": one.who_name, "action": one.action, "on": one.on} for one in lines
        ]
    }


def _listed_campaign(row: dict[str, Any]) -> str:
    deadline = f", until {row['deadline']}" if row["deadline"] else ""
    votes = f"{row['votes']} of {row['votes_planned']} votes"
    return f"{row['campaign']}: {', '.join((row['dataset'], *row['attributes']))}; {row['state']}{deadline}; {votes}"


def _run(run: Run) -> RunRow:
    return make_run_row(run) | {
        "dataset": run.dataset.name,
        "status": run.status,
        "planned": run.planned,
        "selection": run.selection_name,
        **run.exclusion.spec(),
        "error": run.error,
        "created": run.created_at.isoformat(),
    }


def _listed_run(row: RunRow) -> str:
    return f"{row['status']:9} {row['dataset']}: {describe_run(row)}"


CAMPAIGNS = Operation(
    list_campaigns,
    lambda result: map(_listed_campaign, result["campaigns"]),
    examples=("campaigns", "campaigns --json"),
)
RUNS = Operation(
    list_runs, lambda result: map(_listed_run, result["runs"]), examples=("runs --dataset SummEval", "runs --json")
)
ACTIVITY = Operation(
    list_activity,
    lambda result: (f"{one['at'][:19]} {one['who']}: {one['action']} {one['on']}" for one in result["activity"]),
    examples=("activity --action download", "activity --text olaf --json"),
)
