"""Recorded judgments in tables with columns of any name: guess a mapping, and read rows by it."""

from collections.abc import Iterator
from dataclasses import replace

from evenhand.file_problems import ProblemLog, list_names
from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.mappings.choice_guessing import guess_choices
from evenhand.formats.mappings.choice_reading import read_choices
from evenhand.formats.mappings.column_guess import SIDES, ColumnGuess
from evenhand.formats.mappings.column_values import sample_columns
from evenhand.formats.mappings.mapped_rows import MappedRow
from evenhand.formats.mappings.reading_by_mapping import list_columns
from evenhand.formats.mappings.table_layouts import LAYOUTS, NAMED_BY, RecordedColumns
from evenhand.formats.mappings.table_mapping import TableMapping, has_columns, is_choice, option_of

_NAMING_TEXTS = ("context_text", "text_first", "text_second", "candidate_text")
_NAMES = {
    *(one for field, others in NAMED_BY.items() for one in (field, *others)),
    *("attribute", "rater", "judge", "prompt", "method", "campaign"),
}
"""Fields with names or texts. A number there is a text too."""
_SIDE_STEMS = "candidate candidate_id id system model response answer summary"


def guess_recorded_mapping(table: FileRows, columns: RecordedColumns) -> TableMapping:
    """Guess the columns of recorded judgments. It may be incomplete; a person confirms it."""
    fields = (*columns.required, *columns.optional)
    guess = ColumnGuess(sample_columns(table))
    for field in fields:
        guess.take(field, next((column for column in guess.free if column.name == field), None))
    if "first" in fields and not {"first", "second"} & guess.fields.keys():
        guess.take_sides("first", "second", _SIDE_STEMS, bare=SIDES)
    _guess_texts(guess, fields)
    for field in ("context", "candidate", "rater", "attribute", "score"):
        is_named = field in guess.fields or f"{field}_text" in guess.fields
        if field in fields and not is_named:
            guess.take_named(field, guess.free_numbers() if field == "score" else None)
    if "choice" in fields:
        guess_choices(guess, LAYOUTS[columns.layout].fields)
    choices = {one: values for one, values in guess.choices.items() if one in columns.meanings and values != (one,)}
    return TableMapping(columns.layout, guess.fields, choices).in_order()


def _guess_texts(guess: ColumnGuess, fields: tuple[str, ...]) -> None:
    """Map texts that name candidates and contexts, as in a table with both the texts and the judgments."""
    for side in ("first", "second"):
        if side in guess.taken and guess.taken[side].is_text:
            guess.fields[f"text_{side}"] = guess.fields.pop(side)
    texts = [column for column in guess.free if column.is_text]
    if "candidate" in fields and guess.named("candidate") is None:
        guess.take("candidate_text", guess.named("text", texts))
    if guess.fields.keys() & {*_NAMING_TEXTS}:
        guess.take_named("context_text", [column for column in guess.free if not column.is_numeric])
    elif guess.named("context") is None:
        guess.take_named("context_text", texts)


def read_mapped_rows(file: FileRows, mapping: TableMapping, log: ProblemLog) -> Iterator[CheckedRow]:
    """Yield the rows with our own names for their columns, one for each choice on a line.

    Missing columns are logged, ignored ones are noted.
    """
    columns = list_columns([file])
    if ignored := mapping.ignored(columns):
        log.notes.append(f"{file.name}: ignored columns: {list_names(ignored)}")
    for row in file if has_columns(mapping, file.name, columns, log) else ():
        mapped = MappedRow(row, mapping)
        values = dict(_own_values(mapped))
        for rater, attribute, choice in list(read_choices(mapped)) or [("", "", "")]:
            if choice or not (rater or attribute):
                of_column = {"rater": rater, "attribute": attribute, "choice": choice}
                yield replace(row, values=values | {name: value for name, value in of_column.items() if value})
            else:
                row.count("empty choices, which are no votes", rater or attribute)


def _own_values(row: MappedRow) -> Iterator[tuple[str, object]]:
    """Yield our own name and the value of each mapped cell that is not empty, but no choices."""
    for field in row.mapping.columns:
        text = row.read_text(field) if field in _NAMES else None
        value = row.value(field) if text is None else text
        if value is not None and value != "" and option_of(field) == field and not is_choice(field):
            yield field, value
