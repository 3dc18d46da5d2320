"""The pace of a campaign, when it ends, and who is behind."""

from datetime import UTC, date, datetime, timedelta

import pytest

from evenhand.numerics.reliability.vote_planner import pair_agreement
from judging.models import Assignment, Campaign, Participation
from judging.services.campaigns.campaign_states import change_state
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import (
    agreement_so_far,
    annotator_progress,
    campaign_progress,
)
from judging.services.campaigns.progress.labelling_pace import labelling_pace, parts_of_people
from judging.services.campaigns.skips_and_undo import skip_pair
from rankings.loading import campaign_votes, candidate_table
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, small_campaign, vote
from tests.factories import make_dataset
from tests.judging.stored_votes import store_votes

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 11, 12, tzinfo=UTC)


def give(campaign, person, *days_ago):
    """One vote for each number of days ago, at that time."""
    for days in days_ago:
        one = vote(campaign, person)
        Assignment.objects.filter(pk=one.assignment_id).update(answered_at=NOW - timedelta(days=days))


def pace_of(campaign: Campaign):
    return labelling_pace(campaign, campaign_progress(campaign), now=NOW)


def test_end_is_expected_at_the_pace_of_the_last_seven_days():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,) * 24), votes_per_pair=1)

    give(campaign, ann, 20, 20, 20, 6, 5, 4, 3, 2, 1, 0.5)

    pace = pace_of(campaign)
    assert (pace.votes_per_day, pace.end) == (1.0, date(2026, 3, 25))


def test_pace_of_a_young_campaign_is_counted_from_its_first_vote():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,) * 10), votes_per_pair=1)

    give(campaign, ann, 2, 2, 1, 1)

    assert (pace_of(campaign).votes_per_day, pace_of(campaign).end) == (2.0, date(2026, 3, 14))


def test_votes_of_one_hour_are_no_pace_of_many_a_day():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=1)

    give(campaign, ann, 1 / 24, 0)

    assert pace_of(campaign).votes_per_day == 2.0


def test_votes_within_less_than_an_hour_give_no_end():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=1)

    give(campaign, ann, 2, 2 - 0.9 / 24)

    assert (pace_of(campaign).end, pace_of(campaign).undefined) == (
        None,
        "it is too early, because all votes came within one hour",
    )


@pytest.mark.parametrize(
    ("assigned", "reason"),
    [
        (0, "each pair needs 3 annotators, none is assigned"),
        (1, "each pair needs 3 annotators, 1 is assigned"),
        (2, "each pair needs 3 annotators, 2 are assigned"),
        (3, ""),
    ],
)
def test_no_end_is_expected_with_fewer_people_than_votes_per_pair(assigned, reason):
    people = [make_annotator(name) for name in ("ann", "ben", "cora")]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=3)
    make_campaign(name="Other", annotators=people)
    give(campaign, people[0], 2, 1)
    Participation.objects.filter(campaign=campaign, annotator__in=people[assigned:]).delete()

    pace = pace_of(campaign)

    assert (pace.undefined, pace.end is None) == (reason, assigned < 3)


def test_people_whose_votes_stay_count_after_they_are_removed():
    ann, ben = people = [make_annotator(name) for name in ("ann", "ben")]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=2)
    give(campaign, ann, 3, 3, 2, 2)
    give(campaign, ben, 1, 1)
    Participation.objects.filter(campaign=campaign, annotator=ann).delete()

    assert pace_of(campaign).end is not None


def test_no_end_is_expected_once_nobody_has_pairs_left_although_votes_are_missing():
    people = [make_annotator(name) for name in ("ann", "ben")]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(2,) * 2), votes_per_pair=2)
    for person in people:
        skip_pair(next_pair(campaign, annotator=person), reason="undecided")
    give(campaign, people[0], 1)
    skip_pair(next_pair(campaign, annotator=people[1]), reason="undecided")

    assert (pace_of(campaign).end, pace_of(campaign).undefined) == (None, "no annotator has pairs left")


@pytest.mark.parametrize(
    ("days_ago", "state", "reason"),
    [
        ((), "open", "nobody has voted yet"),
        ((9,), "open", "nobody voted in the last 7 days"),
        ((1,), "paused", "this campaign is paused"),
        ((1, 1, 1), "open", "every vote is in"),
    ],
)
def test_without_a_pace_there_is_a_reason(days_ago, state, reason):
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,) * 3), votes_per_pair=1)
    give(campaign, ann, *days_ago)
    if state != "open":
        change_state(campaign, state=state)

    assert (pace_of(campaign).end, pace_of(campaign).undefined) == (None, reason)


def test_people_are_finished_behind_or_not_started():
    people = [make_annotator(name) for name in ("ann", "ben", "cora", "dan")]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(2,) * 20), votes_per_pair=2)
    ann, ben, cora, dan = people
    Participation.objects.filter(annotator=dan).update(most_pairs=1)
    give(campaign, ann, *[1] * 8)
    give(campaign, ben, 1)
    give(campaign, dan, 1)

    parts = parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign))

    standing = {one.person.annotator: (one.part, one.standing) for one in parts}
    assert standing == {ann: (10, ""), ben: (10, "behind"), cora: (10, "not started"), dan: (1, "finished")}


def test_removed_person_has_no_part():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    give(campaign, ann, 1)
    Participation.objects.filter(annotator=ann).delete()

    [one] = parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign))

    assert (one.part, one.standing) == (None, "")


def test_interval_of_agreement_is_that_of_the_planner():
    people = [make_annotator(name) for name in ("ann", "ben", "cora")]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(3,) * 6))
    for number, person in enumerate(people):
        store_votes(
            campaign,
            person,
            [None] * 18,
            choice=lambda pair, number=number: "first" if number < 2 or pair.one.context.position % 3 > 0 else "second",
        )

    attribute = campaign.attributes.get()
    agreement = agreement_so_far(campaign, attribute=attribute)
    figure = pair_agreement(campaign_votes(candidate_table(campaign.dataset), campaign, attribute))

    assert agreement.percent == pytest.approx(100 * figure.value)
    assert (agreement.low, agreement.high) == pytest.approx((100 * figure.low, 100 * figure.high))
    assert agreement.low < agreement.percent < agreement.high


def test_campaign_without_people_has_no_parts():
    campaign = small_campaign()

    assert parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign)) == []
