"""Read the choice in a cell: by the meaning of its value, or by the column whose value it names."""

from __future__ import annotations

from judging.file_problems import describe_value, list_names
from judging.formats.checked_rows import CheckedRow, clean_name
from judging.formats.mappings.cell_texts import plain_text
from judging.formats.mappings.choice_guessing import meaning_of_label
from judging.formats.mappings.table_mapping import LAYOUT_FIELDS, TableMapping, meanings_of

_SIDE_FIELDS = {"first": ("first", "system_first"), "second": ("second", "system_second")}
_BY_NAME = "choices read as the winner's name, though as places they would mean the other side"


def read_choice(row: CheckedRow, column: str, mapping: TableMapping) -> str:
    """Return the meaning of a choice; "" after a problem. A choice with no meaning or with two is a problem.

    Recorded judgments have choices in our own words too.
    """
    value = _name_in(row, column)
    found = find_meanings(row, column, mapping)
    if not found and mapping.layout not in LAYOUT_FIELDS and value in meanings_of(mapping.layout):
        return value
    if len(found) != 1:
        expected = _describe_two(found, mapping) if found else f"one of {list_names(_known_choices(mapping))}"
        row.add_problem(column, describe_value(value), expected)
        return ""
    if mapping.sides_by_name and meaning_of_label(value) in {*_SIDE_FIELDS} - {*found}:
        row.log.count(f"{column}: {_BY_NAME}", f"line {row.line}: {describe_value(value)} is {found[0]}")
    return found[0]


def find_meanings(row: CheckedRow, column: str, mapping: TableMapping) -> list[str]:
    """Return each meaning that a choice may have. A fixed meaning and the name of the other side are two."""
    value = _name_in(row, column)
    fixed = mapping.meaning_of(value)
    by_name = mapping.sides_by_name
    names = {side: [column] for side, column in by_name.items()} or {
        side: [mapping.columns[field] for field in fields if field in mapping.columns]
        for side, fields in _SIDE_FIELDS.items()
    }
    named = [side for side, columns in names.items() if value and value in [_name_in(row, one) for one in columns]]
    is_doubtful = fixed in names and fixed not in named
    found = [*named, fixed] if by_name or is_doubtful else [fixed]
    return list(dict.fromkeys(filter(None, found)))


def _describe_two(found: list[str], mapping: TableMapping) -> str:
    if mapping.sides_by_name:
        return f"one meaning, not both {found[0]} and {found[1]}"
    *named, fixed = found
    return (
        f"one meaning: it is said to mean {fixed}, but is the name of {named[0]} on this line. If choices name the "
        "winner, give the columns of the names: --choice first=@COLUMN --choice second=@COLUMN"
    )


def _known_choices(mapping: TableMapping) -> list[str]:
    values = [value for values in mapping.choices.values() for value in values if not value.startswith("@")]
    return [*values, *(f"the name in {column}" for column in mapping.sides_by_name.values())] or [
        *meanings_of(mapping.layout)
    ]


def _name_in(row: CheckedRow, column: str) -> str:
    return clean_name(plain_text(row.values.get(column)) or "")
