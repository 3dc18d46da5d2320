"""A dataset while its rows are read: contexts and candidates by identifier, attributes as they appear."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from evenhand.file_problems import ProblemLog, describe_value, list_names
from evenhand.formats.checked_rows import MAX_NAME_LENGTH, CheckedRow, clean_name
from evenhand.formats.datasets.draft_store import DraftStore, StoredContext, StoredContexts
from evenhand.formats.records import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, VoteRecord

_OWN_SUBSET = "subset"
NO_FIELDS: Mapping[str, str] = MappingProxyType({})
RESERVED_SUBSET = "all"  # reports give the whole dataset this name
RESERVED_SUBSET_ADVICE = 'another name: in reports "all" is the whole dataset'
MAX_ATTRIBUTES = 2_000
MAX_CANDIDATES = 10_000  # of one context; this and the next two bound the memory that one context takes
MAX_CANDIDATE_CHARACTERS = 10_000_000
MAX_VOTES = 200_000
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
        known = self._attributes.get(clean_name(name))
        if known is not None and known.name == name:
            return known
        name = row.check_text(key, name, max_length=MAX_NAME_LENGTH)
        if known is not None:
            return known
        attribute = self._predefined.get(name, AttributeRecord(name))
        if self._is_closed:
            expected = f"one of {list_names(list(self._attributes))}, as the header says"
            row.add_problem(key, f"unknown attribute {describe_value(name)}", expected)
            return attribute
        if len(self._attributes) < MAX_ATTRIBUTES:
            self._attributes[name] = attribute
        else:
            row.add_problem(key, f"another attribute {describe_value(name)}", f"at most {MAX_ATTRIBUTES:,} attributes")
        return attribute

    def read_row_scores(self, row: CheckedRow, names: Iterable[str]) -> dict[str, float]:
        """Read the row's number for each of these attributes that it has, within the attribute's range."""
        numbers: dict[str, float | None] = {}
        for name in (one for one in names if one in row.values):
            attribute = self.get_or_add(row, name, name)
            if attribute.name in numbers:
                row.add_problem(name, f"{describe_value(attribute.name)} again", "each attribute once", most=1)
            numbers[attribute.name] = row.number(name, attribute.minimum, attribute.maximum)
        return {name: number for name, number in numbers.items() if number is not None}


@dataclass(frozen=True, slots=True)
class ContextDraft:
    """A context that was added to a draft. Its candidates and votes are in the store."""

    store: DraftStore
    id: int
    values: StoredContext

    def add_candidate(self, row: CheckedRow, key: str, candidate: CandidateRecord) -> None:
        """Add a candidate, or log a problem if the context has it already. key: of its identifier in the row."""
        if not self.store.add_candidate(self.id, candidate):
            expected = f"each candidate of context {describe_value(self.values.key)} once"
            row.add_problem(key, f"{describe_value(candidate.key)} again", expected)

    def add_once(self, row: CheckedRow, key: str, candidate: CandidateRecord) -> None:
        """Add a candidate unless the context has it. Log a problem if it has it with another text."""
        earlier = self.find_candidate(candidate.key)
        if earlier is None:
            self.add_candidate(row, key, candidate)
        elif candidate.text != earlier.text:
            expected = f"{describe_value(earlier.text)}, the text of {describe_value(candidate.key)} before"
            row.add_problem(key, describe_value(candidate.text), expected)

    def find_candidate(self, key: str) -> CandidateRecord | None:
        return self.store.find_candidate(self.id, key)

    def replace_candidate(self, candidate: CandidateRecord) -> None:
        self.store.replace_candidate(self.id, candidate)

    def key_of_text(self, system: str, text: str, *, other_than: str = "") -> str:
        """Return an identifier for a candidate of a table without identifiers.

        The same text of the same system always has the same one: the system's name, with a number if the system has
        several texts, or only a number if there is no system. other_than: a candidate that this one is compared with.
        """
        name = _hash_of(f"{system}\0{text}")
        key = self.store.find_name(self.id, name)
        if key and key == other_than:
            name = _hash_of(f"{system}\0{text}\0again")
            key = self.store.find_name(self.id, name)
        if not key:
            key = self._new_key(system)
            self.store.set_name(self.id, name, key)
        return key

    def _new_key(self, system: str) -> str:
        counter = _hash_of(f"number of\0{system}")
        number = int(self.store.find_name(self.id, counter) or 0) + 1
        self.store.set_name(self.id, counter, str(number))
        if not system:
            return str(number)
        return system if number == 1 else f"{system}-{number}"

    def differs_in(self, name: str, value: str) -> bool:
        """Return True if the context's first line has another value of this name."""
        key, new = _hash_of(f"value of\0{name}"), _hash_of(value).hex()
        earlier = self.store.find_name(self.id, key)
        if not earlier:
            self.store.set_name(self.id, key, new)
        return earlier not in ("", new)

    def add_vote(self, vote: VoteRecord) -> None:
        self.store.add_vote(self.id, vote)

    def require_same(self, row: CheckedRow, key: str, value: str, first: str) -> None:
        """Log a value of a later row if it is not this context's first one. key: of the value in the row."""
        if value != first:
            expected = f"the same as in {self.values.file}, line {self.values.line}: it is the same context"
            row.add_problem(key, describe_value(value), expected)


def read_subset(row: CheckedRow) -> str:
    """Read the row's subset; "" if it names none."""
    subset = row.optional_text("subset", max_length=MAX_NAME_LENGTH)
    if subset == RESERVED_SUBSET:
        row.add_problem("subset", describe_value(subset), RESERVED_SUBSET_ADVICE)
    return subset


def read_field(row: CheckedRow, key: str, name: str, value: str) -> str:
    """Return the value of a context's further field, by which reports can split. key: where the row has it."""
    row.check_text(key, name, max_length=MAX_NAME_LENGTH)
    if name == _OWN_SUBSET:
        row.add_problem(key, describe_value(name), "another name for a field: each context has a subset of its own")
    if value == RESERVED_SUBSET:
        row.add_problem(key, describe_value(value), RESERVED_SUBSET_ADVICE)
    return row.check_text(key, value, may_be_empty=True, max_length=MAX_NAME_LENGTH)


class DatasetDraft:
    """The contexts in order of appearance, and the attributes."""

    def __init__(self, attributes: AttributeCollector) -> None:
        self.attributes = attributes
        self._store = DraftStore()
        self._last: tuple[str, ContextDraft] | None = None  # rows of one context usually follow each other
        self._count = 0

    def find_context(self, key: str) -> ContextDraft | None:
        if self._last and self._last[0] == key:
            return self._last[1]
        stored = self._store.find_context(key)
        if stored is None:
            return None
        context = ContextDraft(self._store, *stored)
        self._last = key, context
        return context

    def add_context(
        self,
        row: CheckedRow,
        field: str,
        *,
        key: str,
        text: str,
        subset: str = "",
        reference: str = "",
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> ContextDraft:
        """Add a context, and log a problem if its identifier is taken. field: of its identifier in the row."""
        if first := self.find_context(key):
            place = f"{first.values.file} has it on line {first.values.line}"
            row.add_problem(field, f"{describe_value(key)} again", f"each context once; {place}")
        values = StoredContext(key, text, subset, reference, dict(fields), row.file, row.line)
        return self._add("" if first else key, values)  # it is there for further checks

    def context_of_source(
        self,
        row: CheckedRow,
        source: str,
        *,
        text: str,
        subset: str = "",
        reference: str = "",
        reference_key: str = "",
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> ContextDraft:
        """Return the context shared by all rows with this source. The first such row adds it, numbered from 0.

        A problem is logged if the context already has another reference. reference_key: of the reference in the row.
        """
        key = _hash_of(source).hex() if source else ""  # an empty source is a problem that was logged
        context = self.find_context(key)
        if context is None:
            values = StoredContext(self.next_number(), text, subset, reference, dict(fields), row.file, row.line)
            return self._add(key, values)
        if reference_key and reference and context.values.reference:
            context.require_same(row, reference_key, reference, context.values.reference)
        return context

    def next_number(self) -> str:
        """Return the number of the next context, from 0. It is the identifier where the file has none."""
        return str(self._count)

    def context_records(self, log: ProblemLog) -> Sequence[ContextRecord]:
        """Return the contexts as records. Log those that are too large to be read in one piece."""
        limits = {"candidates": MAX_CANDIDATES, "characters": MAX_CANDIDATE_CHARACTERS, "votes": MAX_VOTES}
        for context in self._store.large_contexts(**limits):
            expected = " and ".join(f"at most {limit:,} {noun}" for noun, limit in limits.items())
            log.add(context.file, context.line, "", f"context {describe_value(context.key)} is too large", expected)
        return StoredContexts(self._store)

    def to_record(self, log: ProblemLog, *, context_noun: str = "", candidate_noun: str = "") -> DatasetRecord:
        return DatasetRecord(
            context_noun=context_noun,
            candidate_noun=candidate_noun,
            attributes=self.attributes.records(),
            contexts=self.context_records(log),
        )

    def _add(self, key: str, values: StoredContext) -> ContextDraft:
        """Add a context under a key that is free, or under none."""
        context = ContextDraft(self._store, cast(int, self._store.add_context(values, key)), values)
        self._count += 1
        self._last = (key, context) if key else None
        return context


def _hash_of(source: str) -> bytes:
    return hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=20).digest()
