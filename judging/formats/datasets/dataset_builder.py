"""A dataset while its rows come in: contexts and candidates by identifier, attributes as they are met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judging.formats.checked_rows import LONGEST_NAME, Row
from judging.formats.problems import shown
from judging.formats.records import AttributeRecord, CandidateRecord, ContextRecord, VoteRecord

ALL = "all"  # what reports call the whole dataset


class Attributes:
    """The attributes of a dataset.

    declared: those the file's header names; every other is then a problem. Without any, the attributes are those
        found, in order of appearance.
    usual: what the format says of an attribute wherever it is found: its range, its definition.
    """

    def __init__(self, declared: Iterable[AttributeRecord] = (), usual: Iterable[AttributeRecord] = ()) -> None:
        self._found = {attribute.name: attribute for attribute in declared}
        self._is_closed = bool(self._found)
        self._usual = {attribute.name: attribute for attribute in usual}

    def records(self) -> tuple[AttributeRecord, ...]:
        return tuple(self._found.values())

    def named(self, row: Row, key: str, name: str) -> AttributeRecord:
        """The attribute of this name. `key` is where in the row it is named, for the problem if it cannot be one."""
        if name in self._found:
            return self._found[name]
        attribute = self._usual.get(name, AttributeRecord(name))
        if self._is_closed:
            row.problem(key, f"unknown attribute {shown(name)}", f"one of {', '.join(self._found)}, as the header says")
            return attribute
        row.checked(key, name, longest=LONGEST_NAME)
        self._found[name] = attribute
        return attribute

    def scores(self, row: Row, names: Iterable[str]) -> dict[str, float]:
        """The row's number for each of these attributes, within the attribute's range."""
        numbers = {}
        for name in names:
            attribute = self.named(row, name, name)
            numbers[name] = row.number(name, attribute.minimum, attribute.maximum)
        return {name: number for name, number in numbers.items() if number is not None}


@dataclass(slots=True)
class ContextDraft:
    """A context and what has come in for it. row: where it first came up."""

    row: Row
    key: str
    text: str
    subset: str = ""
    reference: str = ""
    candidates: dict[str, CandidateRecord] = field(default_factory=dict)
    votes: list[VoteRecord] = field(default_factory=list)

    def add(self, row: Row, key: str, candidate: CandidateRecord) -> None:
        """Add a candidate whose identifier stands under `key` of the row; a problem if the context has it already."""
        if candidate.key and candidate.key in self.candidates:
            row.problem(key, f"{shown(candidate.key)} again", f"each candidate of context {shown(self.key)} once")
        self.candidates[candidate.key] = candidate

    def expect(self, row: Row, **stated: str) -> None:
        """Log what a later row of the same context states differently. stated: the row's key of each text."""
        for name, key in stated.items():
            if row.values.get(key, "") != getattr(self, name):
                first = f"the same as in {self.row.file}, line {self.row.line}: it is the same context"
                row.problem(key, shown(row.values.get(key, "")), first)

    def record(self) -> ContextRecord:
        return ContextRecord(
            key=self.key,
            text=self.text,
            subset=self.subset,
            reference=self.reference,
            candidates=tuple(self.candidates.values()),
            votes=tuple(self.votes),
        )


def subset_of(row: Row) -> str:
    """The row's subset; "" where it names none."""
    subset = row.optional_text("subset", longest=LONGEST_NAME)
    if subset == ALL:
        row.problem("subset", shown(subset), "another name: reports call the whole dataset so")
    return subset


class DatasetDraft:
    """Contexts in order of appearance, and the attributes."""

    def __init__(self, attributes: Attributes) -> None:
        self.attributes = attributes
        self._contexts: dict[str, ContextDraft] = {}
        self._by_source: dict[str, ContextDraft] = {}

    def find(self, key: str) -> ContextDraft | None:
        return self._contexts.get(key)

    def about(self, row: Row, source: str, *, text: str, reference: str = "", reference_key: str = "") -> ContextDraft:
        """The context of all rows with this source; a new one, numbered from 0, if this is the first.

        A problem if it has another reference already. reference_key: the row's key of its reference.
        """
        if not source:
            return ContextDraft(row=row, key="", text=text)  # a stand-in: its absence is logged
        if source not in self._by_source:
            key = str(len(self._contexts))
            self._by_source[source] = ContextDraft(row=row, key=key, text=text, reference=reference)
            self._contexts[key] = self._by_source[source]
        context = self._by_source[source]
        if reference and context.reference and reference != context.reference:
            context.expect(row, reference=reference_key)
        return context

    def add(self, row: Row, key: str, context: ContextDraft) -> ContextDraft:
        """Add a context whose identifier stands under `key` of the row; a problem if there is one of that name."""
        if context.key and context.key in self._contexts:
            first = self._contexts[context.key].row
            row.problem(
                key, f"{shown(context.key)} again", f"each context once; {first.file} has it on line {first.line}"
            )
        self._contexts[context.key] = context
        return context

    def contexts(self) -> tuple[ContextRecord, ...]:
        return tuple(context.record() for context in self._contexts.values())
