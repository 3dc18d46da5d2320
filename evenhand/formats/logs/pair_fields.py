"""Find the context, the two texts and their systems among the fields of an annotation tool, and what a label means."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.file_problems import ProblemLog, describe_value, list_names
from evenhand.formats.logs.logged_item import Label, ToolLog, drop_empty
from evenhand.formats.mappings.choice_guessing import MOST_CHOICES, meaning_of_label
from evenhand.formats.mappings.column_guess import SIDES, names_field
from evenhand.formats.mappings.column_values import words_of

UNCLEAR_TEXTS = "whose two texts are not clear (--map text_first=FIELD --map text_second=FIELD names them)"

_CONTEXT_NAMES = {"prompt", "instruction", "question", "input", "context", "document", "article", "source", "query"}
_LABEL_SIDES = [sides for sides in SIDES if "0" not in sides]  # 1 alone may be the second of 0 and 1
_FIELD_SIDES = [*_LABEL_SIDES, ("chosen", "rejected")]
_MAPPED = ("context_text", "text_first", "text_second", "system_first", "system_second")


@dataclass(frozen=True, slots=True)
class PairFields:
    """The fields of one record. context: empty for none. first, second: names of the texts. systems: who wrote them."""

    fields: Mapping[str, Any]
    context: str
    first: str
    second: str
    systems: Sequence[object]

    def context_line(self, key: object, votes: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Return the record as a line of an Evenhand dataset."""
        sides = zip((self.first, self.second), self.systems, strict=True)
        candidates = [{"candidate": name, "text": self.fields[name], **drop_empty(system=by)} for name, by in sides]
        text = self.fields[self.context] if self.context else ""
        return {"context": str(key), "text": text, "candidates": candidates, "votes": list(votes)}

    def read_vote(self, log: ToolLog, question: str, answer: object, **given: object) -> Iterator[dict[str, Any]]:
        """Yield the vote of an answer. One that prefers no text is counted. given: what else is known of the vote."""
        choice = self._meaning_of(answer, log, question) if isinstance(answer, str) and answer.strip() else ""
        if choice and choice != "none":
            pair = {"first": self.first, "second": self.second}
            yield {"attribute": question, **pair, "choice": choice, **drop_empty(**given)}
        else:
            log.skip(f"answers to {question} that prefer no text", answer)

    def _meaning_of(self, answer: str, log: ToolLog, question: str) -> str:
        """Return the choice that a label of a question means; "" if it is not clear. The log counts it."""
        clear = log.mapping.meaning_of(answer) or self.plain_meaning(answer)
        meaning = clear or _guess_meaning(answer)
        labels = log.labels[question]
        if answer in labels or len(labels) <= MOST_CHOICES:
            count = labels[answer].number if answer in labels else 0
            labels[answer] = Label(meaning, is_guess=not clear and bool(meaning), number=count + 1)
        return meaning

    def plain_meaning(self, answer: str) -> str:
        """Return the choice of an answer that is the name of a field, a side or a tie; "" for any other answer."""
        first, second = {"left", "first", *_names_of(self.first)}, {"right", "second", *_names_of(self.second)}
        known = {"first": first, "second": second, "tie": {"tie"}}
        return next((choice for choice, names in known.items() if words_of(answer) in names), "")


def find_pair(
    fields: Mapping[str, object], log: ToolLog, about: Mapping[str, object] | None = None
) -> PairFields | None:
    """Find two texts, and what belongs to them, by what a person said or by the names of the fields.

    Return None if they are not clear; the log counts such a record. about: what else is known of it.
    """
    context, first, second, *systems = (log.mapping.columns.get(name, "") for name in _MAPPED)
    known = {name: value for name, value in {**(about or {}), **fields}.items() if _is_text(value)}
    sides = _pairs_of_sides(known)
    of_systems = [pair for stem, pair in sides.items() if names_field(stem, "system")]
    others = {stem: pair for stem, pair in sides.items() if pair not in of_systems and {*pair} <= {*fields}}
    texts = [pair for stem, pair in others.items() if names_field(stem, "text") or names_field(stem, "candidate")]
    if not first and len(texts := texts or [*others.values()]) == 1:
        first, second = texts[0]
    if of_systems and not any(systems):
        systems = [*of_systems[0]]
    taken = {first, second, *systems, *(name for pair in sides.values() for name in pair)}
    free = [name for name in fields if name in known and name not in taken]
    named = [name for name in free if words_of(name) in _CONTEXT_NAMES] or free
    if {first, second} <= known.keys() and (context or len(named) <= 1):
        return PairFields(fields, context or "".join(named), first, second, [*map(known.get, systems)])
    log.skip(f"records {UNCLEAR_TEXTS}", ", ".join(fields))
    return None


def _pairs_of_sides(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return stem -> first and second of the names that differ only in their side."""
    by_words = {words_of(name): name for name in names}
    found = [(words.removesuffix(a), a, b) for words in by_words for a, b in _FIELD_SIDES if words.endswith(a)]
    return {stem.strip("_"): (by_words[stem + a], by_words[stem + b]) for stem, a, b in found if stem + b in by_words}


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


def _guess_meaning(label: str) -> str:
    """Return the choice that a label means in any table. In votes on two texts, "neither" means that both are bad."""
    is_neither = words_of(label).partition("_")[0] in ("neither", "none")
    return meaning_of_label(label, _LABEL_SIDES) or ("both-bad" if is_neither else "")


def _names_of(field: str) -> set[str]:
    """Return the words of a field, and its side."""
    words = words_of(field)
    return {words, *(side for sides in _FIELD_SIDES for side in sides if words.endswith(f"_{side}"))}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
