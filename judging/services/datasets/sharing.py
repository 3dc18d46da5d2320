"""Sharing of datasets: who may see one, and with whom its owner may share it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import QuerySet

from evenhand.refusals import Refused, did_you_mean
from judging.models import RESEARCHER, Dataset, User, Visibility

NOBODY_NAMED = "shared_with: name one person or more, or choose another visibility"


def other_researchers(owner: User | None) -> QuerySet[User]:
    """Return the people with whom an owner can share a dataset: the other active researchers, by name."""
    researchers = User.objects.filter(groups__name=RESEARCHER, is_active=True).order_by("username")
    return researchers.exclude(pk=owner.pk) if owner else researchers


@transaction.atomic
def share_dataset(dataset: Dataset, *, visibility: str, people: Collection[User] = ()) -> None:
    """Set who may see a dataset. people: with whom it is shared; empty for another visibility.

    Raises Refused if a shared dataset has no people, or another one has some.
    """
    if visibility == Visibility.SHARED and not people:
        raise Refused(NOBODY_NAMED)
    if visibility != Visibility.SHARED and people:
        raise Refused(f"shared_with: only a shared dataset names people; this one is {visibility}")
    dataset.visibility = visibility
    dataset.save(update_fields=["visibility"])
    dataset.shared_with.set(people)


def find_researchers(names: Sequence[str], *, owner: User | None) -> list[User]:
    """Return the researchers of these names. Raises Refused with every name that is not one of them."""
    known = {user.username: user for user in other_researchers(owner)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(
            *(f'shared_with: there is no other researcher "{name}"{did_you_mean(name, known)}' for name in unknown)
        )
    return [known[name] for name in dict.fromkeys(names)]
