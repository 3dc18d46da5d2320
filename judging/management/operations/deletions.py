"""The commands that delete a dataset, a run, a judge or an account."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any

from evenhand.report_json import as_json
from judging.management.operations.record import Operation
from judging.models import Dataset, Judge, Run, User
from judging.services.deletion.account_deletion import delete_account
from judging.services.deletion.row_deletion import CONFIRMED
from judging.web.operations.deletable_rows import DELETABLE_KINDS

Confirmed = Annotated[str | None, replace(CONFIRMED, help="Its name, to delete it. Without: only list what goes.")]


def delete_dataset(dataset: Dataset, *, name: Confirmed = None) -> dict[str, Any]:
    """List what goes with a dataset: its runs, campaigns, votes and frozen reports. With --confirm, delete all."""
    return _deleted("dataset", dataset, name)


def delete_run(run: Run, *, name: Confirmed = None) -> dict[str, Any]:
    """List what goes with a run: its answers, and frozen reports that show it. With --confirm, delete all."""
    return _deleted("run", run, name)


def delete_judge(judge: Judge, *, name: Confirmed = None) -> dict[str, Any]:
    """List what goes with a judge: its runs and its texts. With --confirm, delete all."""
    return _deleted("judge", judge, name)


def delete_person(account: User, *, name: Confirmed = None, **chosen: Any) -> dict[str, Any]:  # noqa: ANN401
    """List what is stored of a person. With --confirm, erase the name; with --answers, the votes too."""
    return _deleted("account", account, name, **chosen)


def _deleted(noun: str, row: object, name: str | None, **chosen: Any) -> dict[str, Any]:  # noqa: ANN401
    kind = DELETABLE_KINDS[noun]
    deletion = kind.deletion_of(row) if name is None else kind.delete(row, name=name, **chosen)
    return {**as_json(deletion), "deleted": name is not None}


def _listed(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['name']} {'is deleted, with' if result['deleted'] else 'would go with'}"
    yield from (f"  {number:,} {kind}" for kind, number in result["goes"].items())


def _operation(function: Callable[..., Any], noun: str, *examples: str, **fields: Any) -> Operation:  # noqa: ANN401
    return Operation(function, _listed, examples, of=noun, notes=_notes, **fields)


def _notes(result: dict[str, Any]) -> list[str]:
    return [] if result["deleted"] else [*result["obstacles"], *result["remarks"]]


DELETE_DATASET = _operation(
    delete_dataset, "dataset", "delete_dataset LLMBar", "delete_dataset LLMBar --confirm LLMBar"
)
DELETE_RUN = _operation(delete_run, "run", "delete_run 7", 'delete_run 7 --confirm "run 7"')
DELETE_JUDGE = _operation(delete_judge, "judge", "delete_judge flan", "delete_judge flan --confirm flan --json")
DELETE_ACCOUNT = _operation(
    *(delete_person, "account", "delete_account ann", "delete_account ann --confirm ann --answers"),
    services=(delete_account,),
)
