"""Assignments: the next pair, its holder, and the sides of its texts."""

from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.db.models import F

from judging.models import Assignment
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.campaigns import (
    act_at_random,
    answer,
    expire,
    make_annotator,
    make_campaign,
    make_ready_campaign,
    small_campaign,
    vote,
    wrong_places,
)
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def test_next_pair_gives_annotators_the_pair_with_the_fewest_votes_and_holds():
    ann, ben, cem = (make_annotator(name) for name in ("ann", "ben", "cem"))
    campaign = small_campaign(pairs=2, votes_per_pair=3)

    assert [next_pair(campaign, annotator=person).pair.position for person in (ann, ben, cem)] == [0, 1, 0]


def test_next_pair_reassigns_an_expired_place():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(votes_per_pair=1)
    left_alone = next_pair(campaign, annotator=ann)
    expire(left_alone)

    assert next_pair(campaign, annotator=ben).pair == left_alone.pair
    assert next_pair(campaign, annotator=ann) is None


def test_the_last_pairs_are_reserved_for_ten_minutes_and_others_for_thirty():
    ann, ben, cem = (make_annotator(name) for name in ("ann", "ben", "cem"))
    campaign = small_campaign(pairs=2, votes_per_pair=1)
    left_alone = next_pair(campaign, annotator=ann)
    shown_ago(left_alone, minutes=11)

    other = next_pair(campaign, annotator=ben)
    taken = next_pair(campaign, annotator=cem)

    assert (other.pair == left_alone.pair, taken.pair == left_alone.pair) == (False, True)
    assert next_pair(campaign, annotator=ann) is None
    assert wrong_places(campaign) == []


def test_the_last_pair_stays_with_somebody_who_looked_at_it_within_ten_minutes():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(votes_per_pair=1)
    held = next_pair(campaign, annotator=ann)
    shown_ago(held, minutes=9)

    assert next_pair(campaign, annotator=ben) is None
    assert next_pair(campaign, annotator=ann) == held


def shown_ago(assignment, *, minutes):
    """Let a pair be shown last so many minutes ago."""
    passed = timedelta(minutes=minutes)
    Assignment.objects.filter(pk=assignment.pk).update(held_until=F("held_until") - passed)


def test_next_pair_renews_an_expired_hold_that_nobody_took():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(votes_per_pair=1)
    left_alone = next_pair(campaign, annotator=ann)
    expire(left_alone)

    back = next_pair(campaign, annotator=ann)

    assert (back.pk, back.swapped) == (left_alone.pk, left_alone.swapped)
    assert next_pair(campaign, annotator=ben) is None


def test_next_pair_is_a_skipped_one_before_pairs_with_as_few_votes():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=2)
    skipped = next_pair(campaign, annotator=ann)
    skip_pair(skipped, reason="other")
    shown = next_pair(campaign, annotator=ann)

    assert next_pair(campaign, annotator=ben).pair == skipped.pair
    assert shown.pair != skipped.pair


def test_next_pair_returns_to_pairs_that_were_full_when_the_annotator_passed_them():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=1)
    his = [vote(campaign, ben), vote(campaign, ben)]
    vote(campaign, ann)
    for one in his:
        skip_pair(one.assignment, reason="other")

    shown = [vote(campaign, ann).assignment.pair for _ in range(3)]

    assert {one.assignment.pair for one in his} < set(shown)
    assert next_pair(campaign, annotator=ann) is None


def test_next_pair_is_found_from_the_start_where_the_last_turn_lies_behind_it():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2, 2)))
    campaign.participations.update(turn=2**40)

    assert next_pair(campaign, annotator=ann).pair.position == 0


@pytest.mark.parametrize("seed", range(2))
def test_places_are_right_after_any_answers(seed):
    rng = np.random.default_rng(seed)
    people = [make_annotator(f"person-{number}") for number in range(4)]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(3, 2)), votes_per_pair=2)

    for _ in range(40):
        act_at_random(campaign, people[rng.integers(4)], rng)
        assert wrong_places(campaign) == []


def test_next_pair_is_looked_up_in_an_index():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # with few rows it would read them all
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")

    plan = campaign.pairs.free_for(ann).filter(turn__gte=5)[:1].explain()

    assert "free_pairs_by_turn" in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


def test_open_pairs_of_two_campaigns_do_not_meet():
    ann = make_annotator("ann")
    one, other = small_campaign(name="one"), make_campaign(name="other", allow_repeats=True)

    shown = [next_pair(campaign, annotator=ann).pair.campaign.name for campaign in (one, other, one)]

    assert shown == ["one", "other", "one"]


def test_sides_are_balanced_within_an_annotator_and_between_the_annotators_of_a_pair():
    people = [make_annotator(name) for name in ("ann", "ben", "cem", "dan")]
    campaign = make_campaign(make_dataset(candidates=(4,)), votes_per_pair=4)
    rng = np.random.default_rng(7)

    for _ in range(6):
        for person in people:
            answer(next_pair(campaign, annotator=person, rng=rng))

    by_person = [sum(2 * a.swapped - 1 for a in person.assignments.all()) for person in people]
    by_pair = [sum(2 * a.swapped - 1 for a in pair.assignments.all()) for pair in campaign.pairs.all()]
    assert by_person == [0, 0, 0, 0]
    assert max(map(abs, by_pair)) <= 2


def test_sides_are_a_coin_flip_where_nothing_leans():
    people = [make_annotator(f"person-{number}") for number in range(20)]
    campaign = small_campaign(pairs=20, votes_per_pair=1)
    rng = np.random.default_rng(8)

    swapped = [next_pair(campaign, annotator=person, rng=rng).swapped for person in people]

    assert 4 <= sum(swapped) <= 16


def test_posted_text_names_reveal_nothing_and_differ_between_annotators():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(votes_per_pair=2)

    one, other = (next_pair(campaign, annotator=person) for person in (ann, ben))

    names = {one.first_name, one.second_name, other.first_name, other.second_name}
    assert len(names) == 4
    assert all(len(name) == 16 and int(name, 16) >= 0 for name in names)
