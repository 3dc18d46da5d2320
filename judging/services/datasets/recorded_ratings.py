"""Import of ratings that people gave candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from judging.exceptions import Refused
from judging.formats import Problem, RatingRecord, describe_value
from judging.models import Attribute, Dataset, HumanScore
from judging.services.datasets.dataset_import import ROWS_PER_INSERT
from judging.services.datasets.recorded_judgments import DatasetKeys, merge_problems


@dataclass(frozen=True, slots=True)
class ImportedRatings:
    """The result of an import. ratings: stored now. repeated: equal ones that were already stored."""

    ratings: int
    raters: int
    repeated: int


@transaction.atomic
def import_ratings(
    records: Sequence[RatingRecord], *, dataset: Dataset, problems: Sequence[Problem] = ()
) -> ImportedRatings:
    """Store ratings of raters by name. An equal rating that the dataset has already is not stored again.

    problems: found in the files; reported together with the problems found here.
    Raises Refused with every problem, and stores nothing.
    """
    if not records and not problems:
        raise Refused("there are no ratings to import")
    Dataset.objects.select_for_update().get(pk=dataset.pk)  # another import waits
    keys = DatasetKeys(dataset)
    further = (problem for one in records for problem in _find_problems(one, keys))
    if refused := merge_problems(problems, further, files=[one.file for one in records]):
        raise Refused(*map(str, refused))
    rows = [_make_row(one, keys) for one in records]
    stored = _load_ratings(dataset)
    if refused := [*_other_values(records, rows, stored)]:
        raise Refused(*map(str, refused))
    new = [row for row in rows if _key_of(row) not in stored]
    HumanScore.objects.bulk_create(new, batch_size=ROWS_PER_INSERT)
    changed = Attribute.objects.filter(pk__in={row.attribute_id for row in new})
    changed.update(vote_changes=F("vote_changes") + 1)  # figures of the attribute are outdated
    return ImportedRatings(len(new), len({one.rater for one in records}), len(records) - len(new))


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


def _load_ratings(dataset: Dataset) -> dict[tuple[int, int, str], float]:
    rows = HumanScore.objects.filter(attribute__dataset=dataset).exclude(rater="").order_by()
    return {_key_of(row): row.value for row in rows.iterator()}


def _other_values(
    records: Sequence[RatingRecord], rows: Sequence[HumanScore], stored: dict[tuple[int, int, str], float]
) -> Iterator[Problem]:
    """Find ratings whose rater gave the candidate another number before."""
    for one, row in zip(records, rows, strict=True):
        earlier = stored.get(_key_of(row))
        if earlier is not None and earlier != row.value:
            expected = f"the rating that the dataset has already, {earlier:g}"
            yield Problem(one.file, one.line, "score", describe_value(row.value), expected)
