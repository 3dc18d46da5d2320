"""Guess the column of people's choices, and the meaning of its values. What is not clear stays open."""

import re
from collections.abc import Collection, Mapping, Sequence

from evenhand.formats.mappings.column_guess import SIDES, ColumnGuess
from evenhand.formats.mappings.column_values import ColumnValues, words_of
from evenhand.formats.mappings.table_layouts import CHOICE_FIELDS

MOST_CHOICES = 20

_OTHER_MEANINGS = {
    "tie": "tie tied both equal equally_good same draw tie_inconsistent 1_5 0_5 no_preference "
    "no_difference similar equally equally_good both_same both_equally_good",
    "both-bad": "both_bad bothbad tie_bothbad both_are_bad",
    "cannot-judge": "cannot_judge cannot_tell cant_tell can_t_tell unsure not_sure",
}
_FILLER = re.compile(
    "wins?|won|is|better|preferred|the|response|model|output|answer|option|text|summary|candidate|assistant|system|completion|winner|about|roughly|are"
)
_RATER_COLUMN = re.compile(r"(annotator|annotation|rater|human|worker|vote|label|preference|winner|choice)_?[0-9]+")
_NAMED_BY = (("first", "second"), ("system_first", "system_second"))  # fields with the names of both sides
_ORDER = re.compile(r"\W*([AaBb12])\s*([<>=])[<>=]*\s*([AaBb12])\W*")


def guess_choices(guess: ColumnGuess, fields: Collection[str] = CHOICE_FIELDS) -> None:
    """Map the choice and its values, a column for each rater or question, or the columns that mark the winner.

    fields: those of the layout.
    """
    found = [one for one in guess.free if 0 < len(one.distinct) <= MOST_CHOICES or name_sides([one], guess.taken)]
    marks = [one for one in found if one.is_numeric and one.words.startswith("winner")]
    raters = [one for one in found if _RATER_COLUMN.fullmatch(one.words) and one not in marks]
    questions = [one for one in found if _is_question(one, guess.taken)]
    if column := guess.taken.get("choice") or guess.take_named("choice", found):
        guess.choices = guess_meanings([column], guess.taken)
    elif several := next((group for group in (raters, questions) if len(group) > 1 and "vote:" in fields), []):
        guess.choices = guess_meanings(several, guess.taken)
        for column in several:
            guess.take(f"{'vote' if several is raters else 'choice'}:{column.label}", column)
    elif "won:first" in fields:
        _guess_marks(guess)


def guess_meanings(columns: Sequence[ColumnValues], taken: Mapping[str, ColumnValues]) -> dict[str, tuple[str, ...]]:
    """Return meaning -> values of the columns of choices. taken: the columns of the other fields."""
    choices: dict[str, tuple[str, ...]] = {}
    distinct = list_choices(columns)
    if named := name_sides(columns, taken):
        choices = {side: (f"@{column.name}",) for side, column in zip(("first", "second"), named, strict=True)}
    by_name = set(choices)
    sides = _sides_in_use(distinct, taken.get("text_first"))
    for value in distinct:
        meaning = meaning_of_label(value, sides)
        if meaning and meaning not in by_name:
            choices[meaning] = (*choices.get(meaning, ()), value)
    return choices


def list_choices(columns: Sequence[ColumnValues]) -> list[str]:
    """Return distinct values of these columns: the first ones, and before them those that mean a tie or no choice."""
    values = list(dict.fromkeys(value for column in columns for value in column.distinct))
    return (
        values
        if len(values) <= MOST_CHOICES
        else sorted(values, key=lambda one: not _other_meaning_of(one))[:MOST_CHOICES]
    )


def _guess_marks(guess: ColumnGuess) -> None:
    """Map columns such as `winner_model_a`, `winner_model_b` and `winner_tie`, which mark the winner."""
    for column in guess.free_numbers():
        stem, _, rest = column.words.partition("_")
        if stem == "winner":
            meaning = _other_meaning_of(rest) or _side_of(rest, SIDES)
            if meaning:
                guess.take(f"won:{meaning}", column)


def _is_question(column: ColumnValues, taken: Mapping[str, ColumnValues]) -> bool:
    """Return True if each value of a column prefers a side or none. Numbers may count something else."""
    meanings = {meaning_of_label(value) for value in column.distinct}
    is_clear = "" not in meanings and bool(meanings & {"first", "second"})
    return not column.is_numeric and (is_clear or name_sides([column], taken) is not None)


def name_sides(
    columns: Sequence[ColumnValues], taken: Mapping[str, ColumnValues]
) -> tuple[ColumnValues, ColumnValues] | None:
    """Return two columns so that each choice names the cell of one of them on its line; None if there are none."""
    for first, second in ((taken[a], taken[b]) for a, b in _NAMED_BY if {a, b} <= taken.keys()):
        lines = [line for one in columns for line in zip(one.values, first.values, second.values, strict=True)]
        named = [(value.strip(), {a.strip(), b.strip()}) for value, a, b in lines if not _other_meaning_of(value)]
        named = [(value, names) for value, names in named if value]
        if named and all(value in names for value, names in named) and first is not second:
            return first, second
    return None


def meaning_of_label(value: str, sides: Sequence[tuple[str, str]] = SIDES) -> str:
    """Return the meaning of a label such as "Response A" or "About the same"; "" if it is not clear."""
    return _other_meaning_of(value) or _side_of(value, sides)


def _other_meaning_of(value: str) -> str:
    """Return the meaning of a value that prefers neither side; "" for any other value."""
    words = words_of(value)
    short = "_".join(word for word in words.split("_") if not _FILLER.fullmatch(word))
    return next((one for one, values in _OTHER_MEANINGS.items() if {words, short} & {*values.split()}), "")


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
