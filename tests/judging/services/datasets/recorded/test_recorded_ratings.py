"""Ratings given elsewhere."""

import pytest

from evenhand.formats import RatingRecord
from evenhand.refusals import Refused
from judging.models import HumanScore
from judging.services.datasets.recorded.recorded_votes import ImportedRatings, import_ratings
from rankings.record_states import states_of_votes
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def rated(candidate="a", score=4.0, *, rater="h1", line=1, context="c0"):
    return RatingRecord("ratings.csv", line, context, "coherence", candidate, rater, score)


def test_import_ratings_stores_new_ratings_and_makes_figures_outdated():
    dataset, _ = make_dataset(), make_dataset("Others")
    attribute = dataset.attributes.get()
    before = states_of_votes([attribute.pk])

    first = import_ratings([rated(), rated("b", 2)], dataset=dataset)
    again = import_ratings([rated(), rated(rater="h2")], dataset=dataset)

    assert (first, again) == (ImportedRatings(2, 1, 0), ImportedRatings(1, 2, 1))
    assert set(HumanScore.objects.values_list("candidate__key", "rater", "value")) == {
        ("a", "h1", 4),
        ("b", "h1", 2),
        ("a", "h2", 4),
    }
    assert set(HumanScore.objects.values_list("attribute__dataset", flat=True)) == {dataset.pk}
    assert states_of_votes([attribute.pk]) != before


def test_import_ratings_refuses_another_number_of_the_same_rater():
    dataset = make_dataset()
    import_ratings([rated()], dataset=dataset)

    with pytest.raises(Refused) as caught:
        import_ratings([rated(rater="h2"), rated(score=5.0, line=2)], dataset=dataset)

    assert caught.value.problems == ("ratings.csv:2: score: 5.0 — expected the rating that the dataset has already, 4",)
    assert HumanScore.objects.count() == 1


def test_import_ratings_refuses_numbers_outside_the_scale_and_unknown_candidates():
    dataset = make_dataset()
    dataset.attributes.update(minimum=1, maximum=5)

    with pytest.raises(Refused) as caught:
        import_ratings([rated(score=6.0), rated("z", line=2)], dataset=dataset)

    assert [str(line).split(" — ")[0] for line in caught.value.problems] == [
        "ratings.csv:1: score: 6.0",
        'ratings.csv:2: candidate: "z"',
    ]
