"""Read our own JSON Lines format: an optional header, then one context per line. `evenhand_writer` writes it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.checked_rows import (
    MAX_KEY_LENGTH,
    MAX_NAME_LENGTH,
    MAX_NOUN_LENGTH,
    CheckedRow,
    FileRows,
    clean_name,
)
from evenhand.formats.datasets.dataset_draft import (
    AttributeCollector,
    ContextDraft,
    DatasetDraft,
    read_field,
    read_subset,
)
from evenhand.formats.mappings.table_layouts import VOTE_DETAILS
from evenhand.formats.recorded.votes import read_vote
from evenhand.formats.records import AttributeRecord, CandidateRecord, DatasetRecord, VoteRecord

EVENHAND_KEYS = ("context", "text", "candidates")
_HEADER_KEYS = ("description", "licence", "context_noun", "candidate_noun", "attributes")
_ATTRIBUTE_KEYS = ("name", "adjective", "definition", "minimum", "maximum")
_POSITIVES = {"more": "", "better": "good", "worse": "bad"}
_CONTEXT_KEYS = ("context", "text", "subset", "reference", "fields", "candidates", "votes")
_CANDIDATE_KEYS = ("candidate", "system", "text", "scores", "ratings")
_VOTE_KEYS = ("attribute", "first", "second", "choice", "rater", *VOTE_DETAILS)


def starts_with_evenhand_header(file: FileRows) -> bool:
    """Return True if the first line is a header. No other format has one."""
    return any(isinstance(row.values.get("dataset"), dict) for row in file.peek(1))


def read_evenhand(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read one dataset from the lines of all files. Headers of several files must be equal."""
    headers = [row for file in files for row in _header_rows(file)]
    for other in headers[1:]:
        if other.values != headers[0].values:
            other.add_problem("dataset", "another header", f"the same header as in {headers[0].file}")
    dataset = _read_header(headers[0]) if headers else DatasetRecord()
    draft = DatasetDraft(AttributeCollector(declared=dataset.attributes))
    for file in files:
        for row in islice(file, len(_header_rows(file)), None):
            read_context(row, draft)
    return replace(dataset, attributes=draft.attributes.records(), contexts=draft.context_records(log))


def _header_rows(file: FileRows) -> list[CheckedRow]:
    """Return the first line if it has the header's key, even with a wrong value."""
    return [replace(row, log=file.log) for row in file.peek(1) if "dataset" in row.values]


def _read_header(row: CheckedRow) -> DatasetRecord:
    row.refuse_unknown_keys(["dataset"])
    header = row.object("dataset")
    header.refuse_unknown_keys(_HEADER_KEYS)
    return DatasetRecord(
        description=header.optional_text("description"),
        licence=header.optional_text("licence"),
        context_noun=header.optional_text("context_noun", max_length=MAX_NOUN_LENGTH),
        candidate_noun=header.optional_text("candidate_noun", max_length=MAX_NOUN_LENGTH),
        attributes=_read_declared_attributes(header),
    )


def _read_declared_attributes(header: CheckedRow) -> tuple[AttributeRecord, ...]:
    attributes: dict[str, AttributeRecord] = {}
    for row in header.objects("attributes", may_be_empty=True) if "attributes" in header.values else []:
        attribute = _read_attribute(row)
        if attribute.name and attribute.name in attributes:
            row.add_problem("name", f"{describe_value(attribute.name)} again", "each attribute once")
        attributes[attribute.name] = attribute
    return tuple(attributes.values())


def _read_attribute(row: CheckedRow) -> AttributeRecord:
    row.refuse_unknown_keys(_ATTRIBUTE_KEYS)
    minimum, maximum = (row.number(key) if key in row.values else None for key in ("minimum", "maximum"))
    if minimum is not None and maximum is not None and minimum >= maximum:
        row.add_problem("maximum", f"{maximum:g}", f"a number greater than the minimum, {minimum:g}")
    adjective = row.optional_text("adjective", max_length=MAX_NAME_LENGTH)
    if (positive := _positive(adjective)) != adjective:
        expected = f'the positive form, "{positive}": prompts say "more" themselves'
        row.add_problem("adjective", describe_value(adjective), expected)
    return AttributeRecord(
        name=row.text("name", max_length=MAX_NAME_LENGTH),
        adjective=adjective,
        definition=row.optional_text("definition"),
        minimum=minimum,
        maximum=maximum,
    )


def _positive(adjective: str) -> str:
    """Return "coherent" for "more coherent", "good" for "better", and an adjective that is no comparative as it is."""
    first, _, rest = adjective.partition(" ")
    positive = _POSITIVES.get(first.casefold())
    if positive is not None and (positive or rest):
        return f"{positive} {rest}".strip()
    return f"good a {rest.partition(' ')[2]}" if adjective.casefold().startswith("a better ") else adjective


def read_context(row: CheckedRow, draft: DatasetDraft) -> None:
    """Add the context of a line to the draft, with its candidates and votes."""
    if "dataset" in row.values:
        row.add_problem("dataset", "a header", "a context; only the first line of a file is a header")
        return
    row.refuse_unknown_keys(_CONTEXT_KEYS)
    context = draft.add_context(
        row,
        "context",
        key=row.text("context", max_length=MAX_KEY_LENGTH),
        text=row.text("text", may_be_empty=row.values.get("text") == ""),
        subset=read_subset(row),
        reference=row.optional_text("reference"),
        fields=_read_fields(row.object("fields")) if "fields" in row.values else {},
    )
    for candidate in row.objects("candidates"):
        context.add_candidate(candidate, "candidate", read_candidate(candidate, draft.attributes))
    for vote in row.objects("votes", may_be_empty=True) if "votes" in row.values else []:
        context.add_vote(read_context_vote(vote, context, draft.attributes))


def _read_fields(row: CheckedRow) -> dict[str, str]:
    return {clean_name(name): read_field(row, name, name, row.identifier(name)) for name in row.values}


def read_candidate(row: CheckedRow, attributes: AttributeCollector) -> CandidateRecord:
    """Read a candidate with its scores and ratings."""
    row.refuse_unknown_keys(_CANDIDATE_KEYS)
    scores = row.object("scores") if "scores" in row.values else None
    return CandidateRecord(
        key=row.text("candidate", max_length=MAX_KEY_LENGTH),
        text=row.text("text", may_be_empty=True),
        system=row.optional_text("system", max_length=MAX_KEY_LENGTH),
        scores=attributes.read_row_scores(scores, scores.values) if scores else {},
        ratings=_read_ratings(row.object("ratings"), attributes) if "ratings" in row.values else {},
    )


def _read_ratings(row: CheckedRow, attributes: AttributeCollector) -> dict[str, dict[str, float]]:
    ratings: dict[str, dict[str, float]] = {}
    for name in row.values:
        attribute = attributes.get_or_add(row, name, name)
        by_rater = row.object(name)
        for rater in by_rater.values:
            number = by_rater.number(rater, attribute.minimum, attribute.maximum)
            name_of_rater = by_rater.check_text(rater, rater, max_length=MAX_NAME_LENGTH)
            of_attribute = ratings.setdefault(attribute.name, {})
            if name_of_rater in of_attribute:
                by_rater.add_problem(rater, f"{describe_value(name_of_rater)} again", "each rater of an attribute once")
            if number is not None:
                of_attribute[name_of_rater] = number
    return ratings


def read_context_vote(row: CheckedRow, context: ContextDraft, attributes: AttributeCollector) -> VoteRecord:
    """Read a vote on two candidates of a context."""
    row.refuse_unknown_keys(_VOTE_KEYS)
    vote = read_vote(row)
    if vote.attribute:
        attributes.get_or_add(row, "attribute", vote.attribute)
    for key, candidate in (("first", vote.first), ("second", vote.second)):
        if candidate and context.find_candidate(candidate) is None:
            row.add_problem(
                key, describe_value(candidate), f"a candidate of context {describe_value(context.values.key)}"
            )
    return vote
