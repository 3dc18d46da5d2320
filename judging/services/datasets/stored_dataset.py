"""Read a stored dataset: the numbers of its rows, and its records without loss."""

from collections import defaultdict
from collections.abc import Iterator

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, VoteRecord
from judging.models import Candidate, Dataset, HumanScore, Vote
from judging.services.datasets.vote_records import load_votes


def dataset_counts(dataset: Dataset) -> dict[str, object]:
    """Count the rows of a dataset. `scores` counts pairs of candidate and attribute with a human score."""
    scored = HumanScore.objects.filter(attribute__dataset=dataset).order_by().values("candidate", "attribute")
    return {
        "contexts": dataset.contexts.count(),
        "candidates": Candidate.objects.filter(context__dataset=dataset).count(),
        "attributes": list(dataset.attributes.values_list("name", flat=True)),
        "scores": scored.distinct().count(),
        "votes": Vote.objects.filter(attribute__dataset=dataset).count(),
    }


def dataset_record(dataset: Dataset) -> DatasetRecord:
    """Read the whole dataset in its original order, with later votes, in five queries."""
    return DatasetRecord(
        description=dataset.description,
        licence=dataset.licence,
        context_noun=dataset.context_noun,
        candidate_noun=dataset.candidate_noun,
        attributes=tuple(
            AttributeRecord(a.name, a.adjective, a.definition, a.minimum, a.maximum) for a in dataset.attributes.all()
        ),
        contexts=tuple(_context_records(dataset)),
        format=dataset.source_format,
    )


def _context_records(dataset: Dataset) -> Iterator[ContextRecord]:
    candidates = _candidate_records(dataset)
    votes = _vote_records(dataset)
    for context in dataset.contexts.order_by("position"):
        yield ContextRecord(
            key=context.key,
            text=context.text,
            subset=context.subset,
            reference=context.reference,
            fields=context.fields,
            candidates=tuple(candidates[context.pk]),
            votes=tuple(votes[context.key]),
        )


def _candidate_records(dataset: Dataset) -> dict[int, list[CandidateRecord]]:
    """Return the candidates of each context, in order, by the context's id. Excluded ratings are left out."""
    scores: dict[int, dict[str, float]] = defaultdict(dict)
    ratings: dict[int, dict[str, dict[str, float]]] = defaultdict(dict)
    rows = HumanScore.objects.in_figures().filter(attribute__dataset=dataset).order_by("pk")
    for candidate, attribute, rater, value in rows.values_list("candidate", "attribute__name", "rater", "value"):
        if rater:
            ratings[candidate].setdefault(attribute, {})[rater] = value
        else:
            scores[candidate][attribute] = value
    records: dict[int, list[CandidateRecord]] = defaultdict(list)
    for row in Candidate.objects.filter(context__dataset=dataset).order_by("context", "position"):
        record = CandidateRecord(row.key, row.text, row.system, scores[row.pk], ratings[row.pk])
        records[row.context_id].append(record)
    return records


def _vote_records(dataset: Dataset) -> dict[str, list[VoteRecord]]:
    """Return the votes of each context, in order, by the context's key."""
    records: dict[str, list[VoteRecord]] = defaultdict(list)
    for one in load_votes(dataset):
        records[one.context].append(one.vote)
    return records
