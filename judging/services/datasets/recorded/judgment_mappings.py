"""Mappings of tables of recorded judgments: given by options, stored with a dataset, and used again."""

from collections.abc import Collection, Sequence
from typing import Annotated

from django.db import transaction

from evenhand.formats import LOG_LAYOUTS, RECORDED_LAYOUTS, RecordedColumns, TableMapping, parse_mapping
from evenhand.options import Option
from evenhand.refusals import Refused
from judging.models import Dataset, User


def choose_judgment_mapping(
    columns: RecordedColumns,
    *,
    map: Annotated[Sequence[str], Option("FIELD=COLUMN, once for each field. Other columns are then ignored.")] = (),
    choice: Annotated[Sequence[str], Option("MEANING=VALUE, for values in the column of choices.")] = (),
    mapping_of: Annotated[
        Dataset | None,
        Option("Dataset whose mapping of its latest judgments of this kind is used again.", row="dataset", key="name"),
    ] = None,
) -> TableMapping | None:
    """Return the mapping that somebody asks for; None if nothing is given.

    Raises InvalidFile or Refused with every problem.
    """
    if mapping_of is not None:
        if map or choice:
            raise Refused("mapping: expected the mapping of a dataset, or another one, not both")
        return saved_judgment_mapping(mapping_of, columns.title)
    if not map and not choice:
        return None
    if not map:  # the meanings of a log's labels
        return parse_mapping("", (), choice, layouts=LOG_LAYOUTS)
    return parse_mapping(columns.layout, map, choice, layouts=RECORDED_LAYOUTS)


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
