"""Deleting a dataset, a run or a judge with everything that rests on it, in one transaction."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from django.core.cache import cache
from django.db import IntegrityError, connection, transaction
from django.db.models import CASCADE, PROTECT, SET_NULL, Exists, F, Model, OuterRef, Q, QuerySet
from django.db.models.deletion import get_candidate_relations_to_delete
from django.db.models.functions import Coalesce

from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Help
from evenhand.units import counted
from judging.models import (
    ACTIVE_STATUSES,
    Campaign,
    Chunk,
    Criteria,
    Dataset,
    EndpointBatch,
    Enrolment,
    FrozenReport,
    Judge,
    Reasoning,
    Run,
    User,
)
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.campaigns.campaign_states import wait_for_answers
from judging.services.judges.judge_changes import SHIPPED

Deletable: TypeAlias = Dataset | Run | Judge
Going: TypeAlias = dict[type[Model], QuerySet[Any]]
OWNERS = {Run: "owner", Campaign: "created_by", FrozenReport: "owner"}
"""Tables whose rows are work of a person."""
TEXT_PLACES = {Reasoning: "candidate__context__dataset", Criteria: "context__dataset"}
CONFIRMED = Option(
    "The name, to confirm it. Nothing brings back what is deleted.", "Name", argument="confirm", longest=200
)


@dataclass(frozen=True)
class Deletion:
    """Rows that are deleted together."""

    name: Annotated[str, Help("What to send as `name`, to delete it.")]
    goes: Annotated[dict[str, int], Help("Kind of row -> its number.")]
    of_others: Annotated[dict[str, int], Help("Kind of row -> the number that other people made.")]
    remarks: Annotated[list[str], Help("What to do or to know before.")]
    obstacles: Annotated[list[str], Help("Why it cannot be deleted now; empty if it can.")]


def may_delete(row: Deletable, user: User) -> bool:
    """True for admins and its owner."""
    return user.is_admin or (user.is_researcher and row.owner_id == user.pk)


def deletion_of(row: Deletable, user: User | None = None) -> Deletion:
    """Return what would be deleted with a row. user: who asks; None for the command line."""
    going = rows_going(row)
    counts = count_by_kind(going)
    of_others = count_by_kind({table: _of_others(going, table, user) for table in OWNERS})
    obstacles = [*_obstacles(row, going, of_others, user)]
    return Deletion(str(row), counts, of_others, [*_remarks(going, counts, user)], obstacles)


@noted(Act.DELETE)
def delete_row(row: Deletable, user: User | None = None, *, name: Annotated[str, CONFIRMED]) -> Deletion:
    """Delete a row with everything that rests on it, and return what is gone.

    Raises Refused, and deletes nothing, for another name, a run that is being judged and, unless an admin or the
    command line asks, work of other people.
    """
    require_name(row, name)
    _hold(row)
    deletion = deletion_of(row, user)
    if deletion.obstacles:
        raise Refused(*deletion.obstacles)
    try:
        delete_going(rows_going(row))
        connection.check_constraints()
    except IntegrityError as error:
        raise Refused(f'"{row}" got new rows at this moment; nothing is deleted — try again') from error
    return deletion


def require_name(row: Deletable | User, name: str) -> None:
    """Raise Refused unless this is the name of the row."""
    if name != str(row):
        raise Refused(f'name: "{name}" is not its name — type {row} to delete it')


def rows_going(row: Deletable | User) -> Going:
    """Return the rows that go with a row, by table, from Django's relations. A table stands after what it refers to.

    The ways from a row to one table lead to the same rows, so the first is enough.
    """
    going: Going = {type(row): type(row)._base_manager.filter(pk=row.pk)}
    tables = [type(row)]
    for table in tables:
        for relation in _relations_to(table, CASCADE, PROTECT):
            if relation.related_model not in going:
                going[relation.related_model] = _referring(relation, going[table])
                tables.append(relation.related_model)
    if Run in going:
        shown = FrozenReport.runs.through.objects.filter(run__in=going[Run])
        going |= {FrozenReport: FrozenReport.objects.filter(pk__in=shown.values("frozenreport"))}
        going |= {kind: _with_spent_texts(kind, place, going) for kind, place in TEXT_PLACES.items()}
    return going


def delete_going(going: Going) -> None:
    """Delete rows by one statement for each table, and empty what still refers to them. Cached figures go too."""
    if FrozenReport in going:
        FrozenReport.objects.filter(pk__in=list(going.pop(FrozenReport).values_list("pk", flat=True))).delete()
    for table, rows in going.items():
        for relation in _relations_to(table, SET_NULL):
            if relation.related_model not in going:
                _referring(relation, rows).update(**{relation.field.name: None})
    for rows in reversed(going.values()):
        rows._raw_delete(rows.db)
    transaction.on_commit(lambda: cache.delete_pattern("*"))  # type: ignore[attr-defined]


def count_by_kind(going: Going) -> dict[str, int]:
    """Count the rows of each table. Links between two tables are no rows of their own."""
    counts = {
        table._meta.verbose_name_plural: rows.count() for table, rows in going.items() if not table._meta.auto_created
    }
    return {str(kind): number for kind, number in counts.items() if number}


def _relations_to(table: type[Model], *rules: Any) -> Iterator[Any]:  # noqa: ANN401 - Django's relations
    relations: Iterable[Any] = get_candidate_relations_to_delete(table._meta)
    return (one for one in relations if one.on_delete in rules)


def _referring(relation: Any, rows: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ANN401
    found: QuerySet[Any] = relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": rows})
    return found


def _with_spent_texts(kind: Any, place: str, going: Going) -> QuerySet[Any]:  # noqa: ANN401 - a table of texts
    """Add the texts that no other run can use. place: the dataset of a text; none for one about the task."""
    users = Run.objects.filter(judge=OuterRef("judge"), **{kind.RUN_HASH: OuterRef("question_sha256")})
    users = users.filter(dataset=Coalesce(OuterRef(place), F("dataset")))
    going_runs = going[Run].values("pk")
    spent = kind.objects.filter(Exists(users.filter(pk__in=going_runs)), ~Exists(users.exclude(pk__in=going_runs)))
    own = going[kind].values("pk") if kind in going else kind.objects.none().values("pk")
    return kind.objects.filter(Q(pk__in=spent.values("pk")) | Q(pk__in=own))


def _of_others(going: Going, table: type[Model], user: User | None) -> QuerySet[Any]:
    owner = OWNERS[table]
    rows = going[table] if table in going else table._base_manager.none()
    return rows.filter(**{f"{owner}__isnull": False}).exclude(**{owner: user})


def _hold(row: Deletable) -> None:
    """Hold back new runs, records and answers until the transaction ends."""
    type(row)._base_manager.select_for_update().get(pk=row.pk)
    going = rows_going(row)
    list(going[Run].select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    for campaign in going.get(Campaign, Campaign.objects.none()):
        wait_for_answers(campaign)


def _obstacles(row: Deletable, going: Going, of_others: dict[str, int], user: User | None) -> Iterator[str]:
    if isinstance(row, Judge) and row.name == SHIPPED:
        yield f'the judge "{SHIPPED}" comes with Evenhand and stays'
    judged = Q(status__in=ACTIVE_STATUSES) | Q(pk__in=Chunk.objects.held().values("run"))
    for run in going[Run].filter(judged).order_by("pk"):
        yield f"run {run.pk} is being judged — cancel it, and wait for its workers"
    for run in going[Run].filter(pk__in=EndpointBatch.objects.paid_if_left().values("run")).order_by("pk"):
        yield (
            f"run {run.pk} has a batch at its endpoint, which would still be paid — wait until it is cancelled. "
            "If it stays, resume the run and cancel it"
        )
    if of_others and user and not user.is_admin:
        listed = ", ".join(f"{number:,} {kind}" for kind, number in of_others.items())
        yield f"other people made {listed} of these — ask an admin, who may delete them too"


def _remarks(going: Going, counts: dict[str, int], user: User | None) -> Iterator[str]:
    if user is None or user.is_admin:
        owners = [_of_others(going, table, user).values(owner) for table, owner in OWNERS.items()]
        others = User.objects.filter(Q(pk__in=owners[0]) | Q(pk__in=owners[1]) | Q(pk__in=owners[2]))
        if others:
            yield f"it holds work of {', '.join(sorted(str(person) for person in others))}"
    people = Enrolment.objects.filter(campaign__in=going.get(Campaign, Campaign.objects.none()))
    paid = people.filter(~Q(platform_person="") | ~Q(invitation__completion_code="")).count()
    if paid:
        yield (
            f"{counted(paid, 'participant')} came to be paid by a completion code. "
            "Pay them first: their codes and answers go too"
        )
    if "places in studies" in counts:
        yield "studies lose these runs, and their tables these rows"
    if "frozen reports" in counts:
        yield "the links of these frozen reports end, also in published papers"
