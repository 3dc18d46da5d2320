"""Rows by the names that people type; what is not there is refused, with what is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from judging.exceptions import Refused
from judging.models import Attribute, Dataset, Judge, Run

SHOWN_NAMES = 20

N = TypeVar("N", Dataset, Judge)


def find_dataset(name: str) -> Dataset:
    return _found(Dataset, name)


def find_judge(name: str) -> Judge:
    return _found(Judge, name)


def _found(model: type[N], name: str) -> N:
    row = model._default_manager.filter(name=name).first()
    if row is None:
        known = _names(model._default_manager.values_list("name", flat=True))
        raise Refused(f'{model._meta.verbose_name}: there is no "{name}"; {known}')
    return row


def find_run(run_id: int) -> Run:
    run = Run.objects.select_related("dataset", "attribute", "judge", "prompt").filter(pk=run_id).first()
    if run is None:
        raise Refused(f"run: there is no run {run_id}; the command runs lists them")
    return run


def find_attributes(dataset: Dataset, names: Sequence[str]) -> list[Attribute]:
    """The named attributes of a dataset, each once; all of them without names."""
    attributes = {attribute.name: attribute for attribute in dataset.attributes.all()}
    if unknown := [name for name in names if name not in attributes]:
        known = ", ".join(attributes)
        raise Refused(*(f'attribute: "{name}" is none of {dataset.name}; it has: {known}' for name in unknown))
    return [attributes[name] for name in dict.fromkeys(names or attributes)]


def _names(known: Iterable[str]) -> str:
    names = list(known)
    if not names:
        return "there are none yet"
    return f"there are: {', '.join(names[:SHOWN_NAMES])}{' …' if len(names) > SHOWN_NAMES else ''}"
