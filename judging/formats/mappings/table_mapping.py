"""A mapping: the layout of a table, the column of each field, and the meaning of the choices in it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from judging.file_problems import InvalidFile, Problem, describe_value, list_names, repeated_names
from judging.formats.checked_rows import NUMBER
from judging.formats.records import VoteChoice

CONTEXT_FIELDS = ("context", "context_text", "messages", "subset", "field:", "reference")
PAIR_FIELDS = ("text_first", "text_second", "system_first", "system_second")
CHOICE_FIELDS = ("choice", "choice:", "vote:", "won:first", "won:second", "won:tie", "rater", "attribute")

# A field may have several columns: the second is `context:2`. The sign joins their cells; conversations are not joined.
JOINED_BY: Mapping[str, str] = {"context": "/", "context_text": "\n\n", "messages": ""}

# A field that ends in a colon is followed by a name: `score:NAME`.
LAYOUT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "candidates": (*CONTEXT_FIELDS, "candidate", "system", "text", "score:", "rater", "attribute", "score"),
    "wide": (*CONTEXT_FIELDS, "text:", "score:"),
    "pairs": (*CONTEXT_FIELDS, *PAIR_FIELDS, "chosen", "rejected", *CHOICE_FIELDS),
    "votes": (*CONTEXT_FIELDS, "first", "second", *PAIR_FIELDS, *CHOICE_FIELDS),
}
_REQUIRED_FIELDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "candidates": (("text",),),
    "wide": (("text:",),),
    "pairs": (("text_first", "chosen", "system_first"), ("text_second", "rejected", "system_second")),
    "votes": (("first",), ("second",)),
}
# Contexts and candidates may be named by their texts or systems, which the dataset is searched for.
_CONTEXT_NAME = ("context", "context_text", "messages")
_PAIR_NAMES = (*_CONTEXT_NAME, "attribute", "first", "second", *PAIR_FIELDS)
_CANDIDATE_NAMES = (*_CONTEXT_NAME, "attribute", "candidate", "candidate_text", "system")
LOG_FIELDS: Mapping[str, tuple[str, ...]] = {"": ("context_text", *PAIR_FIELDS)}
"""Fields of logs of annotation tools. Such logs have no layout."""
RECORDED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "recorded-comparisons": (
        *(*_PAIR_NAMES, "p_first", "choice", "judge", "prompt", "method", "text"),
        *("error", "raw_first", "raw_second", "raw_tie"),
    ),
    "recorded-scores": (*_CANDIDATE_NAMES, "score", "judge", "prompt", "method", "text", "error"),
    "recorded-comparisons-in-replies": (*(*_PAIR_NAMES, "reply", "judge", "prompt", "method", "error"),),
    "recorded-scores-in-replies": (*_CANDIDATE_NAMES, "reply", "judge", "prompt", "method", "error"),
    "recorded-ratings": (*_CANDIDATE_NAMES, "rater", "score"),
    "recorded-votes": (
        *(*_PAIR_NAMES, "choice", "choice:", "vote:", "rater", "strength", "confidence", "comment"),
        *("seconds", "campaign", "guidelines", "excluded", "purpose", "reading_aids", "occurrence"),
    ),
}
_CONTEXT = ("context", "context_text")
_PAIR = (_CONTEXT, ("first", "text_first", "system_first"), ("second", "text_second", "system_second"))
_CANDIDATE = (_CONTEXT, ("candidate", "candidate_text", "system"))
_REQUIRED_RECORDED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "recorded-comparisons": (*_PAIR, ("p_first", "choice")),
    "recorded-scores": (*_CANDIDATE, ("score",)),
    "recorded-comparisons-in-replies": (*_PAIR, ("reply",)),
    "recorded-scores-in-replies": (*_CANDIDATE, ("reply",)),
    "recorded-ratings": (*_CANDIDATE, ("rater",), ("score",)),
    "recorded-votes": (*_PAIR, ("choice", "choice:", "vote:"), ("rater", "vote:")),
}
_REQUIRED = {**_REQUIRED_FIELDS, **_REQUIRED_RECORDED, "": ()}
_PARTNERS = {
    **{"chosen": "rejected", "rejected": "chosen", "score": "attribute"},
    **{"text_first": "text_second", "text_second": "text_first"},
}
_TEXTS_OF_LAYOUT = {"candidates": ("text",), "pairs": ("text_first", "text_second")}
MEANINGS = (*get_args(VoteChoice), "none")  # none: such a line has no vote
RECORDED_MEANINGS = {
    "recorded-comparisons": ("first", "second", "tie", "unparsed", "error"),
    "recorded-scores": (),
    "recorded-comparisons-in-replies": (),
    "recorded-scores-in-replies": (),
    "recorded-ratings": (),
    "recorded-votes": get_args(VoteChoice),
}


@dataclass(frozen=True, slots=True)
class TableMapping:
    """A mapping of a table's columns.

    columns: field -> column. choices: meaning -> the values with this meaning in the column of `choice`.
    A value such as `@left` is no value: the choice names the winner, as the column `left` has it.
    """

    layout: str
    columns: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def named(self, prefix: str) -> dict[str, str]:
        """Return name -> column of the fields with this prefix, such as `score:`."""
        return {name.removeprefix(prefix): column for name, column in self.columns.items() if name.startswith(prefix)}

    def columns_of(self, field: str) -> list[str]:
        """Return the columns of a field that may have several."""
        return [column for name, column in self.columns.items() if name.partition(":")[0] == field]

    @property
    def has_scores(self) -> bool:
        """True if words in place of scores may mean numbers, as choices have a meaning."""
        return self.layout in ("candidates", "wide") and bool(self.columns_of("score"))

    @property
    def choice_columns(self) -> list[str]:
        """The columns whose values are choices: one, or one for each rater or each question."""
        return [column for name, column in self.columns.items() if is_choice(name)]

    @property
    def sides_by_name(self) -> dict[str, str]:
        """Side -> the column whose value is its name in the choices; empty where choices do not name the winner."""
        return {side: one[1:] for side, values in self.choices.items() for one in values if one.startswith("@")}

    def meaning_of(self, value: str) -> str:
        """Return the fixed meaning of a choice's value; "" if it has none."""
        pairs = ((meaning, one) for meaning, values in self.choices.items() for one in values)
        known = {one.strip(): meaning for meaning, one in pairs if not one.startswith("@")}
        return known.get(value.strip(), "")

    def ignored(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that are not read."""
        read = {*self.columns.values(), *self.sides_by_name.values()}
        return [column for column in columns if column not in read]

    def without(self, optional: Collection[str], columns: Collection[str]) -> TableMapping:
        """Return the mapping without the optional fields whose column is not among these."""
        kept = {name: column for name, column in self.columns.items() if column in columns or name not in optional}
        return TableMapping(self.layout, kept, self.choices)

    def in_order(self) -> TableMapping:
        """Return the mapping with its fields in the order of the layout."""
        fields = fields_of(self.layout)
        order = {name: position for position, name in enumerate(fields)}
        kinds = {name: name if name in order else f"{name.partition(':')[0]}:" for name in map(option_of, self.columns)}
        columns = sorted(self.columns.items(), key=lambda item: order.get(kinds[option_of(item[0])], len(fields)))
        return TableMapping(self.layout, dict(columns), self.choices)

    def to_json(self) -> dict[str, Any]:
        """Return the mapping to store, as the command's options. Lists keep their order in any database."""
        choices = [(meaning, value) for meaning, values in self.choices.items() for value in values]
        return {
            "layout": self.layout,
            "map": [f"{option_of(name)}={column}" for name, column in self.columns.items()],
            "choice": [f"{meaning}={value}" for meaning, value in choices],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> TableMapping:
        return parse_mapping(values["layout"], values["map"], values["choice"], is_complete=False)

    def options(self) -> str:
        """Return the options of the command that imports tables by this mapping."""
        stored = self.to_json()
        words = ["--layout", self.layout] if self.layout in LAYOUT_FIELDS else []
        words += [word for name in ("map", "choice") for value in stored[name] for word in (f"--{name}", value)]
        return shlex.join(words)


def is_choice(field: str) -> bool:
    """Return True for a field with choices: `choice`, `vote:RATER` and `choice:ATTRIBUTE`."""
    return field == "choice" or field.startswith(("choice:", "vote:"))


def option_of(field: str) -> str:
    """Return the field as an option names it: `context` for its second column, `context:2`."""
    name = field.partition(":")[0]
    return name if name in JOINED_BY else field


def fields_of(layout: str) -> tuple[str, ...]:
    """Return the fields of a layout, of datasets or of recorded judgments."""
    return {**LAYOUT_FIELDS, **LOG_FIELDS, **RECORDED_FIELDS}[layout]


def meanings_of(layout: str) -> tuple[str, ...]:
    """Return the meanings that a choice may have in a layout."""
    return RECORDED_MEANINGS.get(layout, MEANINGS)


def parse_mapping(
    layout: str,
    map_options: Sequence[str],
    choice_options: Sequence[str],
    *,
    is_complete: bool = True,
    layouts: Mapping[str, tuple[str, ...]] = LAYOUT_FIELDS,
) -> TableMapping:
    """Read a mapping from `FIELD=COLUMN` and `MEANING=VALUE`. Raises InvalidFile with every problem.

    is_complete: False for a mapping that may still lack something. layouts: those that are allowed, with their fields.
    """
    problems: list[Problem] = []
    pairs = list(number_columns(_split(map_options, "map", "FIELD=COLUMN", problems)))
    for name in repeated_names([name for name, _ in pairs]):
        problems.append(Problem("map", None, "", f"the field {describe_value(name)} twice", "each field once"))
    columns = _with_texts(layout, dict(pairs))
    choices: dict[str, list[str]] = {}
    for meaning, value in _split(choice_options, "choice", "MEANING=VALUE", problems):
        choices.setdefault(meaning, []).append(value)
    mapping = TableMapping(layout, columns, {meaning: tuple(values) for meaning, values in choices.items()})
    problems += find_mapping_problems(mapping, layouts) if is_complete else ()
    if problems:
        raise InvalidFile(problems)
    return mapping


def number_columns(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield field and column, with a number for a further column of a field that may have several."""
    counts = Counter[str]()
    for name, column in pairs:
        counts[name] += 1
        yield (f"{name}:{counts[name]}" if name in JOINED_BY and counts[name] > 1 else name), column


def _with_texts(layout: str, columns: dict[str, str]) -> dict[str, str]:
    """Give the columns of conversations to the layout's texts, if these have no column."""
    texts = _TEXTS_OF_LAYOUT.get(layout, ())
    named = TableMapping(layout, columns).columns_of("messages")
    is_free = len(named) == len(texts) and not columns.keys() & {*texts, "chosen", "rejected"}
    return {**dict(zip(texts, named, strict=True)), **columns} if is_free else columns


def find_mapping_problems(
    mapping: TableMapping, layouts: Mapping[str, tuple[str, ...]] = LAYOUT_FIELDS
) -> Iterator[Problem]:
    """Find what is wrong with a mapping, whatever the table. layouts: those that are allowed, with their fields."""
    if mapping.layout not in layouts:
        expected = f"one of {', '.join(layouts)}"
        yield Problem("layout", None, "", describe_value(mapping.layout), expected)
        return
    for name in mapping.columns:
        if not _is_field(name, mapping.layout):
            expected = f"a field of the layout {mapping.layout}: {_list_fields(mapping.layout)}"
            yield Problem("map", None, "", f"unknown field {describe_value(name)}", expected)
    for names in missing_fields(mapping):
        labels = [f"{name}NAME" if name.endswith(":") else name for name in names]
        expected = f"a column for it: --map {labels[0]}=COLUMN"
        yield Problem("map", None, "", f"{' or '.join(labels)}: missing", expected)
    for name in scores_without_system(mapping):
        expected = "score:SYSTEM:NAME, with a system of the layout wide"
        yield Problem("map", None, "", describe_value(f"score:{name}"), expected)
    yield from _find_choice_problems(mapping)


def scores_without_system(mapping: TableMapping) -> list[str]:
    """Return the scores of a wide table that name none of its systems."""
    if mapping.layout != "wide":
        return []
    systems = tuple(f"{system}:" for system in mapping.named("text:"))
    return [name for name in mapping.named("score:") if not name.startswith(systems)]


def _find_choice_problems(mapping: TableMapping) -> Iterator[Problem]:
    meanings = ("a number", "none") if mapping.has_scores else meanings_of(mapping.layout)
    for meaning in mapping.choices:
        if meaning not in meanings and not (mapping.has_scores and is_number(meaning)):
            expected = f"one of {', '.join(meanings)}"
            yield Problem("choice", None, "", f"unknown meaning {describe_value(meaning)}", expected)
    for value in repeated_names([value for values in mapping.choices.values() for value in values]):
        yield Problem("choice", None, "", f"{describe_value(value)} twice", "one meaning for each value")
    by_name = sorted(meaning for meaning, values in mapping.choices.items() for one in values if one.startswith("@"))
    if by_name not in ([], ["first", "second"]):
        expected = "--choice first=@COLUMN and --choice second=@COLUMN, once each"
        yield Problem("choice", None, "", f"columns that name {list_names(by_name)}", expected)
    if mapping.layout in LAYOUT_FIELDS and mapping.choice_columns and not mapping.choices:
        expected = "the values that mean first, second and tie: --choice first=VALUE"
        yield Problem("choice", None, "", "missing", expected)


def is_number(meaning: str) -> bool:
    """Return True for a number, which words in place of scores mean."""
    return NUMBER.fullmatch(meaning) is not None


def find_missing_columns(mapping: TableMapping, file: str, columns: Sequence[str]) -> Iterator[Problem]:
    for name, column in (*mapping.columns.items(), *mapping.sides_by_name.items()):
        if column not in columns:
            expected = f"a column of the file: {list_names(columns)}"
            yield Problem(file, 1, name, f"no column {describe_value(column)}", expected)


def _split(options: Sequence[str], name: str, form: str, problems: list[Problem]) -> Iterator[tuple[str, str]]:
    for option in options:
        key, sign, value = option.partition("=")
        if sign and key and value:
            yield key, value
        else:
            problems.append(Problem(name, None, "", describe_value(option), form))


def _is_field(name: str, layout: str) -> bool:
    if "=" in name:
        return False
    prefix, colon, rest = name.partition(":")
    fields = fields_of(layout)
    if rest and prefix in JOINED_BY:
        return prefix in fields
    return (name in fields and not name.endswith(":")) or bool(colon and rest and f"{prefix}:" in fields)


def missing_fields(mapping: TableMapping) -> Iterator[tuple[str, ...]]:
    """Yield the fields that the layout needs and the mapping lacks. Of each group, one is enough."""
    groups = [names for names in _REQUIRED[mapping.layout] if not any(_is_mapped(name, mapping) for name in names)]
    yield from groups
    for name, partner in _PARTNERS.items():
        if name in mapping.columns and partner not in mapping.columns and not any(partner in names for names in groups):
            yield (partner,)


def _is_mapped(name: str, mapping: TableMapping) -> bool:
    return name in mapping.columns or (name[-1] == ":" and bool(mapping.named(name)))


def _list_fields(layout: str) -> str:
    return ", ".join(f"{name}NAME" if name.endswith(":") else name for name in fields_of(layout))
