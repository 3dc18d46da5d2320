"""Preview of a dataset that is read but not yet saved, as plain values for JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypedDict

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord
from judging.services.datasets.dataset_import import CountedNames, nothing_to_compare

PREVIEWED_CANDIDATES = 20
EMPTY_TEXTS_NAMED = 5


class PreviewAttribute(TypedDict):
    """An attribute in the preview. scored: number of candidates with a human score."""

    name: str
    minimum: float | None
    maximum: float | None
    scored: int
    votes: int


class PreviewCandidate(TypedDict):
    """A candidate in the preview. scores: its human score on each attribute, or None."""

    context: str
    candidate: str
    system: str
    text: str
    scores: list[float | None]


class DatasetPreview(TypedDict):
    """Counts of a dataset, its warnings, its first candidates, and the columns that are not read."""

    format: str
    description: str
    licence: str
    contexts: int
    candidates: int
    votes: int
    attributes: list[PreviewAttribute]
    first_candidates: list[PreviewCandidate]
    warnings: list[str]
    ignored: list[str]


def preview_dataset(record: DatasetRecord) -> DatasetPreview:
    """Preview a dataset. Its contexts are read once and not held in memory."""
    counts = _Counts()
    first: list[PreviewCandidate] = []
    for context in record.contexts:
        counts.add(context)
        wanted = PREVIEWED_CANDIDATES - len(first)
        first += [_candidate(context, candidate, record.attributes) for candidate in context.candidates[:wanted]]
    return DatasetPreview(
        format=record.format,
        description=record.description,
        licence=record.licence,
        contexts=len(record.contexts),
        candidates=counts.candidates,
        votes=counts.votes.total(),
        attributes=[_attribute(attribute, counts) for attribute in record.attributes],
        first_candidates=first,
        warnings=[*record.notes, *nothing_to_compare(record), *counts.warnings(record.attributes)],
        ignored=list(record.ignored),
    )


class _Counts:
    """Counts of a dataset, and its contexts and candidates without a text."""

    def __init__(self) -> None:
        self.candidates = 0
        self.votes: Counter[str] = Counter()
        self.scored: Counter[str] = Counter()
        self.empty_contexts = CountedNames(EMPTY_TEXTS_NAMED)
        self.empty_candidates = CountedNames(EMPTY_TEXTS_NAMED)

    def add(self, context: ContextRecord) -> None:
        self.candidates += len(context.candidates)
        self.votes.update(vote.attribute for vote in context.votes)
        if not context.text:
            self.empty_contexts.add(context.key)
        for candidate in context.candidates:
            self.scored.update({*candidate.scores, *candidate.ratings})
            if not candidate.text:
                self.empty_candidates.add(f"{context.key}/{candidate.key}")

    def warnings(self, attributes: Iterable[AttributeRecord]) -> Iterator[str]:
        """Warn about data that is allowed, but may be a mistake."""
        if number := self.empty_contexts.count:
            yield f"{pluralize(number, 'context')} without a text: {self.empty_contexts}"
        if number := self.empty_candidates.count:
            yield f"{pluralize(number, 'candidate')} with an empty text: {self.empty_candidates}"
        for name in (attribute.name for attribute in attributes):
            if not self.votes[name] and not self.scored[name]:
                yield f"{name} has no human scores and no votes: judges cannot be compared with people on it"


def pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _attribute(attribute: AttributeRecord, counts: _Counts) -> PreviewAttribute:
    return PreviewAttribute(
        name=attribute.name,
        minimum=attribute.minimum,
        maximum=attribute.maximum,
        scored=counts.scored[attribute.name],
        votes=counts.votes[attribute.name],
    )


def _candidate(
    context: ContextRecord, candidate: CandidateRecord, attributes: Iterable[AttributeRecord]
) -> PreviewCandidate:
    return PreviewCandidate(
        context=context.key,
        candidate=candidate.key,
        system=candidate.system,
        text=candidate.text,
        scores=[_human_score(candidate, attribute.name) for attribute in attributes],
    )


def _human_score(candidate: CandidateRecord, attribute: str) -> float | None:
    """Return the score in the file, else the mean of the ratings."""
    ratings = candidate.ratings.get(attribute)
    if attribute in candidate.scores or not ratings:
        return candidate.scores.get(attribute)
    return sum(ratings.values()) / len(ratings)
