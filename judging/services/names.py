"""Names of datasets, judges, studies and campaigns: one of each for an owner, so that none tells of a hidden thing."""

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from django.db.models import Q, QuerySet

from evenhand.refusals import Refused, did_you_mean, not_free
from judging.models import Campaign, Dataset, Judge, Study, User

Named = TypeVar("Named", Campaign, Dataset, Judge, Study)
NAMES_LISTED = 20
ID_DIGITS = 18  # every database takes them


def seen_by(user: User | None, kind: type[Named]) -> "QuerySet[Named]":
    """Return the rows that a person may see. user: None for the command line, which sees all."""
    return kind._default_manager.all() if user is None else kind.objects.visible_to(user)


def name_problems(kind: type[Named], name: str, owner: User | None) -> list[str]:
    """Return the problem of a name for a new row: its owner has or sees one of that name. What is hidden is free.

    For a row without an owner only those without one count: what people call their own is in nobody's way.
    """
    known = Q(**{kind.OWNER: owner})
    if owner is not None:
        known |= Q(pk__in=seen_by(owner, kind).values("pk"))
    return [not_free(name)] if kind._default_manager.filter(known, _named(name)).exists() else []


def _named(name: str) -> Q:
    """Match the row of a name, and that of NAME#NUMBER."""
    bare, _, number = name.rpartition("#")
    is_number = number.isdecimal() and len(number) <= ID_DIGITS
    return Q(name=name) | Q(name=bare, pk=number) if is_number else Q(name=name)


def row_of_name(rows: "QuerySet[Named]", name: str, user: User | None) -> Named | None:
    """Return the row of a name, or of NAME#NUMBER; of several the person's own. user: None for the command line.

    rows: those that the person may see. Raises Refused if several are left.
    """
    owner = rows.model.OWNER
    found = list(rows.filter(_named(name)).select_related(owner).order_by("pk"))
    own = [row for row in found if getattr(row, f"{owner}_id") == (user and user.pk)]
    if len(left := own or found) > 1:
        each = ", ".join(f"{row.name}#{row.pk} (of {getattr(row, owner) or 'nobody'})" for row in left[:NAMES_LISTED])
        raise Refused(f'{rows.model._meta.verbose_name}: {len(left)} are called "{name}" — write one of: {each}')
    return next(iter(left), None)


def named_row(kind: type[Named], name: str | int, user: User | None) -> Named:
    """Return the row of a name, as `row_of_name` does, or of a number in a plan. Raises Refused if there is none."""
    rows, noun = seen_by(user, kind), kind._meta.verbose_name
    if isinstance(name, int):
        if row := rows.filter(pk=name).first():
            return row
        raise Refused(f"{noun}: number {name} was deleted, or you may not see it; plan a new study without it")
    if row := row_of_name(rows, name, user):
        return row
    known = list(rows.values_list("name", flat=True))
    most = f"{', '.join(known[:NAMES_LISTED])}{' …' * (len(known) > NAMES_LISTED)}"
    listed = (f"; there are: {most}" if known else "; there are none yet") if user is None else ""
    raise Refused(f'{noun}: there is no "{name}"{did_you_mean(name, known)}{listed}')


def labels(rows: Iterable[Named]) -> dict[int, str]:
    """Return number of a row -> its name, with the number where another of these rows has the same name."""
    names = {row.pk: row.name for row in rows}
    times = Counter(names.values())
    return {pk: f"{name}#{pk}" if times[name] > 1 else name for pk, name in names.items()}
