"""Find the context, the two texts and their systems among the fields of an annotation tool, and what a label means."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from judging.file_problems import ProblemLog, describe_value, list_names
from judging.formats.logs.logged_item import Label, ToolLog, drop_empty
from judging.formats.mappings.choice_guessing import MOST_CHOICES, guess_meanings
from judging.formats.mappings.column_values import ColumnValues

UNCLEAR_TEXTS = "whose two texts are not clear (--map text_first=FIELD --map text_second=FIELD names them)"

_CONTEXT_NAMES = ("prompt", "instruction", "question", "input", "context", "document", "article", "source", "query")
_TEXT_STEMS = ("answer", "response", "output", "completion", "summary", "text", "candidate", "translation", "reply")
_SYSTEM_STEMS = ("model", "modelname", "modelid", "system", "systemname", "generator")
_SIDE = re.compile(r"(?P<stem>.*?)[ _-]?(?P<side>1|2|a|b|left|right|chosen|rejected)", re.IGNORECASE)
_FIRST_SIDES = {"1", "a", "left", "chosen"}
_TIES = {"tie", "equal", "same", "both", "draw", "equallygood"}
_BOTH_BAD = {"neither", "none", "bothbad", "bothbadly"}
_FILLER = re.compile("isbetter|better|preferred|wins|won")
_MAPPED = ("context_text", "text_first", "text_second", "system_first", "system_second")


@dataclass(frozen=True, slots=True)
class PairFields:
    """The fields of one record. context: empty for none. first, second: names of the texts. systems: who wrote them."""

    context: str
    first: str
    second: str
    systems: tuple[object, object]

    def context_line(self, key: str, fields: Mapping[str, Any], votes: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the record as a line of an Evenhand dataset."""
        sides = zip((self.first, self.second), self.systems, strict=True)
        candidates = [{"candidate": name, "text": fields[name], **drop_empty(system=by)} for name, by in sides]
        text = fields[self.context] if self.context else ""
        return {"context": key, "text": text, "candidates": candidates, "votes": votes}

    def meaning_of(self, answer: object, log: ToolLog, question: str) -> str:
        """Return the choice that a label of a question means; "" if it is no text or not clear. The log counts it."""
        if not isinstance(answer, str) or not answer.strip():
            return ""
        clear = log.mapping.meaning_of(answer) or self.plain_meaning(answer)
        meaning = clear or _guess_meaning(answer)
        labels = log.labels[question]
        if answer in labels or len(labels) <= MOST_CHOICES:
            count = labels[answer].number if answer in labels else 0
            labels[answer] = Label(meaning, is_guess=not clear and bool(meaning), number=count + 1)
        return meaning

    def plain_meaning(self, answer: str) -> str:
        """Return the choice of an answer that names a field, a side or a tie; "" for any other answer."""
        name = _FILLER.sub("", _plain(answer))
        first, second = {"left", "first", *_names_of(self.first)}, {"right", "second", *_names_of(self.second)}
        known = {"first": first, "second": second, "tie": _TIES, "both-bad": _BOTH_BAD}
        return next((choice for choice, names in known.items() if name in names), "")


def find_pair(
    fields: Mapping[str, object], mapped: Mapping[str, str], about: Mapping[str, object] | None = None
) -> PairFields | None:
    """Find two texts, and what belongs to them, by the names of the fields; None if they are not clear.

    mapped: what a person said, such as `text_first` -> the field. about: what else is known of the record.
    """
    context, first, second, *systems = (mapped.get(name, "") for name in _MAPPED)
    known = {name: value for name, value in {**(about or {}), **fields}.items() if _is_text(value)}
    sides = _pairs_of_sides(known)
    by_stem = {stem: pair for stem, pair in sides.items() if stem not in _SYSTEM_STEMS and set(pair) <= set(fields)}
    texts = [pair for stem, pair in by_stem.items() if stem in _TEXT_STEMS] or [*by_stem.values()]
    if not first and len(texts) == 1:
        first, second = texts[0]
    if not (first in known and second in known):
        return None
    systems = (
        systems if any(systems) else next((pair for stem, pair in sides.items() if stem in _SYSTEM_STEMS), systems)
    )
    taken = {first, second, *systems, *(name for pair in sides.values() for name in pair)}
    others = [name for name in fields if name in known and name not in taken]
    named = [name for name in others if _plain(name) in _CONTEXT_NAMES] or others
    if not context and len(named) > 1:
        return None
    return PairFields(context or "".join(named), first, second, (known.get(systems[0]), known.get(systems[1])))


def _pairs_of_sides(names: Mapping[str, object]) -> dict[str, list[str]]:
    """Return stem -> first and second of the names that differ only in their side."""
    sides: dict[str, dict[bool, str]] = defaultdict(dict)
    for name in names:
        if match := _SIDE.fullmatch(name):
            sides[_plain(match["stem"])][match["side"].lower() in _FIRST_SIDES] = name
    return {stem: [pair[True], pair[False]] for stem, pair in sides.items() if len(pair) == 2}


def check_labels(log: ToolLog, problems: ProblemLog) -> None:
    """Note the labels whose meaning was guessed. Refuse a question where only some are clear, or none of any question.

    Many labels, or unclear ones that all differ, are comments.
    """
    has_clear = any(one.meaning for labels in log.labels.values() for one in labels.values())
    for question, labels in log.labels.items():
        if guessed := [f"{describe_value(label)} as {one.meaning}" for label, one in labels.items() if one.is_guess]:
            log.notes.append(f"{question}: labels are read by their words: {', '.join(guessed)}")
        unclear = [label for label, one in labels.items() if not one.meaning]
        is_repeated = sum(one.number for one in labels.values()) > len(labels)
        is_question = len(unclear) < len(labels) or (is_repeated and not has_clear)
        if unclear and is_question and len(labels) <= MOST_CHOICES:
            value = f"no meaning of {list_names([describe_value(label) for label in unclear])}"
            expected = f"what each label means: --choice first={shlex.quote(unclear[0])}, or second, tie, none …"
            problems.add(log.file, None, question, value, expected)


@lru_cache(maxsize=1_000)
def _guess_meaning(label: str) -> str:
    """Return the meaning that a choice has in any table."""
    return next(iter(guess_meanings([ColumnValues("", [label], False, False)], {})), "")


def _names_of(field: str) -> set[str]:
    match = _SIDE.fullmatch(field)
    return {_plain(field), match["side"].lower()} if match else {_plain(field)}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _plain(value: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(value).lower())
