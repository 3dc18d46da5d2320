"""Import of ratings that people gave candidates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import F

from evenhand.file_problems import Problem, describe_value
from evenhand.formats import DiskDictionary, RatingRecord
from evenhand.refusals import Refused
from judging.models import Attribute, Dataset, HumanScore
from judging.models.activity import Act
from judging.services.activity import noted
from judging.services.datasets.dataset_keys import DatasetKeys, merge_problems, refuse_if_any
from judging.services.datasets.rows_in_parts import bulk_create_in_parts, count_different


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
