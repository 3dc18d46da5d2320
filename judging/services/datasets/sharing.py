"""Sharing of datasets: who may see one, and with whom its owner may share it."""

from collections.abc import Collection
from typing import Annotated

from django.db import transaction
from django.db.models import QuerySet

from evenhand.formats.people_files import MAX_PEOPLE
from evenhand.options import Option
from evenhand.refusals import Refused
from judging.models import RESEARCHER, Dataset, User, Visibility
from judging.models.activity import Act
from judging.services.activity import noted

VISIBILITY = Option("Admins see all datasets.", "Who may see it", choices=dict(Visibility.choices))
SharedWith = Annotated[
    Collection[User],
    Option(
        "Researchers who may see it while it is shared.", "People", row="researcher", key="username", most=MAX_PEOPLE
    ),
]


def other_researchers(owner: User | None) -> QuerySet[User]:
    """Return the people with whom an owner can share a dataset: the other active researchers, by name."""
    researchers = User.objects.filter(groups__name=RESEARCHER, is_active=True).order_by("username")
    return researchers.exclude(pk=owner.pk) if owner else researchers


@transaction.atomic
@noted(Act.SHARE, what="{visibility}")
def share_dataset(dataset: Dataset, *, visibility: Annotated[str, VISIBILITY], shared_with: SharedWith = ()) -> None:
    """Set who may see a dataset. Raises Refused if a shared dataset has no people, or another one has some."""
    require_people(visibility, shared_with)
    dataset.visibility = visibility
    dataset.save(update_fields=["visibility"])
    dataset.shared_with.set(shared_with)


def require_people(visibility: str, shared_with: Collection[User]) -> None:
    """Raise Refused if a shared dataset has no people, or another one has some."""
    if visibility == Visibility.SHARED and not shared_with:
        raise Refused("shared_with: name one person or more, or choose another visibility")
    if visibility != Visibility.SHARED and shared_with:
        raise Refused(f"shared_with: only a shared dataset names people; this one is {visibility}")
