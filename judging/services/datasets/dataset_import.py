"""Datasets: from records to rows, all or nothing, and back again without a loss."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import cast

from django.db import IntegrityError, transaction

from judging.exceptions import Refused
from judging.formats import (
    AttributeRecord,
    CandidateRecord,
    ContextRecord,
    DatasetRecord,
    VoteChoice,
    VoteRecord,
    describe_value,
)
from judging.models import Attribute, Candidate, Context, Dataset, HumanScore, User, Vote

BATCH = 5_000  # rows of one INSERT
LONGEST_NAME = 200
NAMES_SHOWN = 10
NAME_ATTRIBUTES = (
    'name them in a first line of JSON Lines, {"dataset": {"attributes": [{"name": "overall"}]}}, or in CSV by a '
    "column of that name, its cells empty; and import it again"
)


def import_dataset(record: DatasetRecord, *, name: str, sha256: str, user: User | None = None) -> Dataset:
    """Store a dataset under a new name, all of it or nothing.

    sha256: of the files it was read from, one after the other. Raises Refused where the name is taken or is no name.
    """
    if problems := name_problems(name):
        raise Refused(*problems)
    with transaction.atomic():
        dataset = _create(record, name=name, sha256=sha256, user=user)
        attributes = _store_attributes(record, dataset)
        contexts = _store_contexts(record, dataset)
        candidates = _store_candidates(record, contexts)
        HumanScore.objects.bulk_create(_human_scores(record, attributes, candidates), batch_size=BATCH)
        Vote.objects.bulk_create(_votes(record, attributes, candidates), batch_size=BATCH)
    return dataset


@transaction.atomic
def discard_dataset(dataset: Dataset) -> None:
    """Remove a dataset that nothing rests on. Raises Refused once it has a run or a campaign."""
    Dataset.objects.select_for_update().get(pk=dataset.pk)
    if is_used(dataset):
        raise Refused(f'dataset "{dataset.name}" has runs or campaigns, and stays')
    dataset.delete()


def is_used(dataset: Dataset) -> bool:
    return dataset.runs.exists() or dataset.campaigns.exists()


def name_problems(name: str) -> list[str]:
    """Why a dataset cannot be called so; a name taken in this very moment shows only when it is stored."""
    if not name.strip():
        return [f"name: {describe_value(name)} — expected a name of one character or more"]
    problems = []
    if name != name.strip():
        problems.append(f"name: {describe_value(name)} — expected a name that neither begins nor ends with a space")
    if len(name) > LONGEST_NAME:
        problems.append(f"name: {describe_value(name)} — expected at most {LONGEST_NAME} characters")
    if not name.isprintable():
        return [*problems, f"name: {name!a} — expected printable characters"]
    if Dataset.objects.filter(name=name).exists():
        problems.append(f"name: a dataset {describe_value(name)} exists; choose another name")
    return problems


def import_warnings(record: DatasetRecord) -> list[str]:
    """What may be stored, though no judge can then be asked about it, or not about all of it."""
    return [*_nothing_to_ask_for(record), *nothing_to_compare(record)]


def _nothing_to_ask_for(record: DatasetRecord) -> list[str]:
    if record.attributes:
        return []
    return [f"there are no attributes, so there is nothing to ask a judge for: {NAME_ATTRIBUTES}"]


def nothing_to_compare(record: DatasetRecord) -> list[str]:
    """A warning where contexts have fewer than two candidates: they are stored, and no judge is asked about them."""
    lonely = [context.key for context in record.contexts if len(context.candidates) < 2]
    if not lonely:
        return []
    some = ", ".join(map(describe_value, lonely[:NAMES_SHOWN]))
    more = f" and {len(lonely) - NAMES_SHOWN} more" if len(lonely) > NAMES_SHOWN else ""
    how_many = "1 context has" if len(lonely) == 1 else f"{len(lonely)} contexts have"
    return [f"{how_many} fewer than two candidates, so there is nothing to compare: {some}{more}"]


def counts(dataset: Dataset) -> dict[str, object]:
    """How much a dataset holds; `scores` counts pairs of candidate and attribute with a human score."""
    scored = HumanScore.objects.filter(attribute__dataset=dataset).order_by().values("candidate", "attribute")
    return {
        "contexts": dataset.contexts.count(),
        "candidates": Candidate.objects.filter(context__dataset=dataset).count(),
        "attributes": list(dataset.attributes.values_list("name", flat=True)),
        "scores": scored.distinct().count(),
        "votes": Vote.objects.filter(attribute__dataset=dataset).count(),
    }


def dataset_record(dataset: Dataset) -> DatasetRecord:
    """The whole dataset in the order it came in, and the votes given since; in five queries."""
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


def _create(record: DatasetRecord, *, name: str, sha256: str, user: User | None) -> Dataset:
    dataset = Dataset(
        name=name,
        description=record.description,
        licence=record.licence,
        context_noun=record.context_noun,
        candidate_noun=record.candidate_noun,
        source_format=record.format,
        sha256=sha256,
        uploaded_by=user,
    )
    try:
        with transaction.atomic():
            dataset.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(f"name: a dataset {describe_value(name)} exists; choose another name") from error
    return dataset


def _store_attributes(record: DatasetRecord, dataset: Dataset) -> dict[str, int]:
    """name -> id."""
    rows = Attribute.objects.bulk_create(
        Attribute(
            dataset=dataset,
            name=attribute.name,
            adjective=attribute.adjective,
            definition=attribute.definition,
            minimum=attribute.minimum,
            maximum=attribute.maximum,
            position=position,
        )
        for position, attribute in enumerate(record.attributes)
    )
    return {row.name: row.pk for row in rows}


def _store_contexts(record: DatasetRecord, dataset: Dataset) -> list[Context]:
    """In the order of the record."""
    rows = [
        Context(
            dataset=dataset,
            key=context.key,
            text=context.text,
            subset=context.subset,
            reference=context.reference,
            position=position,
        )
        for position, context in enumerate(record.contexts)
    ]
    return Context.objects.bulk_create(rows, batch_size=BATCH)


CandidateIds = list[dict[str, Candidate]]
"""key -> row, for each context in the order of the record."""


def _store_candidates(record: DatasetRecord, contexts: list[Context]) -> CandidateIds:
    rows = [
        [
            Candidate(context=row, key=candidate.key, system=candidate.system, text=candidate.text, position=position)
            for position, candidate in enumerate(context.candidates)
        ]
        for row, context in zip(contexts, record.contexts, strict=True)
    ]
    Candidate.objects.bulk_create([candidate for some in rows for candidate in some], batch_size=BATCH)
    return [{candidate.key: candidate for candidate in some} for some in rows]


def _human_scores(
    record: DatasetRecord, attributes: Mapping[str, int], candidates: CandidateIds
) -> Iterator[HumanScore]:
    for context, rows in zip(record.contexts, candidates, strict=True):
        for candidate in context.candidates:
            for attribute, rater, value in _numbers(candidate):
                row, attribute_id = rows[candidate.key], attributes[attribute]
                yield HumanScore(candidate=row, attribute_id=attribute_id, rater=rater, value=value)


def _numbers(candidate: CandidateRecord) -> Iterator[tuple[str, str, float]]:
    """Attribute, rater and number of everything that people gave a candidate; no rater for its scores."""
    for attribute, value in candidate.scores.items():
        yield attribute, "", value
    for attribute, by_rater in candidate.ratings.items():
        for rater, value in by_rater.items():
            yield attribute, rater, value


def _votes(record: DatasetRecord, attributes: Mapping[str, int], candidates: CandidateIds) -> Iterator[Vote]:
    for context, rows in zip(record.contexts, candidates, strict=True):
        before: Counter[tuple[str, str, str, str]] = Counter()
        for vote in context.votes:
            asked = (vote.attribute, vote.first, vote.second, vote.rater)
            first, second = rows[vote.first], rows[vote.second]
            yield Vote(
                context_id=first.context_id,
                attribute_id=attributes[vote.attribute],
                first=first,
                second=second,
                choice=vote.choice,
                rater=vote.rater,
                occurrence=before[asked],
            )
            before[asked] += 1


def _context_records(dataset: Dataset) -> Iterator[ContextRecord]:
    candidates = _candidate_records(dataset)
    votes = _vote_records(dataset)
    for context in dataset.contexts.order_by("position"):
        yield ContextRecord(
            key=context.key,
            text=context.text,
            subset=context.subset,
            reference=context.reference,
            candidates=tuple(candidates[context.pk]),
            votes=tuple(votes[context.pk]),
        )


def _candidate_records(dataset: Dataset) -> dict[int, list[CandidateRecord]]:
    """context -> its candidates, in order."""
    scores: dict[int, dict[str, float]] = defaultdict(dict)
    ratings: dict[int, dict[str, dict[str, float]]] = defaultdict(dict)
    given = HumanScore.objects.filter(attribute__dataset=dataset).order_by("pk")
    for candidate, attribute, rater, value in given.values_list("candidate", "attribute__name", "rater", "value"):
        if rater:
            ratings[candidate].setdefault(attribute, {})[rater] = value
        else:
            scores[candidate][attribute] = value
    records: dict[int, list[CandidateRecord]] = defaultdict(list)
    for row in Candidate.objects.filter(context__dataset=dataset).order_by("context", "position"):
        record = CandidateRecord(row.key, row.text, row.system, scores[row.pk], ratings[row.pk])
        records[row.context_id].append(record)
    return records


def _vote_records(dataset: Dataset) -> dict[int, list[VoteRecord]]:
    """context -> its votes, in order."""
    records: dict[int, list[VoteRecord]] = defaultdict(list)
    votes = Vote.objects.filter(attribute__dataset=dataset).order_by("pk")
    fields = ("context", "attribute__name", "first__key", "second__key", "choice", "rater")
    for context, attribute, first, second, choice, rater in votes.values_list(*fields):
        records[context].append(VoteRecord(attribute, first, second, cast(VoteChoice, choice), rater))
    return records
