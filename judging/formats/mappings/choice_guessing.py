"""Guess the column of people's choices, and the meaning of its values. What is not clear stays open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from judging.formats.mappings.column_guess import SIDES, ColumnGuess
from judging.formats.mappings.column_values import ColumnValues, words_of
from judging.formats.mappings.table_mapping import SYSTEM_CHOICES

MOST_CHOICES = 20

_OTHER_MEANINGS = {
    "tie": "tie tied both about_the_same equal equally_good same draw tie_inconsistent 1_5 0_5 no_preference",
    "both-bad": "both_bad bothbad tie_bothbad both_are_bad",
    "cannot-judge": "cannot_judge cannot_tell cant_tell can_t_tell unsure not_sure",
}
_FILLER = re.compile(
    "wins?|won|is|better|the|response|model|output|answer|option|text|summary|candidate|assistant|system|completion|winner"
)
_RATER_COLUMN = re.compile(r"(annotator|annotation|rater|human|worker|vote|label|preference)_?[0-9]+")
_ORDER = re.compile(r"\W*([AaBb12])\s*([<>=])[<>=]*\s*([AaBb12])\W*")


def guess_choices(guess: ColumnGuess) -> None:
    """Map the choice and its values, or the columns that mark the winner."""
    few = [column for column in guess.free if 0 < len(column.distinct) <= MOST_CHOICES]
    raters = [column for column in few if _RATER_COLUMN.fullmatch(column.words)]
    if column := guess.take_named("choice", few):
        guess.choices = guess_meanings([column], guess.taken)
    elif len(raters) > 1:
        for column in raters:
            guess.take(f"vote:{column.label}", column)
        guess.choices = guess_meanings(raters, guess.taken)
    else:
        _guess_marks(guess)


def guess_meanings(columns: Sequence[ColumnValues], taken: Mapping[str, ColumnValues]) -> dict[str, tuple[str, ...]]:
    """Return meaning -> values of the columns of choices. taken: the columns of the other fields."""
    choices: dict[str, tuple[str, ...]] = {}
    distinct = list_choices(columns)
    if _name_systems(distinct, taken):
        choices = {meaning: (field,) for meaning, field in SYSTEM_CHOICES.items()}
    by_system = set(choices)
    sides = _sides_in_use(distinct, taken.get("text_first"))
    for value in distinct:
        meaning = _other_meaning_of(value) or _side_of(value, sides)
        if meaning and meaning not in by_system:
            choices[meaning] = (*choices.get(meaning, ()), value)
    return choices


def list_choices(columns: Sequence[ColumnValues]) -> list[str]:
    """Return the first distinct values of these columns."""
    return list(dict.fromkeys(value for column in columns for value in column.distinct))[:MOST_CHOICES]


def _guess_marks(guess: ColumnGuess) -> None:
    """Map columns such as `winner_model_a`, `winner_model_b` and `winner_tie`, which mark the winner."""
    for column in guess.free_numbers():
        stem, _, rest = column.words.partition("_")
        if stem == "winner":
            meaning = _other_meaning_of(rest) or _side_of(rest, SIDES)
            if meaning:
                guess.take(f"choice:{meaning}", column)


def _name_systems(choices: Sequence[str], taken: Mapping[str, ColumnValues]) -> bool:
    """Return True if each choice is the name of a system, or a tie."""
    if not set(SYSTEM_CHOICES.values()) <= taken.keys():
        return False
    systems = {name for field in SYSTEM_CHOICES.values() for name in taken[field].distinct}
    names = [value for value in choices if not _other_meaning_of(value)]
    return bool(names) and all(value in systems for value in names)


def _other_meaning_of(value: str) -> str:
    """Return the meaning of a value that prefers neither side; "" for any other value."""
    words = words_of(value)
    return next((meaning for meaning, values in _OTHER_MEANINGS.items() if words in values.split()), "")


def _side_of(value: str, sides: Sequence[tuple[str, str]]) -> str:
    """Return first, second or tie for a value such as "A", "model_b", "2", "response 1 is better" or "A>B"."""
    if order := _ORDER.fullmatch(value):
        left, sign, _ = order.groups()
        is_first = (left in "Aa1") == (sign == ">")
        return "tie" if sign == "=" else "first" if is_first else "second"
    words = [word for word in words_of(value).split("_") if not _FILLER.fullmatch(word)]
    if len(words) == 2 and words[1] == "0":  # a number such as 1.0
        words.pop()
    if len(words) != 1:
        return ""
    for first, second in sides:
        if words[0] in (first, second):
            return "first" if words[0] == first else "second"
    return ""


def _sides_in_use(values: Sequence[str], first: ColumnValues | None) -> list[tuple[str, str]]:
    """Return the names of the two sides. Only columns that end in 0 and 1 make clear which of the two is first.

    first: the column of the first text.
    """
    letters = [sides for sides in SIDES if not sides[0].isdigit()]
    if first is not None and first.words.endswith("_0"):
        return [*letters, ("0", "1")]
    is_unclear = "0" in values and "2" not in values
    return letters if is_unclear else [*letters, ("1", "2")]
