"""Import of datasets from records to rows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.db.models.functions import Coalesce

from evenhand.file_problems import describe_value
from evenhand.formats import CandidateRecord, ContextRecord, DatasetRecord
from evenhand.options import Option
from evenhand.refusals import Refused, not_free, raise_if_any
from judging.models import Attribute, Candidate, Context, Dataset, HumanScore, User, Visibility, Vote
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.datasets.dataset_changes import VISIBILITY, SharedWith, require_people
from judging.services.datasets.rows_in_parts import CHARACTERS_PER_ROW, split_into_parts
from judging.services.datasets.vote_records import make_vote_columns
from judging.services.names import name_problems

ROWS_PER_INSERT = 5_000
LONGEST_DATASET_NAME = 200
NAMES_SHOWN = 10


@noted(Act.IMPORT, returned=True)
def import_dataset(
    record: DatasetRecord,
    sha256: str,
    owner: User | None = None,
    size: int = 0,
    *,
    name: Annotated[
        str,
        Option("As it appears in lists, file names of downloads and commands.", "Name", longest=LONGEST_DATASET_NAME),
    ],
    visibility: Annotated[
        str | None, replace(VISIBILITY, help="Who may see it. Default: private; open if it has no owner.")
    ] = None,
    shared_with: SharedWith = (),
) -> Dataset:
    """Store a dataset under a new name, or nothing.

    sha256, size: of the concatenated files, in bytes. owner: None for nobody.
    Raises Refused if the name is invalid or taken, if nobody could see the dataset, or if the owner's datasets would
    be larger than the settings allow.
    """
    raise_if_any([*dataset_name_problems(name, owner), *size_problems(owner, size)])
    if visibility == Visibility.PRIVATE and owner is None:
        raise Refused("visibility: private needs an owner — give --owner NAME, or --visibility open")
    visibility = visibility or (Visibility.PRIVATE if owner else Visibility.OPEN)
    require_people(visibility, shared_with)
    dataset = _create(record, name=name, sha256=sha256, size=size, owner=owner, visibility=visibility)
    dataset.shared_with.add(*shared_with)
    attributes = _store_attributes(record, dataset)
    position, fields = 0, dict[str, None]()
    for contexts in split_into_parts(record.contexts, _size_of):
        _store_batch(contexts, dataset, attributes, first_position=position)
        position += len(contexts)
        fields.update((name, None) for context in contexts for name in context.fields)
    if fields:
        dataset.context_fields = list(fields)
        dataset.save(update_fields=["context_fields"])
    return dataset


def dataset_name_problems(name: str, owner: User | None) -> list[str]:
    """Return the problems of a new dataset's name. A name may still be taken before the dataset is stored."""
    if not name.strip():
        return [f"name: {describe_value(name)} — expected a name of one character or more"]
    problems = []
    if name != name.strip():
        problems.append(f"name: {describe_value(name)} — expected a name that neither begins nor ends with a space")
    if not name.isprintable():
        return [*problems, f"name: {name!a} — expected printable characters"]
    return [*problems, *name_problems(Dataset, name, owner)]


def size_problems(owner: User | None, size: int) -> list[str]:
    """Return the problem of a person whose datasets would come from more bytes of files than the settings allow."""
    most = settings.DATASETS_BYTES
    if owner is None or not most:
        return []
    stored = owner.datasets.aggregate(bytes=Coalesce(Sum("size"), 0))["bytes"]
    if stored + size <= most:
        return []
    return [
        f"files: {size:,} bytes, while the datasets of {owner.username} have {stored:,} of {most:,} — delete one, "
        "or ask an administrator for more (DATASETS_MB)"
    ]


def import_warnings(record: DatasetRecord) -> list[str]:
    """Warn about a dataset that can be stored, but that judges cannot judge as a whole."""
    return [*record.notes, *_warn_of_missing_attributes(record), *nothing_to_compare(record)]


def _warn_of_missing_attributes(record: DatasetRecord) -> list[str]:
    if record.attributes:
        return []
    return ["the dataset has no attributes, so judges have nothing to judge: name one, for example overall"]


def nothing_to_compare(record: DatasetRecord) -> list[str]:
    """Warn of contexts with fewer than two candidates. They are stored, but not judged in pairs."""
    too_small = CountedNames(NAMES_SHOWN)
    for context in record.contexts:
        if len(context.candidates) < 2:
            too_small.add(describe_value(context.key))
    if not too_small.count:
        return []
    how_many = "1 context has" if too_small.count == 1 else f"{too_small.count} contexts have"
    return [f"{how_many} fewer than two candidates, so there is nothing to compare: {too_small}"]


class CountedNames:
    """Counts names. `str()` lists the first ones."""

    def __init__(self, most: int) -> None:
        self.count = 0
        self._most = most
        self._first: list[str] = []

    def add(self, name: str) -> None:
        self.count += 1
        if self.count <= self._most:
            self._first.append(name)

    def __str__(self) -> str:
        more = self.count - len(self._first)
        return ", ".join(self._first) + (f" and {more} more" if more else "")


def _create(
    record: DatasetRecord, *, name: str, sha256: str, size: int, owner: User | None, visibility: str
) -> Dataset:
    dataset = Dataset(
        name=name,
        description=record.description,
        licence=record.licence,
        context_noun=record.context_noun,
        candidate_noun=record.candidate_noun,
        source_format=record.format,
        sha256=sha256,
        size=size,
        mapping=record.mapping,
        owner=owner,
        visibility=visibility,
    )
    try:
        with transaction.atomic():
            dataset.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(not_free(name)) from error
    return dataset


def _store_attributes(record: DatasetRecord, dataset: Dataset) -> dict[str, int]:
    """Store attributes. Returns their ids by name."""
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


def _size_of(context: ContextRecord) -> int:
    """Return a context's characters, with an allowance for each row."""
    rows = 1 + len(context.votes) + sum(1 + sum(1 for _ in _judgments(one)) for one in context.candidates)
    return len(context.text) + sum(len(candidate.text) for candidate in context.candidates) + rows * CHARACTERS_PER_ROW


def _store_batch(
    contexts: Sequence[ContextRecord], dataset: Dataset, attributes: Mapping[str, int], *, first_position: int
) -> None:
    stored = _store_contexts(contexts, dataset, first_position)
    candidates = _store_candidates(contexts, stored)
    HumanScore.objects.bulk_create(_human_scores(contexts, attributes, candidates), batch_size=ROWS_PER_INSERT)
    Vote.objects.bulk_create(_votes(contexts, attributes, candidates), batch_size=ROWS_PER_INSERT)


def _store_contexts(contexts: Sequence[ContextRecord], dataset: Dataset, first_position: int) -> list[Context]:
    rows = [
        Context(
            dataset=dataset,
            key=context.key,
            text=context.text,
            subset=context.subset,
            reference=context.reference,
            fields=dict(context.fields),
            position=position,
        )
        for position, context in enumerate(contexts, start=first_position)
    ]
    return Context.objects.bulk_create(rows, batch_size=ROWS_PER_INSERT)


StoredCandidates = list[dict[str, Candidate]]
"""Stored candidates by key, for each context of a batch."""


def _store_candidates(contexts: Sequence[ContextRecord], stored: list[Context]) -> StoredCandidates:
    rows = [
        [
            Candidate(context=row, key=candidate.key, system=candidate.system, text=candidate.text, position=position)
            for position, candidate in enumerate(context.candidates)
        ]
        for row, context in zip(stored, contexts, strict=True)
    ]
    Candidate.objects.bulk_create([candidate for some in rows for candidate in some], batch_size=ROWS_PER_INSERT)
    return [{candidate.key: candidate for candidate in some} for some in rows]


def _human_scores(
    contexts: Sequence[ContextRecord], attributes: Mapping[str, int], candidates: StoredCandidates
) -> Iterator[HumanScore]:
    for context, rows in zip(contexts, candidates, strict=True):
        for candidate in context.candidates:
            for attribute, rater, value in _judgments(candidate):
                row, attribute_id = rows[candidate.key], attributes[attribute]
                yield HumanScore(candidate=row, attribute_id=attribute_id, rater=rater, value=value)


def _judgments(candidate: CandidateRecord) -> Iterator[tuple[str, str, float]]:
    """Yield attribute, rater and value of each human score and rating. The rater of a score is empty."""
    for attribute, value in candidate.scores.items():
        yield attribute, "", value
    for attribute, by_rater in candidate.ratings.items():
        for rater, value in by_rater.items():
            yield attribute, rater, value


def _votes(
    contexts: Sequence[ContextRecord], attributes: Mapping[str, int], candidates: StoredCandidates
) -> Iterator[Vote]:
    for context, rows in zip(contexts, candidates, strict=True):
        occurrences: Counter[tuple[str, str, str, str]] = Counter()
        for vote in context.votes:
            same_vote = (vote.attribute, vote.first, vote.second, vote.rater)
            first, second = rows[vote.first], rows[vote.second]
            yield Vote(
                context_id=first.context_id,
                attribute_id=attributes[vote.attribute],
                first=first,
                second=second,
                occurrence=occurrences[same_vote],
                **make_vote_columns(vote),
            )
            occurrences[same_vote] += 1
