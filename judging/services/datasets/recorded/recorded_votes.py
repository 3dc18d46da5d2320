"""Import of votes and ratings that people gave elsewhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from django.db import IntegrityError
from django.db.models import F

from evenhand.file_problems import Problem, describe_value
from evenhand.formats import DiskDictionary, RatingRecord, RecordedVote, VoteRecord
from evenhand.refusals import Refused
from judging.models import Attribute, Dataset, HumanScore, Vote
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.campaigns.vote_exclusions import exclude_later_votes
from judging.services.datasets.dataset_keys import DatasetKeys, merge_problems, refuse_if_any
from judging.services.datasets.rows_in_parts import bulk_create_in_parts, count_different
from judging.services.datasets.vote_records import load_votes, make_vote_columns


@dataclass(frozen=True, slots=True)
class ImportedVotes:
    """The result of an import. votes: stored now. raters: people in the files. repeated: votes that were equal to
    an earlier one and are not stored again."""

    votes: int
    raters: int
    repeated: int


@noted(Act.IMPORT, on="dataset", what="votes")
def import_votes(
    records: Sequence[RecordedVote], *, dataset: Dataset, problems: Sequence[Problem] = ()
) -> ImportedVotes:
    """Store votes of raters by name. An equal vote that the dataset has already is not stored again.

    problems: found in the files; reported together with the problems found here.
    Raises Refused with every problem, and stores nothing.
    """
    try:
        Dataset.objects.select_for_update().get(pk=dataset.pk)  # another import waits
        imported = _store(records, *check_votes(records, dataset=dataset, problems=problems))
        exclude_later_votes(dataset)
    except IntegrityError as error:
        raise Refused("votes on the same pairs were stored at the same time; import the files again") from error
    return imported


def check_votes(
    records: Sequence[RecordedVote], *, dataset: Dataset, problems: Sequence[Problem] = ()
) -> tuple[DatasetKeys, DiskDictionary]:
    """Return the dataset's keys and its votes. Raises Refused with every problem that an import would meet."""
    if not records and not problems:
        raise Refused("there are no votes to import")
    keys = DatasetKeys(dataset)
    refuse_if_any(merge_problems(problems, records, lambda one: keys.problems(one, ("first", "second"))))
    stored = DiskDictionary()
    for one in load_votes(dataset):
        stored.add(one.key, astuple(one.vote))
    refuse_if_any(merge_problems((), records, lambda one: _find_other_answer(one, stored)))
    return keys, stored


def _store(records: Sequence[RecordedVote], keys: DatasetKeys, stored: DiskDictionary) -> ImportedVotes:
    """Store the votes that are neither in `stored` nor an earlier record."""
    new = (one for one in records if stored.add(one.key, True))
    count = bulk_create_in_parts(Vote, _make_rows(new, keys), texts=("comment", "guidelines"))
    return ImportedVotes(count, count_different(one.vote.rater for one in records), len(records) - count)


def _find_other_answer(one: RecordedVote, stored: DiskDictionary) -> Iterator[Problem]:
    """Find another vote of the same rater on the same ordered pair in the dataset."""
    values = stored.get(one.key)
    earlier = VoteRecord(*values) if values else one.vote
    excluded = one.vote.excluded or earlier.excluded
    # older files lack the time and the reason
    same = replace(one.vote, excluded=excluded, voted_at=earlier.voted_at, exclude_reason=earlier.exclude_reason)
    if earlier != same:
        pair = f"{describe_value(one.first)} against {describe_value(one.second)} by {describe_value(one.vote.rater)}"
        expected = f"the vote that the dataset has already: {_describe_difference(earlier, one.vote)}"
        yield Problem(one.file, one.line, "", pair, expected)


def _describe_difference(earlier: VoteRecord, vote: VoteRecord) -> str:
    names = [name for name in VoteRecord.__slots__ if getattr(earlier, name) != getattr(vote, name)]
    return ", ".join(f"{name} {describe_value(getattr(earlier, name))}" for name in names)


def _make_rows(records: Iterable[RecordedVote], keys: DatasetKeys) -> Iterator[Vote]:
    for one in records:
        vote = one.vote
        yield Vote(
            context_id=keys.contexts[one.context],
            attribute=keys.attributes[vote.attribute],
            first_id=keys.candidates[one.context, vote.first],
            second_id=keys.candidates[one.context, vote.second],
            occurrence=one.occurrence,
            **make_vote_columns(vote),
        )


@dataclass(frozen=True, slots=True)
class ImportedRatings:
    """The result of an import. ratings: stored now. repeated: equal ones that were already stored."""

    ratings: int
    raters: int
    repeated: int


@noted(Act.IMPORT, on="dataset", what="ratings")
def import_ratings(
    records: Sequence[RatingRecord], *, dataset: Dataset, problems: Sequence[Problem] = ()
) -> ImportedRatings:
    """Store ratings of raters by name. An equal rating that the dataset has already is not stored again.

    problems: found in the files; reported together with the problems found here.
    Raises Refused with every problem, and stores nothing.
    """
    Dataset.objects.select_for_update().get(pk=dataset.pk)  # another import waits
    keys, stored = check_ratings(records, dataset=dataset, problems=problems)
    changed: set[int] = set()
    count = bulk_create_in_parts(HumanScore, _make_new_rows(records, keys, stored, changed))
    # figures of the changed attributes are outdated
    Attribute.objects.filter(pk__in=changed).update(vote_changes=F("vote_changes") + 1)
    return ImportedRatings(count, count_different(one.rater for one in records), len(records) - count)


def check_ratings(
    records: Sequence[RatingRecord], *, dataset: Dataset, problems: Sequence[Problem] = ()
) -> tuple[DatasetKeys, DiskDictionary]:
    """Return the dataset's keys and its ratings. Raises Refused with every problem that an import would meet."""
    if not records and not problems:
        raise Refused("there are no ratings to import")
    keys = DatasetKeys(dataset)
    refuse_if_any(merge_problems(problems, records, lambda one: _find_problems(one, keys)))
    stored = DiskDictionary()
    rows = HumanScore.objects.filter(attribute__dataset=dataset).exclude(rater="").order_by()
    for row in rows.iterator():
        stored.add(_key_of(row), row.value)
    refuse_if_any(merge_problems((), records, lambda one: _find_other_value(one, keys, stored)))
    return keys, stored


def _find_problems(one: RatingRecord, keys: DatasetKeys) -> Iterator[Problem]:
    yield from keys.problems(one, ("candidate",))
    attribute = keys.attributes.get(one.attribute)
    if attribute is None:
        return
    low, high = attribute.minimum, attribute.maximum
    if (low is not None and one.score < low) or (high is not None and one.score > high):
        expected = f"a number within the scale of {attribute.name}"
        yield Problem(one.file, one.line, "score", describe_value(one.score), expected)


def _make_row(one: RatingRecord, keys: DatasetKeys) -> HumanScore:
    candidate = keys.candidates[one.context, one.candidate]
    attribute = keys.attributes[one.attribute]
    return HumanScore(candidate_id=candidate, attribute=attribute, rater=one.rater, value=one.score)


def _key_of(row: HumanScore) -> tuple[int, int, str]:
    return row.candidate_id, row.attribute_id, row.rater


def _find_other_value(one: RatingRecord, keys: DatasetKeys, stored: DiskDictionary) -> Iterator[Problem]:
    """Find another number that the rater gave the candidate before."""
    earlier = stored.get(_key_of(_make_row(one, keys)))
    if earlier is not None and earlier != one.score:
        expected = f"the rating that the dataset has already, {earlier:g}"
        yield Problem(one.file, one.line, "score", describe_value(one.score), expected)


def _make_new_rows(
    records: Sequence[RatingRecord], keys: DatasetKeys, stored: DiskDictionary, changed: set[int]
) -> Iterator[HumanScore]:
    """Yield the rows that are not stored. changed: receives the ids of their attributes."""
    for one in records:
        row = _make_row(one, keys)
        if stored.add(_key_of(row), row.value):
            changed.add(row.attribute_id)
            yield row
