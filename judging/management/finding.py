"""Rows by the names that people type; what is not there is refused, with what is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judging.exceptions import Refused
from judging.models import Attribute, Dataset, Judge, Run

SHOWN_NAMES = 20


def find_dataset(name: str) -> Dataset:
    dataset = Dataset.objects.filter(name=name).first()
    if dataset is None:
        known = _names(Dataset.objects.values_list("name", flat=True))
        raise Refused(f'dataset: there is no "{name}"; {known}')
    return dataset


def find_judge(name: str) -> Judge:
    judge = Judge.objects.filter(name=name).first()
    if judge is None:
        known = _names(Judge.objects.values_list("name", flat=True))
        raise Refused(f'judge: there is no "{name}"; {known}')
    return judge


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
