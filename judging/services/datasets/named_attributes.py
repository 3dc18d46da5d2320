"""Attributes that a person names for a dataset whose files have none."""

from collections.abc import Sequence
from dataclasses import replace

from evenhand.file_problems import describe_value
from evenhand.formats import AttributeRecord, DatasetRecord
from evenhand.formats.checked_rows import MAX_NAME_LENGTH
from evenhand.refusals import Refused


def with_attributes(record: DatasetRecord, names: Sequence[str]) -> DatasetRecord:
    """Return the dataset with further attributes, without human scores. Raises Refused for invalid or known names."""
    known = {attribute.name for attribute in record.attributes}
    problems = []
    for name in names:
        if problem := _problem_of(name, known):
            problems.append(f"attribute: {describe_value(name)} — expected {problem}")
        known.add(name)
    if problems:
        raise Refused(*problems)
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
