"""Notes who did what, and each look: figures of the test part of a dataset, shown by page, API or command.

A service that changes shared things is marked with `noted`; downloads and sign-ins call `note`.
"""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import transaction
from django.db.models import Model, prefetch_related_objects

from judging.models import Run, User
from judging.models.activity_and_looks import Act, Activity, Look
from judging.services.full_disks import best_effort

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_ON = 300

ASKER: ContextVar[Callable[[], User | None] | None] = ContextVar("asker", default=None)
"""Returns the person whose request this thread answers, or None for a visitor. No function: a command."""
_inside: ContextVar[bool] = ContextVar("inside", default=False)


def note(action: Act, on: str, *, who: User | None = None) -> None:
    """Store an action. who: default: the person whose request is answered."""
    asker = ASKER.get()
    person = who or (asker and asker())
    Activity.objects.create(who=person, by_command=asker is None and person is None, action=action, on=on[:LONGEST_ON])


def noted(
    action: Act, *, on: str = "", what: str = "", returned: bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a service: it and the line about it are one transaction. Downloads change nothing, and have none.

    It is on the first argument, or on the row that the service returns. on: name of an argument, or of a field of the
    first one. what: added to the row; names of arguments stand in braces. A service that answers False did nothing.
    Services inside of services leave no line.
    """

    def decorate(service: Callable[P, T]) -> Callable[P, T]:
        @wraps(service)
        def noting(*args: P.args, **kwargs: P.kwargs) -> T:
            if _inside.get():
                return service(*args, **kwargs)
            given = [*args, *kwargs.values()]
            row = "" if returned else describe_row(kwargs[on] if on in kwargs else getattr(given[0], on, given[0]))
            token = _inside.set(True)
            try:
                result = service(*args, **kwargs)
            finally:
                _inside.reset(token)
            if result is not False:
                note(action, ": ".join(filter(None, (row or describe_row(result), what.format(**kwargs)))))
            return result

        return noting if action == Act.DOWNLOAD else transaction.atomic(noting)

    return decorate


def describe_row(row: object) -> str:
    """Return kind, number and name of a row. Accounts and runs have their number alone."""
    if not isinstance(row, Model):
        return str(row)
    if isinstance(row, User):
        return f"account {row.pk}"
    noun = f"{row._meta.verbose_name} {row.pk}"
    return noun if isinstance(row, Run) else f'{noun} "{row}"'


SHOWN: ContextVar[tuple[str, set[int]] | None] = ContextVar("shown", default=None)
"""The door of the request or command that this thread answers, and the runs that it has shown."""


def note_looks(runs: Iterable[Run], *, figures: str, on_test: bool) -> None:
    """Store that figures of runs on the test part are shown, once for each run in a request or command.

    on_test: the figures are of the test part; else only those of runs that ask this part alone.
    Reading goes on where nothing can be stored.
    """
    door, shown = SHOWN.get() or (Look.Door.COMMAND.value, set())
    others = [run for run in runs if run.pk not in shown]
    prefetch_related_objects(others, "dataset")
    new = [run for run in others if run.dataset.split and (on_test or run.asks_test_alone)]
    if not new:
        return
    asker = ASKER.get()
    who = asker() if asker else None
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
