"""Preview of a dataset that is read but not yet saved, as plain values for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TypedDict

from judging.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord
from judging.services.datasets.dataset_import import import_warnings

PREVIEWED_CANDIDATES = 20


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
    """Counts of a dataset, its warnings and its first candidates."""

    format: str
    description: str
    licence: str
    contexts: int
    candidates: int
    votes: int
    attributes: list[PreviewAttribute]
    first_candidates: list[PreviewCandidate]
    warnings: list[str]


def preview_dataset(record: DatasetRecord) -> DatasetPreview:
    candidates = [candidate for context in record.contexts for candidate in context.candidates]
    votes = Counter(vote.attribute for context in record.contexts for vote in context.votes)
    return DatasetPreview(
        format=record.format,
        description=record.description,
        licence=record.licence,
        contexts=len(record.contexts),
        candidates=len(candidates),
        votes=votes.total(),
        attributes=[_attribute(attribute, candidates, votes) for attribute in record.attributes],
        first_candidates=list(islice(_candidates(record), PREVIEWED_CANDIDATES)),
        warnings=list(_warnings(record, candidates, votes)),
    )


def _attribute(attribute: AttributeRecord, candidates: list[CandidateRecord], votes: Counter[str]) -> PreviewAttribute:
    return PreviewAttribute(
        name=attribute.name,
        minimum=attribute.minimum,
        maximum=attribute.maximum,
        scored=sum(_is_scored(candidate, attribute.name) for candidate in candidates),
        votes=votes[attribute.name],
    )


def _candidates(record: DatasetRecord) -> Iterator[PreviewCandidate]:
    for context in record.contexts:
        for candidate in context.candidates:
            yield _candidate(context, candidate, record.attributes)


def _candidate(
    context: ContextRecord, candidate: CandidateRecord, attributes: tuple[AttributeRecord, ...]
) -> PreviewCandidate:
    return PreviewCandidate(
        context=context.key,
        candidate=candidate.key,
        system=candidate.system,
        text=candidate.text,
        scores=[_human_score(candidate, attribute.name) for attribute in attributes],
    )


def _is_scored(candidate: CandidateRecord, attribute: str) -> bool:
    return attribute in candidate.scores or attribute in candidate.ratings


def _human_score(candidate: CandidateRecord, attribute: str) -> float | None:
    """Return the score in the file, else the mean of the ratings."""
    ratings = candidate.ratings.get(attribute)
    if attribute in candidate.scores or not ratings:
        return candidate.scores.get(attribute)
    return sum(ratings.values()) / len(ratings)


def _warnings(record: DatasetRecord, candidates: list[CandidateRecord], votes: Counter[str]) -> Iterator[str]:
    """Warn about data that is allowed, but may be a mistake."""
    yield from import_warnings(record)
    if without_text := [context.key for context in record.contexts if not context.text]:
        yield f"{_count_nouns(without_text, 'context')} without a text: {_first_keys(without_text)}"
    empty = [f"{c.key}/{candidate.key}" for c in record.contexts for candidate in c.candidates if not candidate.text]
    if empty:
        yield f"{_count_nouns(empty, 'candidate')} with an empty text: {_first_keys(empty)}"
    for name in (attribute.name for attribute in record.attributes):
        if not votes[name] and not any(_is_scored(candidate, name) for candidate in candidates):
            yield f"{name} has no human scores and no votes: judges cannot be compared with people on it"


def _count_nouns(keys: list[str], noun: str) -> str:
    return f"{len(keys)} {noun}{'s' if len(keys) > 1 else ''}"


def _first_keys(keys: list[str], limit: int = 5) -> str:
    return ", ".join(keys[:limit]) + (f" and {len(keys) - limit} more" if len(keys) > limit else "")
