"""Kinds of rows that people may delete, from any door: who sees them, what goes with one, and deleting it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from judging.models import Dataset, Judge, Run, User
from judging.services.deletion.account_deletion import account_deletion, delete_account
from judging.services.deletion.row_deletion import Deletion, delete_row, deletion_of, may_delete


@dataclass(frozen=True, slots=True)
class DeletableKind:
    """A kind. seen_by: rows that a person sees. deletion_of: what goes with a row. delete: deletes it."""

    seen_by: Callable[[User], QuerySet[Any]]
    deletion_of: Callable[..., Deletion] = deletion_of
    delete: Callable[..., Deletion] = delete_row


DELETABLE_KINDS: Mapping[str, DeletableKind] = {
    "dataset": DeletableKind(Dataset.objects.visible_to),
    "run": DeletableKind(Run.objects.visible_to),
    "judge": DeletableKind(Judge.objects.visible_to),
    "account": DeletableKind(
        lambda user: User.objects.all() if user.is_admin else User.objects.none(), account_deletion, delete_account
    ),
}


def row_to_delete(noun: str, pk: int, user: User) -> Any:  # noqa: ANN401 - a row of the kind
    """Return the row if this person may delete it. Raises Http404 if they do not see it, else PermissionDenied."""
    row = get_object_or_404(DELETABLE_KINDS[noun].seen_by(user), pk=pk)
    if noun != "account" and not may_delete(row, user):
        raise PermissionDenied(f"only its owner and admins may delete a {noun}")
    return row
