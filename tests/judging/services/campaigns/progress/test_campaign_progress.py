"""Progress of campaigns."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import Assignment, Campaign
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import (
    CampaignProgress,
    agreement_so_far,
    annotator_progress,
    campaign_progress,
)
from judging.services.campaigns.progress.working_session import working_session
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.campaigns import expire, make_annotator, make_campaign, prefer, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def own_numbers(campaigns, annotator):
    """Return the annotator's votes, skips, pairs left and pairs in all, in each campaign."""
    own = [one.own_progress for one in campaigns.with_own_progress(annotator).order_by("pk")]
    return [(one.votes, one.skips, one.left, one.total) for one in own]


def test_campaign_progress_counts_votes_and_skips_of_this_campaign_only():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign(make_dataset(candidates=(2, 2)), votes_per_pair=2)
    other = make_campaign(name="other", allow_repeats=True)
    vote(campaign, ann)
    vote(campaign, ben)
    vote(campaign, ann)
    skip_pair(next_pair(campaign, annotator=ben), reason="other")
    vote(other, ann)

    progress = campaign_progress(campaign)

    assert progress == CampaignProgress(pairs=2, complete=1, done=3, planned=4, skips=1, both_bad=0, cannot_judge=0)


def test_campaigns_of_an_annotator_count_own_answers_and_pairs_left():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    dataset = make_dataset(candidates=(3,))
    campaign = make_campaign(dataset, annotators=[ann, ben], votes_per_pair=2)
    make_campaign(dataset, name="Another", annotators=[ann, ben], votes_per_pair=2, allow_repeats=True)
    vote(campaign, ann)
    vote(campaign, ben)
    skip_pair(next_pair(campaign, annotator=ann), reason="other")
    next_pair(campaign, annotator=ben)

    assert own_numbers(Campaign.objects.open_to(ann), ann) == [(1, 1, 1, 3), (0, 0, 3, 3)]


def test_own_progress_leaves_out_an_open_pair_that_others_completed():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign(make_dataset(candidates=(2,)), votes_per_pair=1)
    expire(next_pair(campaign, annotator=ann))
    vote(campaign, ben)

    assert own_numbers(Campaign.objects, ann) == [(0, 0, 0, 0)]


def test_annotator_progress_counts_votes_skips_and_pace():
    ann, ben, cem = (make_annotator(name) for name in ("ann", "ben", "cem"))
    campaign = make_campaign(make_dataset(candidates=(4,)), annotators=[ann, ben])
    for milliseconds in (1000, 5000, 6000):
        vote(campaign, ann, milliseconds=milliseconds)
    skip_pair(next_pair(campaign, annotator=ann), reason="other")
    other = make_campaign(name="other", annotators=[make_annotator("dan")], allow_repeats=True)
    vote(other, ann, milliseconds=1)
    vote(campaign, cem)

    listed = annotator_progress(campaign)

    rows = sorted(listed, key=lambda row: row.annotator.username)
    assert listed == sorted(rows, key=lambda row: row.annotator.rater_name)
    assert [(row.annotator.username, row.takes_part, row.votes, row.skips) for row in rows] == [
        ("ann", True, 3, 1),
        ("ben", True, 0, 0),
        ("cem", False, 1, 0),
    ]
    assert [(row.quick, row.median_seconds) for row in rows] == [(1, 5.0), (0, None), (0, None)]
    assert rows[0].last_vote == ann.votes.filter(assignment__pair__campaign=campaign).last().assignment.answered_at


def test_annotator_progress_needs_the_same_queries_for_any_number_of_people(django_assert_max_num_queries):
    people = [make_annotator(f"person-{number}") for number in range(5)]
    campaign = make_campaign(annotators=people)

    with django_assert_max_num_queries(2):
        annotator_progress(campaign)


def test_agreement_so_far_compares_all_votes_on_a_pair_for_any_sides():
    ann, ben, cem = (make_annotator(name) for name in ("ann", "ben", "cem"))
    campaign = make_campaign(make_dataset(candidates=(2, 2)), votes_per_pair=3)
    other = make_campaign(name="other", allow_repeats=True)
    for person, earlier in ((ann, True), (ben, True)):
        prefer(campaign, person, earlier=earlier)
        vote(campaign, person, "tie")
        vote(other, person, "first")
    prefer(campaign, cem, earlier=False)

    agreement = agreement_so_far(campaign, attribute=campaign.attributes.get())

    assert (agreement.agreeing, agreement.compared, agreement.pairs, agreement.disputed) == (2, 4, 2, 1)
    assert agreement.percent == 50


def test_progress_of_all_campaigns_is_counted_without_a_row_for_each_of_their_pairs():
    vote(make_campaign(votes_per_pair=2), make_annotator("ann"))

    campaigns = Campaign.objects.with_progress()

    assert [(one.pair_count, one.votes_done, one.votes_planned) for one in campaigns] == [(6, 1, 12)]
    assert campaigns.query.group_by is None


def test_answers_since_break_are_those_of_one_person():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign()
    for person in (ann, ben, ben):
        vote(campaign, person)

    assert [working_session(person).answers for person in (ann, ben)] == [1, 2]


def test_answers_in_a_row_end_at_a_break():
    ann = make_annotator("ann")
    campaign = make_campaign()
    before, *_ = [vote(campaign, ann) for _ in range(3)]
    Assignment.objects.filter(vote=before).update(answered_at=timezone.now() - timedelta(minutes=11))

    assert working_session(ann).answers == 2
