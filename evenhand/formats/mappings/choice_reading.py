"""Read the choices on a line: by the meaning of a value, or by the column whose value it names."""

from collections.abc import Iterator

from evenhand.file_problems import describe_value, list_names
from evenhand.formats.checked_rows import CheckedRow, clean_name
from evenhand.formats.mappings.cell_texts import plain_text
from evenhand.formats.mappings.choice_guessing import meaning_of_label
from evenhand.formats.mappings.mapped_rows import MappedRow
from evenhand.formats.mappings.table_layouts import DATASET_LAYOUTS, LAYOUTS
from evenhand.formats.mappings.table_mapping import TableMapping, is_choice

_SIDE_FIELDS = {"first": ("first", "system_first"), "second": ("second", "system_second")}
_BY_NAME = "choices read as the winner's name, though as places they would mean the other side"


def read_choices(row: MappedRow) -> Iterator[tuple[str, str, str]]:
    """Yield rater, attribute and choice of each column of choices. An empty cell is the choice "".

    rater, attribute: "" unless the column has its own.
    """
    for field in filter(is_choice, row.mapping.columns):
        kind, _, name = field.partition(":")
        choice = read_choice(row, field) if row.has(field) else ""
        yield name if kind == "vote" else "", name if kind == "choice" else "", choice


def read_choice(row: MappedRow, field: str) -> str:
    """Return the meaning of a choice. A choice with no meaning or with two is a problem; then any will do.

    Recorded judgments have choices in our own words too.
    """
    mapping, column = row.mapping, row.mapping.columns[field]
    value = _name_in(row.row, column)
    found = _find_meanings(row.row, value, mapping)
    meanings = LAYOUTS[mapping.layout].meanings
    if not found and mapping.layout not in DATASET_LAYOUTS and value in meanings:
        return value
    if len(found) != 1:
        known = [_describe(one) for values in mapping.choices.values() for one in values] or meanings
        expected = _describe_two(found, mapping) if found else f"one of {list_names(known)}"
        row.add_problem(field, describe_value(value), expected)
        return "tie"
    if mapping.sides_by_name and meaning_of_label(value) in {*_SIDE_FIELDS} - {*found}:
        row.row.count(f"{column}: {_BY_NAME}", f"{describe_value(value)} is {found[0]}")
    return found[0]


def _find_meanings(row: CheckedRow, value: str, mapping: TableMapping) -> list[str]:
    """Return each meaning that a choice may have. A fixed meaning and the name of the other side are two."""
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


def _describe(value: str) -> str:
    return f"the name in {value[1:]}" if value.startswith("@") else value


def _describe_two(found: list[str], mapping: TableMapping) -> str:
    if mapping.sides_by_name:
        return f"one meaning, not both {found[0]} and {found[1]}"
    *named, fixed = found
    return (
        f"one meaning: it is said to mean {fixed}, but is the name of {named[0]} on this line. If choices name the "
        "winner, give the columns of the names: --choice first=@COLUMN --choice second=@COLUMN"
    )


def _name_in(row: CheckedRow, column: str) -> str:
    return clean_name(plain_text(row.values.get(column)) or "")
