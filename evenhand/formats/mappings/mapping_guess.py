"""Guess the mapping of a table from the names and first values of its columns. A person confirms it."""

import re
from collections.abc import Sequence

from evenhand.formats.checked_rows import FileRows
from evenhand.formats.mappings.choice_guessing import guess_choices, list_choices
from evenhand.formats.mappings.column_guess import ColumnGuess, find_sides, names_field
from evenhand.formats.mappings.column_values import ColumnValues, sample_columns
from evenhand.formats.mappings.mapped_rows import is_answer, is_text_field
from evenhand.formats.mappings.table_mapping import TableMapping, find_mapping_problems, number_columns

_TEXT_STEMS = "response output answer completion summary text conversation candidate story translation reply option"
_SYSTEM_STEMS = "model system generator assistant"
_NAME_SIDES = (("left", "right"), ("a", "b"))  # of systems in columns that are named by their sides alone
_ID_STEMS = "candidate candidate_id id"
_NO_SCORE = re.compile(  # numbers that are not, or may not be, human scores; in a rank, 1 is best
    r"(^|_)(id|index|idx|line|row|length|len|tokens?|words|char(acter)?s|seed|turns?|unnamed|time|timestamp|year|date|"
    r"created|updated|rank|ranking|price|cost|temperature|temp|top|num|number|count|latency|duration|seconds|version)(_|$)"
)


def guess_mapping(files: Sequence[FileRows], layout: str = "") -> TableMapping:
    """Guess the mapping of files with the same columns. It may be incomplete. layout: "" to guess it too."""
    columns = sample_columns(files[0])
    layout = layout or _guess_layout(columns)
    guess = ColumnGuess(columns)
    if layout == "candidates":
        _guess_candidates(guess)
    elif layout == "wide":
        _guess_wide(guess)
    else:
        _guess_pairs(guess, has_ids=layout == "votes")
    found = [column.name for field, column in guess.taken.items() if is_text_field(field) and column.is_conversation]
    fields = guess.fields | dict(number_columns(("messages", name) for name in found))
    return TableMapping(layout, fields, guess.choices).in_order()


def guess_battles(file: FileRows) -> TableMapping | None:
    """Return the mapping of a file of battles without texts: two systems and a winner on each line; None for others."""
    mapping = guess_mapping([file])
    is_battles = "system_first" in mapping.columns and not any(map(is_text_field, mapping.columns))
    if not is_battles or list(find_mapping_problems(mapping)):
        return None
    columns = sample_columns(file)
    texts = {column.name for column in columns if column.is_text or column.is_conversation}
    values = list_choices([column for column in columns if column.name in mapping.choice_columns])
    is_known = bool(mapping.sides_by_name) or all(map(mapping.meaning_of, values))
    return mapping if is_known and texts <= {*mapping.columns.values()} else None


def _guess_layout(columns: list[ColumnValues]) -> str:
    fields = ("chosen", "rejected", "text", "system")
    names = {field for column in columns for field in fields if names_field(column.name, field)}
    if {"chosen", "rejected"} <= names or find_sides(columns, _TEXT_STEMS, texts_only=True):
        return "pairs"
    if not names & {"text", "system"} and _has_battles(columns):
        return "pairs"
    texts = [column for column in columns if column.is_text and not names_field(column.name, "reference")]
    return "wide" if not {"text", "system"} & names and len(texts) > 2 else "candidates"


def _has_battles(columns: Sequence[ColumnValues]) -> bool:
    """Return True for columns of two systems and a winner."""
    guess = ColumnGuess(columns)
    _take_systems(guess)
    guess_choices(guess)
    return bool(guess.choices or any(field.startswith("won:") for field in guess.fields)) and len(guess.fields) > 2


def _take_systems(guess: ColumnGuess) -> None:
    guess.take_sides("system_first", "system_second", _SYSTEM_STEMS, bare=_NAME_SIDES)


def _guess_candidates(guess: ColumnGuess) -> None:
    texts = [column for column in guess.free if column.is_text]
    text = guess.take_named("text", texts) or guess.take_named("text")
    if not (text and text.is_conversation):
        _guess_context(guess)
    if text is None:
        texts = [column for column in guess.free if column.is_text]
        guess.take("text", max(texts, key=_number_of_values, default=None))
    for field in ("system", "candidate", "rater", "reference"):
        guess.take_named(field)
    guess.take_named("subset", guess.free_names())
    _guess_long_scores(guess)
    for column in guess.free_numbers():
        if not _NO_SCORE.search(column.words):
            guess.take(f"score:{column.label}", column)


def _guess_long_scores(guess: ColumnGuess) -> None:
    """Map the two columns of a table with one score per line, if it has both."""
    attribute, score = guess.named("attribute", guess.free_names()), guess.named("score", guess.free_numbers())
    if attribute and score:
        guess.take("attribute", attribute)
        guess.take("score", score)


def _guess_wide(guess: ColumnGuess) -> None:
    _guess_context(guess)
    guess.take_named("reference")
    guess.take_named("subset", guess.free_names())
    systems = [column.name for column in guess.free if column.is_text]
    for column in [column for column in guess.free if column.is_text]:
        guess.take(f"text:{column.label}", column)
    for column in guess.free_numbers():
        for system in systems:
            if column.name.startswith(f"{system}_"):
                guess.take(f"score:{system}:{column.name.removeprefix(f'{system}_')}", column)
                break


def _guess_pairs(guess: ColumnGuess, *, has_ids: bool) -> None:
    first, second = guess.named("chosen"), guess.named("rejected")
    if first and second and not has_ids:
        guess.take("chosen", first)
        guess.take("rejected", second)
        guess.take_sides("system_first", "system_second", _SYSTEM_STEMS, sides=[("chosen", "rejected")])
    else:
        first = guess.take_sides("text_first", "text_second", _TEXT_STEMS, texts_only=True)
        _take_systems(guess)
        if has_ids:
            guess.take_sides("first", "second", _ID_STEMS)
        guess_choices(guess)
    if not (first and first.is_conversation):
        _guess_context(guess)
    for field in ("rater", "reference"):
        guess.take_named(field)
    guess.take_named("subset", guess.free_names())
    guess.take_named("attribute", guess.free_names())
    if not any(map(is_answer, guess.fields)):
        _guess_fields(guess)


def _guess_fields(guess: ColumnGuess) -> None:
    """Map the columns of few names that say more of a context, such as its language."""
    context = guess.taken.get("context")
    for column in guess.free_names():
        if context is None or context.determines(column):
            guess.take(f"field:{column.label}", column)


def _guess_context(guess: ColumnGuess) -> None:
    """Map the context's text, and its identifier if equal identifiers always go with equal texts."""
    text = guess.take_named("context_text", [column for column in guess.free if not column.is_numeric])
    if text is None:
        texts = [column for column in guess.free if column.is_text]
        text = guess.take("context_text", min(texts, key=_number_of_values, default=None))
    if text is not None and text.words == "instruction":
        guess.take("context_text:2", next((one for one in guess.free if one.words == "input" and one.distinct), None))
    if text is not None or guess.taken.keys() & {"text_first", "system_first"}:
        _guess_identifier(guess, text)


def _guess_identifier(guess: ColumnGuess, text: ColumnValues | None) -> None:
    """Map the context's identifier, and the turn if the identifier alone names several contexts."""
    keys = [one for one in guess.free if text is None or _is_identifier(one, text)]
    context = guess.take_named("context", keys)
    turn = next((one for one in guess.free if one.words == "turn"), None)
    if turn is None or (context and (text or context.determines(turn))):
        return
    if context is None:
        context = guess.named("context", [one for one in guess.free if text and one.joined(turn).determines(text)])
        guess.take("context", context)
    guess.take("context:2", turn if context else None)


def _is_identifier(column: ColumnValues, text: ColumnValues) -> bool:
    return column.determines(text) and (text.is_unique or not column.is_unique)


def _number_of_values(column: ColumnValues) -> int:
    return len(column.distinct)
