"""Recorded judgments in tables with columns of any name: guess a mapping, and read rows by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from judging.file_problems import ProblemLog, list_names
from judging.formats.checked_rows import CheckedRow, FileRows
from judging.formats.mappings.choice_guessing import guess_choices, guess_meanings
from judging.formats.mappings.choice_reading import read_choice
from judging.formats.mappings.column_guess import ColumnGuess
from judging.formats.mappings.column_values import sample_columns
from judging.formats.mappings.layouts import list_columns
from judging.formats.mappings.mapped_rows import MappedRow
from judging.formats.mappings.table_mapping import (
    JOINED_BY,
    TableMapping,
    fields_of,
    find_missing_columns,
    is_choice,
    meanings_of,
    option_of,
)

_NAME_FIELDS = (
    "context",
    "attribute",
    "first",
    "second",
    "candidate",
    "system",
    "system_first",
    "system_second",
    "rater",
    "judge",
    "prompt",
    "method",
    "campaign",
)
NAMING_TEXTS = ("context_text", "text_first", "text_second", "candidate_text")
_SIDE_STEMS = "candidate candidate_id id system model response answer summary"


def guess_recorded_mapping(table: FileRows, layout: str, fields: tuple[str, ...]) -> TableMapping:
    """Guess the columns of recorded judgments. It may be incomplete; a person confirms it."""
    guess = ColumnGuess(sample_columns(table))
    for field in fields:
        guess.take(field, next((column for column in guess.free if column.name == field), None))
    has_sides = "first" not in fields or bool({"first", "second"} & guess.fields.keys())
    if not has_sides and guess.take_sides("first", "second", _SIDE_STEMS) is None:
        guess.take_bare_sides("first", "second")
    _guess_texts(guess, fields)
    for field in ("context", "candidate", "rater", "attribute", "score"):
        is_named = field in guess.fields or f"{field}_text" in guess.fields
        if field in fields and not is_named:
            guess.take_named(field, guess.free_numbers() if field == "score" else None)
    if "choice" in fields and "choice" not in guess.fields:
        guess_choices(guess, fields_of(layout))
    choices: Mapping[str, tuple[str, ...]] = guess.choices
    if column := guess.taken.get("choice"):
        choices = guess_meanings([column], guess.taken)
    allowed = meanings_of(layout)
    choices = {meaning: values for meaning, values in choices.items() if meaning in allowed and values != (meaning,)}
    return TableMapping(layout, guess.fields, choices).in_order()


def _guess_texts(guess: ColumnGuess, fields: tuple[str, ...]) -> None:
    """Map texts that name candidates and contexts, as in a table with both the texts and the judgments."""
    for side in ("first", "second"):
        if side in guess.taken and guess.taken[side].is_text:
            guess.fields[f"text_{side}"] = guess.fields.pop(side)
    texts = [column for column in guess.free if column.is_text]
    if "candidate" in fields and guess.named("candidate") is None:
        guess.take("candidate_text", guess.named("text", texts))
    if guess.fields.keys() & {*NAMING_TEXTS}:
        guess.take_named("context_text", [column for column in guess.free if not column.is_numeric])
    elif guess.named("context") is None:
        guess.take_named("context_text", texts)


def read_mapped_rows(file: FileRows, mapping: TableMapping, log: ProblemLog) -> Iterator[CheckedRow]:
    """Yield the rows with our own names for their columns. Missing columns are logged, ignored ones are noted."""
    columns = list_columns([file])
    missing = list(find_missing_columns(mapping, file.name, columns))
    for problem in missing:
        log.add(problem.file, problem.line, problem.field, problem.value, problem.expected)
    if ignored := mapping.ignored(columns):
        log.notes.append(f"{file.name}: ignored columns: {list_names(ignored)}")
    for row in file if not missing else ():
        values = dict(_map_values(row, mapping))
        for choice in _map_choices(row, mapping):
            yield replace(row, values=values | choice)


def _map_values(row: CheckedRow, mapping: TableMapping) -> Iterator[tuple[str, object]]:
    """Yield our own name and the value of each mapped cell that is not empty. Numbers may name things."""
    for field, column in mapping.columns.items():
        value = row.values.get(column) if field != "context" else _join_cells(row, mapping.columns_of(field))
        if value is None or value == "" or option_of(field) != field or is_choice(field):
            continue
        if field in NAMING_TEXTS:
            value = MappedRow(row, mapping).read_text(field) or ""
        elif field in _NAME_FIELDS:
            value = _as_text(value)
        yield field, value


def _map_choices(row: CheckedRow, mapping: TableMapping) -> Iterator[dict[str, object]]:
    """Yield the choice of each vote on a line, with its rater or attribute if its column is of one."""
    names = {"vote": "rater", "choice": "attribute"}
    fields = [field for field in mapping.columns if is_choice(field)]
    for field in fields or [""]:
        kind, _, name = field.partition(":")
        of_column: dict[str, object] = {names[kind]: name} if name else {}
        if row.values.get(mapping.columns.get(field, ""), "") not in (None, ""):
            # after a problem any choice will do
            yield {**of_column, "choice": read_choice(row, mapping.columns[field], mapping) or "tie"}
        elif name:
            row.log.count("empty choices, which are no votes", f"line {row.line}, {mapping.columns[field]}")
        else:
            yield of_column


def _join_cells(row: CheckedRow, columns: Sequence[str]) -> str:
    """Return an identifier as datasets have it, whose parts are in several columns."""
    parts = [_as_text(row.values[column]) for column in columns if row.values.get(column) not in (None, "")]
    return JOINED_BY["context"].join(parts)


def _as_text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
