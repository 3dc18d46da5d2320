"""A preview of a dataset that is read and not yet stored, as plain values that fit into JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TypedDict

from judging.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord
from judging.services.datasets.dataset_import import import_warnings

PREVIEW_ROWS = 20


class PreviewAttribute(TypedDict):
    """An attribute. scored: how many candidates have a human score."""

    name: str
    minimum: float | None
    maximum: float | None
    scored: int
    votes: int


class PreviewRow(TypedDict):
    """A candidate. scores: its human score for each attribute of the preview, None where there is none."""

    context: str
    candidate: str
    system: str
    text: str
    scores: list[float | None]


class Preview(TypedDict):
    """A dataset: how much it holds, and its first candidates."""

    format: str
    description: str
    licence: str
    contexts: int
    candidates: int
    votes: int
    attributes: list[PreviewAttribute]
    rows: list[PreviewRow]
    warnings: list[str]


def preview_of(record: DatasetRecord) -> Preview:
    candidates = [candidate for context in record.contexts for candidate in context.candidates]
    votes = Counter(vote.attribute for context in record.contexts for vote in context.votes)
    return Preview(
        format=record.format,
        description=record.description,
        licence=record.licence,
        contexts=len(record.contexts),
        candidates=len(candidates),
        votes=votes.total(),
        attributes=[_attribute(attribute, candidates, votes) for attribute in record.attributes],
        rows=list(islice(_rows(record), PREVIEW_ROWS)),
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


def _rows(record: DatasetRecord) -> Iterator[PreviewRow]:
    for context in record.contexts:
        for candidate in context.candidates:
            yield _row(context, candidate, record.attributes)


def _row(context: ContextRecord, candidate: CandidateRecord, attributes: tuple[AttributeRecord, ...]) -> PreviewRow:
    return PreviewRow(
        context=context.key,
        candidate=candidate.key,
        system=candidate.system,
        text=candidate.text,
        scores=[_human_score(candidate, attribute.name) for attribute in attributes],
    )


def _is_scored(candidate: CandidateRecord, attribute: str) -> bool:
    return attribute in candidate.scores or attribute in candidate.ratings


def _human_score(candidate: CandidateRecord, attribute: str) -> float | None:
    """The score that the file states, else the mean of the ratings."""
    ratings = candidate.ratings.get(attribute)
    if attribute in candidate.scores or not ratings:
        return candidate.scores.get(attribute)
    return sum(ratings.values()) / len(ratings)


def _warnings(record: DatasetRecord, candidates: list[CandidateRecord], votes: Counter[str]) -> Iterator[str]:
    """Things that are allowed, and perhaps not meant."""
    yield from import_warnings(record)
    if untold := [context.key for context in record.contexts if not context.text]:
        yield f"{_counted(untold, 'context')} without a text: {_some(untold)}"
    empty = [f"{c.key}/{candidate.key}" for c in record.contexts for candidate in c.candidates if not candidate.text]
    if empty:
        yield f"{_counted(empty, 'candidate')} with an empty text: {_some(empty)}"
    for name in (attribute.name for attribute in record.attributes):
        if not votes[name] and not any(_is_scored(candidate, name) for candidate in candidates):
            yield f"nobody scored or voted on {name}: no judge can be compared with people on it"


def _counted(keys: list[str], noun: str) -> str:
    return f"{len(keys)} {noun}{'s' if len(keys) > 1 else ''}"


def _some(keys: list[str], shown: int = 5) -> str:
    return ", ".join(keys[:shown]) + (f" and {len(keys) - shown} more" if len(keys) > shown else "")
