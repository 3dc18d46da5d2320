"""Notes each look: figures of the test part of a dataset, shown by page, API or command."""

from collections.abc import Iterable
from contextvars import ContextVar

from judging.models import Run
from judging.models.looks import Look
from judging.services.activity import ASKER
from judging.services.full_disks import best_effort

SHOWN: ContextVar[tuple[str, set[int]] | None] = ContextVar("shown", default=None)
"""The door of the request or command that this thread answers, and the runs that it has shown."""


def note_looks(runs: Iterable[Run], *, figures: str) -> None:
    """Store that figures of runs on the test part are shown, once for each run in a request or command.

    Reading goes on where nothing can be stored.
    """
    door, shown = SHOWN.get() or (Look.Door.COMMAND.value, set())
    asker = ASKER.get()
    who = asker() if asker else None
    new = [run for run in runs if run.dataset.split and run.pk not in shown]
    with best_effort():
        Look.objects.bulk_create(
            Look(
                dataset_id=run.dataset_id,
                who=who,
                door=door,
                run=run.pk,
                judge=f"{run.judge.name}, {run.prompt_name}"[:500],
                figures=figures,
            )
            for run in new
        )
    shown.update(run.pk for run in new)
