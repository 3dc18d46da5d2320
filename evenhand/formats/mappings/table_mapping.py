"""A mapping: the layout of a table, the column of each field, and the meaning of the choices in it."""

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.file_problems import InvalidFile, Problem, ProblemLog, describe_value, list_names, repeated_names
from evenhand.formats.checked_rows import NUMBER
from evenhand.formats.mappings.table_layouts import DATASET_LAYOUTS, LAYOUTS

# A field may have several columns: the second is `context:2`. The sign joins their cells; conversations are not joined.
JOINED_BY: Mapping[str, str] = {"context": "/", "context_text": "\n\n", "messages": ""}
_PARTNERS = {
    **{"chosen": "rejected", "rejected": "chosen", "score": "attribute"},
    **{"text_first": "text_second", "text_second": "text_first"},
}
_TEXTS_OF_LAYOUT = {"candidates": ("text",), "pairs": ("text_first", "text_second")}


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

    def without(self, optional: Collection[str], columns: Collection[str]) -> "TableMapping":
        """Return the mapping without the optional fields whose column is not among these."""
        kept = {name: column for name, column in self.columns.items() if column in columns or name not in optional}
        return TableMapping(self.layout, kept, self.choices)

    def in_order(self) -> "TableMapping":
        """Return the mapping with its fields in the order of the layout."""
        order = {name: position for position, name in enumerate(LAYOUTS[self.layout].fields)}
        names = sorted(self.columns, key=lambda name: order.get(split_field(name, self.layout)[0], len(order)))
        return TableMapping(self.layout, {name: self.columns[name] for name in names}, self.choices)

    def to_json(self) -> dict[str, Any]:
        """Return the mapping to store, as the command's options. Lists keep their order in any database."""
        choices = [(meaning, value) for meaning, values in self.choices.items() for value in values]
        return {
            "layout": self.layout,
            "map": [f"{option_of(name)}={column}" for name, column in self.columns.items()],
            "choice": [f"{meaning}={value}" for meaning, value in choices],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "TableMapping":
        return parse_mapping(values["layout"], values["map"], values["choice"], is_complete=False)

    def options(self) -> str:
        """Return the options of the command that imports tables by this mapping."""
        stored = self.to_json()
        words = ["--layout", self.layout] if self.layout in DATASET_LAYOUTS else []
        words += [word for name in ("map", "choice") for value in stored[name] for word in (f"--{name}", value)]
        return shlex.join(words)


def is_choice(field: str) -> bool:
    """Return True for a field with choices: `choice`, `vote:RATER` and `choice:ATTRIBUTE`."""
    return field == "choice" or field.startswith(("choice:", "vote:"))


def option_of(field: str) -> str:
    """Return the field as an option names it: `context` for its second column, `context:2`."""
    name = field.partition(":")[0]
    return name if name in JOINED_BY else field


def split_field(field: str, layout: str) -> tuple[str, str]:
    """Return the field as the layout lists it, and the name after its colon: `score:` and "fun" for `score:fun`."""
    kind, colon, name = field.partition(":")
    if kind in JOINED_BY and bool(colon) == bool(name):
        return kind, ""
    return (field, "") if field in LAYOUTS[layout].fields else (f"{kind}{colon}", name)


def parse_mapping(
    layout: str,
    map_options: Sequence[str],
    choice_options: Sequence[str],
    *,
    is_complete: bool = True,
    layouts: Collection[str] = DATASET_LAYOUTS,
) -> TableMapping:
    """Read a mapping from `FIELD=COLUMN` and `MEANING=VALUE`. Raises InvalidFile with every problem.

    is_complete: False for a mapping that may still lack something. layouts: those that are allowed.
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


def find_mapping_problems(mapping: TableMapping, layouts: Collection[str] = DATASET_LAYOUTS) -> Iterator[Problem]:
    """Find what is wrong with a mapping, whatever the table. layouts: those that are allowed."""
    if mapping.layout not in layouts:
        expected = f"one of {', '.join(layouts)}"
        yield Problem("layout", None, "", describe_value(mapping.layout), expected)
        return
    fields = LAYOUTS[mapping.layout].fields
    for mapped in mapping.columns:
        kind, name = split_field(mapped, mapping.layout)
        if kind not in fields or bool(name) != kind.endswith(":") or "=" in name:
            expected = f"a field of the layout {mapping.layout}: {', '.join(_labels(fields))}"
            yield Problem("map", None, "", f"unknown field {describe_value(mapped)}", expected)
    for names in missing_fields(mapping):
        labels = _labels(names)
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
    meanings = ("a number", "none") if mapping.has_scores else LAYOUTS[mapping.layout].meanings
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
    if mapping.layout in DATASET_LAYOUTS and mapping.choice_columns and not mapping.choices:
        expected = "the values that mean first, second and tie: --choice first=VALUE"
        yield Problem("choice", None, "", "missing", expected)


def is_number(meaning: str) -> bool:
    """Return True for a number, which words in place of scores mean."""
    return NUMBER.fullmatch(meaning) is not None


def has_columns(mapping: TableMapping, file: str, columns: Sequence[str], log: ProblemLog) -> bool:
    """Return True if a file has all columns of a mapping. Log the missing ones."""
    named = (*mapping.columns.items(), *mapping.sides_by_name.items())
    missing = [(name, column) for name, column in named if column not in columns]
    for name, column in missing:
        log.add(file, 1, name, f"no column {describe_value(column)}", f"a column of the file: {list_names(columns)}")
    return not missing


def _split(options: Sequence[str], name: str, form: str, problems: list[Problem]) -> Iterator[tuple[str, str]]:
    for option in options:
        key, sign, value = option.partition("=")
        if sign and key and value:
            yield key, value
        else:
            problems.append(Problem(name, None, "", describe_value(option), form))


def missing_fields(mapping: TableMapping) -> Iterator[tuple[str, ...]]:
    """Yield the fields that the layout needs and the mapping lacks. Of each group, one is enough."""
    kinds = {split_field(field, mapping.layout)[0] for field in mapping.columns}
    mapped = {*mapping.columns, *(kind for kind in kinds if kind.endswith(":"))}
    groups = [names for names in LAYOUTS[mapping.layout].needed if mapped.isdisjoint(names)]
    yield from groups
    for name, partner in _PARTNERS.items():
        if name in mapped and partner not in mapped and not any(partner in names for names in groups):
            yield (partner,)


def _labels(fields: Sequence[str]) -> list[str]:
    return [f"{field}NAME" if field.endswith(":") else field for field in fields]
