"""Mappings of tables: given by options, taken from a dataset, or guessed; and what a table holds by one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from evenhand.file_problems import InvalidFile, describe_value
from evenhand.formats import (
    DATASET_FORMATS,
    DATASET_LAYOUTS,
    LOG_LAYOUTS,
    MAX_FILE_BYTES,
    MEANINGS,
    AttributeRecord,
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
from evenhand.formats.checked_rows import MAX_NAME_LENGTH
from evenhand.options import Option
from evenhand.refusals import Refused, raise_if_any
from judging.models import Dataset

FIRST_CONTEXTS = 3
FORMAT_TITLES = {known.name: f"{known.title} ({known.file_type})" for known in DATASET_FORMATS.values()}


def with_attributes(record: DatasetRecord, names: Sequence[str]) -> DatasetRecord:
    """Return the dataset with further attributes, without human scores. Raises Refused for invalid or known names."""
    known = {attribute.name for attribute in record.attributes}
    problems = []
    for name in names:
        if problem := _problem_of(name, known):
            problems.append(f"attribute: {describe_value(name)} — expected {problem}")
        known.add(name)
    raise_if_any(problems)
    return replace(record, attributes=(*record.attributes, *(AttributeRecord(name) for name in names)))


def _problem_of(name: str, known: set[str]) -> str:
    """Return what is expected instead of a name; "" for a good one."""
    if not name or name != name.strip():
        return "a name that neither begins nor ends with a space"
    if not name.isprintable():
        return "printable characters"
    if len(name) > MAX_NAME_LENGTH:
        return f"at most {MAX_NAME_LENGTH} characters"
    return "an attribute that the dataset does not have yet" if name in known else ""


def choose_mapping(
    files: Sequence[SourceFile],
    *,
    layout: Annotated[
        str,
        Option(
            "Layout of a table with columns of your own. Without a map, the columns are guessed.",
            "Layout",
            choices={name: name for name in DATASET_LAYOUTS},
        ),
    ] = "",
    map: Annotated[Sequence[str], Option("FIELD=COLUMN, once for each field of the layout.", "Columns")] = (),
    choice: Annotated[
        Sequence[str],
        Option(
            f"MEANING=VALUE, for values in the column of choices, or labels of a log. Meanings: {', '.join(MEANINGS)}. "
            "NUMBER=WORD, for words in place of scores.",
            "Meaning of labels",
        ),
    ] = (),
    mapping_of: Annotated[
        Dataset | None, Option("Dataset whose mapping is used again.", row="dataset", key="name")
    ] = None,
) -> TableMapping | None:
    """Return the mapping that somebody asks for; None if nothing is given. With a layout alone, it is guessed.

    Without a layout, `map` and `choice` are of a log. Raises InvalidFile or Refused with every problem.
    """
    if mapping_of is not None:
        if layout or map or choice:
            raise Refused("mapping_of: use the mapping of a dataset, or give layout, map and choice, not both")
        return saved_mapping(mapping_of)
    if map or choice:
        return parse_mapping(layout, map, choice, layouts=DATASET_LAYOUTS if layout else LOG_LAYOUTS)
    return guess_dataset_mapping(files, layout) if layout else None


def read_named(
    files: Sequence[SourceFile],
    mapping: TableMapping | None = None,
    max_bytes: int = MAX_FILE_BYTES,
    is_dry_run: bool = False,
    *,
    format: Annotated[
        str,
        Option(
            "Needed only if the detected one is wrong, or for HANNA as one context.",
            "Format",
            choices={"": "detect from the content", **FORMAT_TITLES},
        ),
    ] = "",
    attribute: Annotated[
        Sequence[str], Option("Further attributes to judge, for a dataset without human scores.", "Attributes to judge")
    ] = (),
) -> DatasetRecord:
    """Read a dataset. Raises InvalidFile or Refused with every problem.

    max_bytes: size of the largest file that is read. is_dry_run: tables of unknown columns are read by a guess.
    """
    read = _read_or_guess if is_dry_run else read_dataset
    return with_attributes(read(files, format or None, mapping=mapping, max_bytes=max_bytes), attribute)


def saved_mapping(dataset: Dataset) -> TableMapping:
    """Return the mapping by which a dataset was read. Raises Refused if there is none."""
    if dataset.mapping is None:
        raise Refused(f'mapping_of: dataset "{dataset.name}" was not read by a mapping')
    return TableMapping.from_json(dataset.mapping)


def _read_or_guess(
    files: Sequence[SourceFile], format: str | None = None, *, mapping: TableMapping | None, max_bytes: int
) -> DatasetRecord:
    try:
        return read_dataset(files, format, mapping=mapping, max_bytes=max_bytes)
    except UnknownTable as unknown:
        try:
            stored = unknown.mapping.to_json()
            return read_dataset(
                files, mapping=parse_mapping(stored["layout"], stored["map"], stored["choice"]), max_bytes=max_bytes
            )
        except InvalidFile as invalid:
            raise InvalidFile(dict.fromkeys([*unknown.problems, *invalid.problems])) from invalid


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
