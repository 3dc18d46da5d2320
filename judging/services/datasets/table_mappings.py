"""Mappings of tables: given by options, taken from a dataset, or guessed; and what a table holds by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.file_problems import InvalidFile
from evenhand.formats import (
    DATASET_LAYOUTS,
    LOG_LAYOUTS,
    ContextRecord,
    DatasetRecord,
    SourceFile,
    TableMapping,
    UnknownTable,
    guess_dataset_mapping,
    make_context_line,
    parse_mapping,
    read_dataset,
)
from evenhand.refusals import Refused
from judging.models import Dataset

FIRST_CONTEXTS = 3


def choose_mapping(
    files: Sequence[SourceFile],
    *,
    layout: str = "",
    columns: Sequence[str] = (),
    choices: Sequence[str] = (),
    saved: Dataset | None = None,
) -> TableMapping | None:
    """Return the mapping that somebody asks for; None if nothing is given. With a layout alone, it is guessed.

    columns: `FIELD=COLUMN`. choices: `MEANING=VALUE`. Without a layout, both are of a log.
    saved: the dataset whose mapping is used again.
    Raises InvalidFile or Refused with every problem.
    """
    if saved is not None:
        if layout or columns or choices:
            raise Refused("mapping: expected the mapping of a dataset, or another one, not both")
        return saved_mapping(saved)
    if columns or choices:
        return parse_mapping(layout, columns, choices, layouts=DATASET_LAYOUTS if layout else LOG_LAYOUTS)
    if layout and layout not in DATASET_LAYOUTS:
        parse_mapping(layout, (), ())
    return guess_dataset_mapping(files, layout) if layout else None


def saved_mapping(dataset: Dataset) -> TableMapping:
    """Return the mapping by which a dataset was read. Raises Refused if there is none."""
    if dataset.mapping is None:
        raise Refused(f'mapping: dataset "{dataset.name}" was not read by a mapping')
    return TableMapping.from_json(dataset.mapping)


def read_or_guess(
    files: Sequence[SourceFile], format: str | None, mapping: TableMapping | None, *, max_bytes: int
) -> DatasetRecord:
    """Read a dataset that will not be stored. Tables of unknown columns are read by the guessed mapping."""
    try:
        return read_dataset(files, format, mapping=mapping, max_bytes=max_bytes)
    except UnknownTable as unknown:
        try:
            return read_dataset(files, mapping=parse_guess(unknown.mapping), max_bytes=max_bytes)
        except InvalidFile as invalid:
            raise InvalidFile(dict.fromkeys([*unknown.problems, *invalid.problems])) from invalid


def parse_guess(mapping: TableMapping) -> TableMapping:
    """Return a guessed mapping. Raises InvalidFile if it is not complete."""
    stored = mapping.to_json()
    return parse_mapping(stored["layout"], stored["map"], stored["choice"])


def describe_reading(record: DatasetRecord) -> dict[str, Any]:
    """Describe a dataset that was read but not stored, as JSON values."""
    mapping = TableMapping.from_json(record.mapping) if record.mapping else None
    candidates = scores = votes = 0
    for context in record.contexts:
        candidates += len(context.candidates)
        scores += sum(len({*candidate.scores, *candidate.ratings}) for candidate in context.candidates)
        votes += len(context.votes)
    first: Sequence[ContextRecord] = record.contexts[:FIRST_CONTEXTS]
    return {
        "format": record.format,
        "layout": mapping.layout if mapping else None,
        "map": dict(mapping.columns) if mapping else None,
        "choices": {meaning: list(values) for meaning, values in mapping.choices.items()} if mapping else None,
        "ignored": list(record.ignored),
        "contexts": len(record.contexts),
        "candidates": candidates,
        "attributes": [attribute.name for attribute in record.attributes],
        "scores": scores,
        "votes": votes,
        "notes": list(record.notes),
        "first_contexts": [make_context_line(context) for context in first],
    }
