"""Changes of a dataset: who may see it, and the split of its contexts into one part to choose on and one to report."""

import secrets
from collections.abc import Collection
from hashlib import sha256
from typing import Annotated

from django.db.models import QuerySet

from evenhand.formats.people_files import MAX_PEOPLE
from evenhand.options import Option, require_values
from evenhand.refusals import Refused, raise_if_any
from judging.models import RESEARCHER, Context, Dataset, User, Visibility
from judging.models.activity_and_looks import Act
from judging.models.datasets import DEVELOPMENT, PART_FIELD, TEST
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


@noted(Act.CHANGE, what="parts")
def split_dataset(
    dataset: Dataset,
    *,
    test_share: Annotated[
        float, Option("Share of the contexts to test on.", "Share to test on", above=0, below=1)
    ] = 0.5,
    seed: Annotated[
        int | None, Option("Seed of the draw. Without it, a fresh one.", "Seed", low=0, high=2**31 - 1)
    ] = None,
) -> Dataset:
    """Split the contexts at random into a development part and a test part, and store the part with each context.

    Contexts are sorted by a hash of seed and identifier, so the same seed gives the same parts everywhere.

    Raises Refused if the dataset is split already, or if a part would be empty.
    """
    require_values(split_dataset, test_share=test_share, **{} if seed is None else {"seed": seed})
    locked = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    contexts = list(locked.contexts.all())
    raise_if_any(_problems(locked, len(contexts), test_share))
    drawn = secrets.randbelow(2**31) if seed is None else seed
    number = round(test_share * len(contexts))
    in_order = sorted(contexts, key=lambda one: sha256(f"{drawn}:{one.key}".encode()).hexdigest())
    for place, context in enumerate(in_order):
        context.fields = {**context.fields, PART_FIELD: TEST if place < number else DEVELOPMENT}
    Context.objects.bulk_update(contexts, ["fields"], batch_size=500)
    locked.context_fields = [*locked.context_fields, PART_FIELD]
    locked.split = {"seed": drawn, "test_share": test_share, DEVELOPMENT: len(contexts) - number, TEST: number}
    locked.save(update_fields=["context_fields", "split"])
    dataset.context_fields, dataset.split = locked.context_fields, locked.split
    return locked


def _problems(dataset: Dataset, number: int, test_share: float) -> list[str]:
    problems = []
    if dataset.split:
        problems.append(
            f'dataset: "{dataset.name}" is split already; another split would mix contexts on which something was '
            "chosen with those on which it is reported"
        )
    elif PART_FIELD in dataset.context_fields:
        problems.append(f'dataset: the contexts of "{dataset.name}" have a field "{PART_FIELD}" of their own; use it')
    if not 0 < round(test_share * number) < number:
        problems.append(f"test_share: {test_share:g} of {number} contexts leaves a part empty; give another share")
    return problems
