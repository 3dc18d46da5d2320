"""Names are unique for each owner, and among rows without one: so a name that is taken tells of nobody else's row."""

from django.db.models import BaseConstraint, Q, UniqueConstraint


def one_name_per_owner(noun: str, owner: str) -> list[BaseConstraint]:
    """Return the constraints on the names of a table. owner: its field."""
    return [
        UniqueConstraint(fields=[owner, "name"], name=f"{noun}_name_once_per_owner"),
        UniqueConstraint(fields=["name"], condition=Q(**{owner: None}), name=f"{noun}_name_once_without_owner"),
    ]
