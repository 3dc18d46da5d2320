"""Our own format: JSON Lines, an optional header and then one context a line. `writing` writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from judging.formats.checked_rows import LONGEST_KEY, LONGEST_NAME, LONGEST_NOUN, FileRows, Row
from judging.formats.datasets.dataset_builder import Attributes, ContextDraft, DatasetDraft, subset_of
from judging.formats.problems import ProblemLog, shown
from judging.formats.records import AttributeRecord, CandidateRecord, Choice, DatasetRecord, VoteRecord

HEADER_KEYS = ("description", "licence", "context_noun", "candidate_noun", "attributes")
ATTRIBUTE_KEYS = ("name", "adjective", "definition", "minimum", "maximum")
CONTEXT_KEYS = ("context", "text", "subset", "reference", "candidates", "votes")
CANDIDATE_KEYS = ("candidate", "system", "text", "scores", "ratings")
VOTE_KEYS = ("attribute", "first", "second", "choice", "rater")
CHOICES: dict[str | int, str] = {choice: choice for choice in ("first", "second", "tie")}


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """One dataset from the lines of all files; where several have a header, it is the same."""
    headers = [file.rows[0] for file in files if _has_header(file)]
    for other in headers[1:]:
        if other.values != headers[0].values:
            other.problem("dataset", "another header", f"the same header as in {headers[0].file}")
    dataset = _header(headers[0]) if headers else DatasetRecord()
    draft = DatasetDraft(Attributes(declared=dataset.attributes))
    for file in files:
        for row in file.rows[1:] if _has_header(file) else file.rows:
            _read_context(row, draft)
    return replace(dataset, attributes=draft.attributes.records(), contexts=draft.contexts())


def _has_header(file: FileRows) -> bool:
    return bool(file.rows) and "dataset" in file.rows[0].values


def _header(row: Row) -> DatasetRecord:
    row.refuse_others(["dataset"])
    header = row.object("dataset")
    header.refuse_others(HEADER_KEYS)
    return DatasetRecord(
        description=header.optional_text("description"),
        licence=header.optional_text("licence"),
        context_noun=header.optional_text("context_noun", longest=LONGEST_NOUN),
        candidate_noun=header.optional_text("candidate_noun", longest=LONGEST_NOUN),
        attributes=_declared(header),
    )


def _declared(header: Row) -> tuple[AttributeRecord, ...]:
    attributes: dict[str, AttributeRecord] = {}
    for row in header.objects("attributes", may_be_empty=True) if "attributes" in header.values else []:
        attribute = _attribute(row)
        if attribute.name and attribute.name in attributes:
            row.problem("name", f"{shown(attribute.name)} again", "each attribute once")
        attributes[attribute.name] = attribute
    return tuple(attributes.values())


def _attribute(row: Row) -> AttributeRecord:
    row.refuse_others(ATTRIBUTE_KEYS)
    minimum, maximum = (row.number(key) if key in row.values else None for key in ("minimum", "maximum"))
    if minimum is not None and maximum is not None and minimum >= maximum:
        row.problem("maximum", f"{maximum:g}", f"a number greater than the minimum, {minimum:g}")
    return AttributeRecord(
        name=row.text("name", longest=LONGEST_NAME),
        adjective=row.optional_text("adjective", longest=LONGEST_NAME),
        definition=row.optional_text("definition"),
        minimum=minimum,
        maximum=maximum,
    )


def _read_context(row: Row, draft: DatasetDraft) -> None:
    if "dataset" in row.values:
        row.problem("dataset", "a header", "a context; only the first line of a file is a header")
        return
    row.refuse_others(CONTEXT_KEYS)
    context = ContextDraft(
        row=row,
        key=row.text("context", longest=LONGEST_KEY),
        text=row.text("text"),
        subset=subset_of(row),
        reference=row.optional_text("reference"),
    )
    draft.add(row, "context", context)
    for candidate in row.objects("candidates"):
        context.add(candidate, "candidate", _candidate(candidate, draft.attributes))
    for vote in row.objects("votes", may_be_empty=True) if "votes" in row.values else []:
        context.votes.append(_vote(vote, context, draft.attributes))


def _candidate(row: Row, attributes: Attributes) -> CandidateRecord:
    row.refuse_others(CANDIDATE_KEYS)
    scores = row.object("scores") if "scores" in row.values else None
    return CandidateRecord(
        key=row.text("candidate", longest=LONGEST_KEY),
        text=row.text("text", may_be_empty=True),
        system=row.optional_text("system", longest=LONGEST_KEY),
        scores=attributes.scores(scores, scores.values) if scores else {},
        ratings=_ratings(row.object("ratings"), attributes) if "ratings" in row.values else {},
    )


def _ratings(row: Row, attributes: Attributes) -> dict[str, dict[str, float]]:
    ratings: dict[str, dict[str, float]] = {}
    for name in row.values:
        attribute = attributes.named(row, name, name)
        by_rater = row.object(name)
        for rater in by_rater.values:
            by_rater.checked(rater, rater, longest=LONGEST_NAME)
            number = by_rater.number(rater, attribute.minimum, attribute.maximum)
            if number is not None:
                ratings.setdefault(name, {})[rater] = number
    return ratings


def _vote(row: Row, context: ContextDraft, attributes: Attributes) -> VoteRecord:
    row.refuse_others(VOTE_KEYS)
    attribute, first, second = (row.text(key) for key in ("attribute", "first", "second"))
    if attribute:
        attributes.named(row, "attribute", attribute)
    for key, candidate in (("first", first), ("second", second)):
        if candidate and candidate not in context.candidates:
            row.problem(key, shown(candidate), f"a candidate of context {shown(context.key)}")
    if first and first == second:
        row.problem("second", shown(second), "another candidate than first")
    return VoteRecord(
        attribute=attribute,
        first=first,
        second=second,
        choice=cast(Choice, row.choice("choice", CHOICES)),
        rater=row.text("rater", longest=LONGEST_NAME),
    )
