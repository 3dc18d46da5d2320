"""Find rows by the names that people type. An unknown name is refused, with the known ones listed."""

from collections.abc import Sequence
from functools import partial

from evenhand.refusals import Refused, did_you_mean
from judging.models import Attribute, Campaign, Dataset, Judge, Run, Study, User
from judging.services.names import named_row

get_dataset = partial(named_row, Dataset, user=None)
get_judge = partial(named_row, Judge, user=None)
get_campaign = partial(named_row, Campaign, user=None)
get_study = partial(named_row, Study, user=None)


def get_researcher(name: str) -> User:
    """Return the researcher or admin of this username. Raises Refused if there is none."""
    user = User.objects.filter(username=name).first()
    if user is None or not user.is_researcher:
        raise Refused(f'owner: there is no researcher "{name}"')
    return user


def get_account(name: str) -> User:
    """Return the account of this name. Raises Refused if there is none."""
    account = User.objects.filter(username=name).first()
    if account is None:
        names = User.objects.filter(deleted_at=None).values_list("username", flat=True)
        raise Refused(f'account: there is no "{name}"{did_you_mean(name, names)}; the command accounts lists them')
    return account


def get_run(run_id: int) -> Run:
    """Return the run of this number. Raises Refused if there is none."""
    run = Run.objects.select_related("dataset", "attribute", "judge", "prompt").filter(pk=run_id).first()
    if run is None:
        raise Refused(f"run: there is no run {run_id}; the command runs lists them")
    return run


def get_attributes(dataset: Dataset, names: Sequence[str]) -> list[Attribute]:
    """Return the named attributes of a dataset, each once; all of them if no name is given.

    Raises Refused with every unknown name.
    """
    attributes = {attribute.name: attribute for attribute in dataset.attributes.all()}
    if unknown := [name for name in names if name not in attributes]:
        known = ", ".join(attributes)
        raise Refused(
            *(
                f'attribute: "{name}" is not an attribute of {dataset.name}{did_you_mean(name, attributes)}; '
                f"choose one of: {known}"
                for name in unknown
            )
        )
    return [attributes[name] for name in dict.fromkeys(names or attributes)]
