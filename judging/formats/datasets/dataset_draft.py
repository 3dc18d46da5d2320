"""A dataset while its rows are read: contexts and candidates by identifier, attributes as they appear."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judging.formats.checked_rows import MAX_NAME_LENGTH, CheckedRow
from judging.formats.problems import describe_value
from judging.formats.records import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, VoteRecord

RESERVED_SUBSET = "all"  # reports give the whole dataset this name
RESERVED_SUBSET_ADVICE = 'another name: in reports "all" is the whole dataset'
OVERALL_ATTRIBUTE = "overall"  # of formats whose votes name no attribute


class AttributeCollector:
    """Collects the attributes of a dataset.

    declared: the attributes that the file's header names. Any other attribute is then a problem.
        Without a declaration, attributes are added in order of appearance.
    predefined: ranges and definitions that the format gives to an attribute wherever it appears.
    """

    def __init__(self, declared: Iterable[AttributeRecord] = (), predefined: Iterable[AttributeRecord] = ()) -> None:
        self._attributes = {attribute.name: attribute for attribute in declared}
        self._is_closed = bool(self._attributes)
        self._predefined = {attribute.name: attribute for attribute in predefined}

    def records(self) -> tuple[AttributeRecord, ...]:
        return tuple(self._attributes.values())

    def get_or_add(self, row: CheckedRow, key: str, name: str) -> AttributeRecord:
        """Return the attribute of this name; add it if it is new.

        key: where the row names the attribute. A problem is logged there if the name is not allowed.
        """
        if name in self._attributes:
            return self._attributes[name]
        attribute = self._predefined.get(name, AttributeRecord(name))
        if self._is_closed:
            expected = f"one of {', '.join(self._attributes)}, as the header says"
            row.add_problem(key, f"unknown attribute {describe_value(name)}", expected)
            return attribute
        row.check_text(key, name, max_length=MAX_NAME_LENGTH)
        self._attributes[name] = attribute
        return attribute

    def read_row_scores(self, row: CheckedRow, names: Iterable[str]) -> dict[str, float]:
        """Read the row's number for each of these attributes, within the attribute's range."""
        numbers = {}
        for name in names:
            attribute = self.get_or_add(row, name, name)
            numbers[name] = row.number(name, attribute.minimum, attribute.maximum)
        return {name: number for name, number in numbers.items() if number is not None}


@dataclass(slots=True)
class ContextDraft:
    """A context and the candidates and votes read for it so far. row: where it first appeared."""

    row: CheckedRow
    key: str
    text: str
    subset: str = ""
    reference: str = ""
    candidates: dict[str, CandidateRecord] = field(default_factory=dict)
    votes: list[VoteRecord] = field(default_factory=list)

    def add_candidate(self, row: CheckedRow, key: str, candidate: CandidateRecord) -> None:
        """Add a candidate, and log a problem if the context has it already. key: of its identifier in the row."""
        if candidate.key and candidate.key in self.candidates:
            expected = f"each candidate of context {describe_value(self.key)} once"
            row.add_problem(key, f"{describe_value(candidate.key)} again", expected)
        self.candidates[candidate.key] = candidate

    def require_same(self, row: CheckedRow, **keys: str) -> None:
        """Log each text in which a later row of the same context differs.

        keys: field of the draft -> key of the row.
        """
        for name, key in keys.items():
            if row.values.get(key, "") != getattr(self, name):
                expected = f"the same as in {self.row.file}, line {self.row.line}: it is the same context"
                row.add_problem(key, describe_value(row.values.get(key, "")), expected)

    def to_record(self) -> ContextRecord:
        return ContextRecord(
            key=self.key,
            text=self.text,
            subset=self.subset,
            reference=self.reference,
            candidates=tuple(self.candidates.values()),
            votes=tuple(self.votes),
        )


def read_subset(row: CheckedRow) -> str:
    """Read the row's subset; "" if it names none."""
    subset = row.optional_text("subset", max_length=MAX_NAME_LENGTH)
    if subset == RESERVED_SUBSET:
        row.add_problem("subset", describe_value(subset), RESERVED_SUBSET_ADVICE)
    return subset


class DatasetDraft:
    """The contexts in order of appearance, and the attributes."""

    def __init__(self, attributes: AttributeCollector) -> None:
        self.attributes = attributes
        self._contexts: dict[str, ContextDraft] = {}
        self._by_source: dict[str, ContextDraft] = {}

    def find_context(self, key: str) -> ContextDraft | None:
        return self._contexts.get(key)

    def add_context(self, row: CheckedRow, key: str, context: ContextDraft) -> ContextDraft:
        """Add a context, and log a problem if its identifier is taken. key: of its identifier in the row."""
        if context.key and context.key in self._contexts:
            first = self._contexts[context.key].row
            expected = f"each context once; {first.file} has it on line {first.line}"
            row.add_problem(key, f"{describe_value(context.key)} again", expected)
        self._contexts[context.key] = context
        return context

    def context_of_source(
        self, row: CheckedRow, source: str, *, text: str, reference: str = "", reference_key: str = ""
    ) -> ContextDraft:
        """Return the context shared by all rows with this source. The first such row adds it, numbered from 0.

        A problem is logged if the context already has another reference. reference_key: of the reference in the row.
        """
        if not source:
            return ContextDraft(row=row, key="", text=text)  # a placeholder: the missing source is logged
        if source not in self._by_source:
            key = str(len(self._contexts))
            self._by_source[source] = ContextDraft(row=row, key=key, text=text, reference=reference)
            self._contexts[key] = self._by_source[source]
        context = self._by_source[source]
        if reference and context.reference and reference != context.reference:
            context.require_same(row, reference=reference_key)
        return context

    def context_records(self) -> tuple[ContextRecord, ...]:
        return tuple(context.to_record() for context in self._contexts.values())

    def to_record(self, *, context_noun: str = "", candidate_noun: str = "") -> DatasetRecord:
        return DatasetRecord(
            context_noun=context_noun,
            candidate_noun=candidate_noun,
            attributes=self.attributes.records(),
            contexts=self.context_records(),
        )
