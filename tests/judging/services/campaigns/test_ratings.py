"""Campaigns of ratings: annotators rate single texts on one attribute or more."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evenhand.refusals import Refused
from judging.models import AnswerEvent, Attribute, HumanScore
from judging.services.campaign_pairs.rating_scales import RatingScale, scale_options
from judging.services.campaigns.campaign_copies import copy_campaign
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.overlaps import describe_overlaps
from judging.services.campaigns.progress.campaign_progress import annotator_progress, campaign_progress, labelling_days
from judging.services.campaigns.progress.campaign_report import attribute_progress
from judging.services.campaigns.ratings import change_rating, record_rating
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.votes import record_vote
from tests.campaigns import (
    make_annotator,
    make_campaign,
    make_ready_campaign,
    rate,
    shown_in,
    wrong_places,
)
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def rating_campaign(*people, candidates=(2, 2), attributes=("coherence",), name="Ratings", **fields):
    """A campaign of ratings on all texts and attributes of a new dataset."""
    dataset = make_dataset(name, candidates=candidates, attributes=attributes)
    fields = {"kind": "ratings", "attributes": dataset.attributes.all()} | fields
    return make_ready_campaign(*people, dataset=dataset, name=name, **fields)


def shown(assignment):
    return assignment.first.context.key, assignment.first.key, assignment.pair.attribute.name


def test_every_text_is_rated_once_by_each_annotator_and_stored_as_a_rating_of_the_dataset():
    ann = make_annotator("ann")
    campaign = rating_campaign(ann)

    for rating in (1, 2, 4, 5):
        rate(campaign, ann, rating, milliseconds=3000)

    rows = HumanScore.objects.order_by("pk")
    assert [row.value for row in rows] == [1, 2, 4, 5]
    assert {row.rater for row in rows} == {ann.rater_name}
    assert len({row.candidate_id for row in rows}) == 4
    assert {row.assignment.visible_milliseconds for row in rows} == {3000}
    assert next_pair(campaign, annotator=ann) is None


def test_first_texts_come_from_different_contexts():
    ann = make_annotator("ann")
    campaign = rating_campaign(ann, candidates=(3, 3, 3))

    contexts = [rate(campaign, ann, 3).candidate.context_id for _ in range(9)]

    assert [len(set(contexts[start : start + 3])) for start in (0, 3, 6)] == [3, 3, 3]


def test_nobody_rates_a_text_twice_on_an_attribute_across_campaigns():
    ann = make_annotator("ann")
    first = rating_campaign(ann)
    for _ in range(4):
        rate(first, ann, 3)
    other = make_ready_campaign(ann, dataset=first.dataset, name="other", kind="ratings")

    assert next_pair(other, annotator=ann) is None
    assert describe_overlaps(other) == (
        "Shares texts with Ratings (4 shared texts, 1 shared annotator). "
        "No annotator gets a shared text twice, so some texts may lack ratings."
    )


def test_pairs_that_somebody_compared_are_still_rated():
    ann = make_annotator("ann")
    pairs = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,)))
    next_pair(pairs, annotator=ann)
    ratings = make_ready_campaign(ann, dataset=pairs.dataset, name="ratings", kind="ratings")

    assert next_pair(ratings, annotator=ann) is not None
    assert describe_overlaps(ratings) == ""


def test_same_rating_again_changes_nothing_and_another_one_is_refused():
    ann = make_annotator("ann")
    assignment = next_pair(rating_campaign(ann), annotator=ann)

    stored = record_rating(assignment, rating=4, shown=assignment.first_name)

    assert record_rating(assignment, rating=4, shown=assignment.first_name) == stored
    with pytest.raises(Refused, match="You already rated this text"):
        record_rating(assignment, rating=5, shown=assignment.first_name)
    assert HumanScore.objects.get().value == 4


@pytest.mark.parametrize("rating", [0, 6, -1])
def test_rating_off_the_scale_or_of_a_text_that_was_not_shown_is_refused(rating):
    ann = make_annotator("ann")
    assignment = next_pair(rating_campaign(ann), annotator=ann)

    with pytest.raises(Refused, match=f"rating: {rating} — choose a whole number from 1 to 5"):
        record_rating(assignment, rating=rating, shown=assignment.first_name)
    with pytest.raises(Refused, match="out of date"):
        record_rating(assignment, rating=3, shown="another text")

    assert not HumanScore.objects.exists()


def test_votes_and_ratings_are_refused_in_campaigns_of_the_other_kind():
    ann = make_annotator("ann")
    rated = next_pair(rating_campaign(ann), annotator=ann)
    compared = next_pair(make_ready_campaign(ann, name="pairs"), annotator=ann)

    with pytest.raises(Refused, match="takes no votes on pairs"):
        record_vote(rated, choice="first", shown=shown_in(compared))
    with pytest.raises(Refused, match="takes no ratings"):
        record_rating(compared, rating=3, shown=compared.first_name)


def test_change_skip_and_undo_keep_their_history_and_make_figures_outdated():
    ann = make_annotator("ann")
    campaign = rating_campaign(ann)
    assignment = next_pair(campaign, annotator=ann)
    record_rating(assignment, rating=2, shown=assignment.first_name)
    change_rating(assignment, rating=5, shown=assignment.first_name)
    reopen_pair(assignment)
    skip_pair(assignment, reason="language")

    events = AnswerEvent.objects.order_by("pk")
    assert [str(event) for event in events] == ["rated 2", "changed 5", "reopened", "skipped language"]
    assert not HumanScore.objects.exists()
    assert Attribute.objects.get().vote_changes == 3
    assert wrong_places(campaign) == []


def test_rating_that_was_imported_under_ones_name_is_not_overwritten():
    ann = make_annotator("ann")
    assignment = next_pair(rating_campaign(ann), annotator=ann)
    known = {"candidate": assignment.first, "attribute": assignment.pair.attribute, "rater": ann.rater_name}
    HumanScore.objects.create(**known, value=1.5)

    with pytest.raises(Refused, match="from another source"):
        record_rating(assignment, rating=3, shown=assignment.first_name)

    assert HumanScore.objects.get().value == 1.5


@pytest.mark.parametrize(
    ("low", "high", "levels"),
    [(None, None, (1, 5)), (1, 3, (1, 3)), (0, 1, (0, 1)), (0, 100, (1, 5)), (1, None, (1, 5))],
)
def test_scale_is_that_of_the_dataset_if_it_has_few_whole_numbers_else_1_to_5(low, high, levels):
    dataset = make_dataset(candidates=(2,))
    dataset.attributes.update(minimum=low, maximum=high)

    campaign = make_campaign(dataset, kind="ratings")

    asked = campaign.asked_attributes.get()
    assert (asked.levels[0], asked.levels[-1]) == levels


def scale(*ends):
    return scale_options({"coherence": RatingScale(*ends)})


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"kind": "ratings", **scale(3, 3)}, "lowest, highest: 3 to 3 — give two whole numbers"),
        ({"kind": "ratings", **scale(0, 50)}, "lowest, highest: 0 to 50 has 51 levels"),
        ({"kind": "ratings", "selection": "unsure"}, 'selection: "unsure" chooses pairs'),
        ({"kind": "ratings", "random_share": 0.5}, "random share: a campaign of ratings has no pairs"),
        ({"kind": "ratings", "allow_repeats": True}, "allow_repeats: nobody rates a text twice"),
        ({"kind": "ratings", "allow_both_bad": True}, "allow both bad: is about answers on pairs"),
        (scale(1, 5), "lowest, highest: only a campaign of ratings has a scale"),
    ],
)
def test_impossible_campaigns_of_ratings_are_refused(fields, problem):
    with pytest.raises(Refused, match=problem.replace("(", r"\(")):
        make_campaign(make_dataset(candidates=(2,), attributes=("coherence",)), **fields)


def test_scale_outside_the_human_scores_of_the_dataset_is_refused():
    dataset = make_dataset(candidates=(2,))
    dataset.attributes.update(minimum=1, maximum=3)
    name = dataset.attributes.get().name

    with pytest.raises(Refused, match=f'human scores of "{name}" are from 1 to 3 in the dataset'):
        make_campaign(dataset, kind="ratings", lowest={name: 1}, highest={name: 5})


def test_progress_of_ratings_has_their_mean_spread_and_alpha():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = rating_campaign(ann, ben, candidates=(2, 2), votes_per_pair=2)
    for person in (ann, ben):
        for _ in range(4):
            assignment = next_pair(campaign, annotator=person)
            record_rating(assignment, rating=1 + assignment.first.position * 4, shown=assignment.first_name)

    [progress] = attribute_progress(campaign)

    assert (progress.pairs, progress.complete, progress.done, progress.planned) == (4, 4, 8, 8)
    assert (progress.ratings.ratings, progress.ratings.texts, progress.ratings.mean) == (8, 4, 3)
    assert progress.ratings.alpha.value == 1
    assert campaign_progress(campaign).done == 8
    assert [day.votes for day in labelling_days(campaign)] == [8]
    assert [row.votes for row in annotator_progress(campaign)] == [4, 4]


def test_copy_has_the_kind_the_scale_and_fresh_texts():
    ann = make_annotator("ann")
    scale = scale_options({"coherence": RatingScale(1, 7, "chaotic", "in order")})
    campaign = rating_campaign(ann, candidates=(3, 3), **scale, pairs_per_context=1)

    copy = copy_campaign(campaign, name="again", created_by=None)

    asked = copy.asked_attributes.get()
    assert (copy.kind, asked.levels, asked.lowest_label) == ("ratings", range(1, 8), "chaotic")
    assert copy.pairs.count() == 2
    assert copy.seed != campaign.seed


def count_queries_of_next(campaign, annotator):
    next_pair(campaign, annotator=annotator)
    with CaptureQueriesContext(connection) as queries:
        next_pair(campaign, annotator=annotator)
    return len(queries)


def test_next_text_takes_as_many_queries_for_any_number_of_texts():
    ann = make_annotator("ann")
    few = rating_campaign(ann, candidates=(2,))
    many = rating_campaign(ann, candidates=(20,) * 5, name="many")

    assert count_queries_of_next(few, ann) == count_queries_of_next(many, ann)
