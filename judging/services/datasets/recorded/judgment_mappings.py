"""Mappings of tables of recorded judgments: given by options, stored with a dataset, and used again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import transaction

from evenhand.formats import LOG_LAYOUTS, RECORDED_LAYOUTS, RecordedColumns, TableMapping, parse_mapping
from evenhand.refusals import Refused
from judging.models import Dataset, User


def choose_judgment_mapping(
    columns: RecordedColumns, map_options: Sequence[str], choices: Sequence[str], *, saved: Dataset | None = None
) -> TableMapping | None:
    """Return the mapping that somebody asks for; None if nothing is given.

    map_options: `FIELD=COLUMN`. choices: `MEANING=VALUE`. saved: the dataset whose mapping is used again.
    Raises InvalidFile or Refused with every problem.
    """
    if saved is not None:
        if map_options or choices:
            raise Refused("mapping: expected the mapping of a dataset, or another one, not both")
        return saved_judgment_mapping(saved, columns.title)
    if not map_options and not choices:
        return None
    if not map_options:  # the meanings of a log's labels
        return parse_mapping("", (), choices, layouts=LOG_LAYOUTS)
    return parse_mapping(columns.layout, map_options, choices, layouts=RECORDED_LAYOUTS)


def saved_judgment_mapping(dataset: Dataset, noun: str) -> TableMapping:
    """Return the latest mapping of a kind of judgments on a dataset. Raises Refused if there is none."""
    if noun not in dataset.judgment_mappings:
        raise Refused(f'mapping: no {noun} on dataset "{dataset.name}" were read by a mapping')
    return TableMapping.from_json(dataset.judgment_mappings[noun])


@transaction.atomic
def save_judgment_mapping(dataset: Dataset, noun: str, mapping: TableMapping) -> None:
    """Store a mapping with a dataset, in place of an earlier one of the same kind of judgments."""
    latest = Dataset.objects.select_for_update().get(pk=dataset.pk)
    latest.judgment_mappings[noun] = mapping.to_json()
    latest.save(update_fields=["judgment_mappings"])


def datasets_with_judgment_mapping(user: User, noun: str, columns: Collection[str]) -> list[Dataset]:
    """Return the datasets that this person may see, with a mapping of these judgments that fits the columns."""
    datasets = Dataset.objects.visible_to(user).filter(judgment_mappings__has_key=noun)
    return [one for one in datasets if set(saved_judgment_mapping(one, noun).columns.values()) <= set(columns)]
