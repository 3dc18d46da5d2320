"""Votes, skips and second thoughts."""

import pytest

from evenhand.refusals import Refused
from judging.models import Assignment, Choice, Vote
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import annotator_progress
from judging.services.campaigns.skips_and_undo import add_visible_time, reopen_pair, skip_pair
from judging.services.campaigns.votes import ShownPair, change_vote, record_vote
from tests.campaigns import (
    answer,
    expire,
    let_time_pass,
    make_annotator,
    make_campaign,
    shown_in,
    small_campaign,
    vote,
)
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("swapped", [False, True])
def test_record_vote_stores_the_pair_in_the_order_shown(swapped):
    ann = make_annotator("ann")
    assignment = next_pair(small_campaign(), annotator=ann)
    Assignment.objects.update(swapped=swapped)
    assignment.refresh_from_db()

    stored = answer(assignment, "second", milliseconds=4200)

    assert (stored.first.key, stored.second.key) == (("b", "a") if swapped else ("a", "b"))
    assert (stored.context.key, stored.attribute.name, stored.choice) == ("c0", "coherence", "second")
    assert (stored.rater, stored.user, stored.seconds) == (ann.rater_name, ann, 4.2)


def test_record_vote_writes_a_vote_that_comes_twice_once_and_refuses_another_answer():
    ann = make_annotator("ann")
    assignment = next_pair(small_campaign(), annotator=ann)

    votes = [answer(assignment, "first"), answer(assignment, "first")]

    assert votes[0] == votes[1]
    assert Vote.objects.count() == 1

    answer(assignment, "first")

    with pytest.raises(Refused, match="You already voted on this pair, perhaps in another tab"):
        answer(assignment, "second")

    assert Vote.objects.get().choice == "first"


def test_record_vote_refuses_a_pair_shown_differently():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(votes_per_pair=2)
    hers, his = (next_pair(campaign, annotator=person) for person in (ann, ben))
    turned = ShownPair(hers.second_name, hers.first_name)

    for shown in (turned, shown_in(his), ShownPair("", "")):
        with pytest.raises(Refused, match="This page is out of date"):
            record_vote(hers, choice="first", shown=shown)

    assert Vote.objects.count() == 0


def test_record_vote_takes_a_tie_only_where_the_campaign_allows_it():
    ann = make_annotator("ann")
    with_ties, without = (
        small_campaign(name="with"),
        make_campaign(name="without", allow_ties=False, allow_repeats=True),
    )

    tie = vote(with_ties, ann, "tie")
    with pytest.raises(Refused, match="has no ties"):
        vote(without, ann, "tie")

    assert (tie.choice, Vote.objects.count()) == (Choice.TIE, 1)


def test_record_vote_refuses_an_unknown_choice():
    ann = make_annotator("ann")

    with pytest.raises(Refused, match='Unknown choice "left"'):
        vote(small_campaign(), ann, "left")


def test_record_vote_refuses_when_others_took_the_place_meanwhile():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(votes_per_pair=1)
    slow = next_pair(campaign, annotator=ann)
    expire(slow)
    vote(campaign, ben)

    with pytest.raises(Refused, match="received all its votes from others"):
        answer(slow)

    assert [stored.user for stored in Vote.objects.all()] == [ben]


def test_record_vote_counts_votes_on_the_same_ordered_pair_in_another_campaign():
    ann = make_annotator("ann")
    campaigns = [small_campaign(name="one"), make_campaign(name="other", allow_repeats=True)]
    for campaign in campaigns:
        next_pair(campaign, annotator=ann)
    Assignment.objects.update(swapped=False)

    votes = [vote(campaign, ann) for campaign in campaigns]

    assert [stored.occurrence for stored in votes] == [0, 1]


def test_change_vote_keeps_the_sides_and_notes_when():
    ann = make_annotator("ann")
    before = vote(small_campaign(), ann, "first")

    after = change_vote(before.assignment, choice="tie", shown=shown_in(before.assignment))

    assert (after.pk, after.first, after.second, after.choice) == (before.pk, before.first, before.second, "tie")
    assert before.changed_at is None
    assert after.changed_at > after.voted_at


def test_a_change_needs_a_vote_and_a_skip_a_known_reason():
    assignment = next_pair(small_campaign(), annotator=make_annotator("ann"))

    with pytest.raises(Refused, match="no vote on this pair"):
        change_vote(assignment, choice="first", shown=shown_in(assignment))
    with pytest.raises(Refused, match="choose why you skip the pair"):
        skip_pair(assignment, reason="tired")


def test_reopen_takes_the_last_vote_back_and_shows_the_same_sides_next():
    ann = make_annotator("ann")
    campaign = make_campaign(make_dataset(candidates=(4,)))
    stored = vote(campaign, ann)
    next_pair(campaign, annotator=ann)

    reopen_pair(stored.assignment)

    again = next_pair(campaign, annotator=ann)
    assert (again.pk, again.first, again.second) == (stored.assignment.pk, stored.first, stored.second)
    assert Vote.objects.count() == 0


def test_reopen_twice_takes_back_one_vote():
    ann = make_annotator("ann")
    campaign = make_campaign(make_dataset(candidates=(4,)))
    votes = [vote(campaign, ann), vote(campaign, ann)]

    reopen_pair(votes[1].assignment)
    reopen_pair(votes[1].assignment)

    assert list(Vote.objects.all()) == [votes[0]]


def test_reopen_returns_to_a_skipped_pair():
    ann = make_annotator("ann")
    campaign = small_campaign()
    assignment = next_pair(campaign, annotator=ann)
    skip_pair(assignment, reason="undecided")

    reopen_pair(assignment)

    assert answer(next_pair(campaign, annotator=ann)).assignment == assignment


def test_reopen_refuses_a_skipped_pair_that_others_have_completed():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(votes_per_pair=1)
    assignment = next_pair(campaign, annotator=ann)
    skip_pair(assignment, reason="undecided")
    vote(campaign, ben)

    with pytest.raises(Refused, match="received all its votes from others"):
        reopen_pair(assignment)


def history(assignment):
    return [(event.action, event.choice or event.skip_reason) for event in assignment.events.all()]


def test_history_keeps_every_vote_change_undo_and_skip():
    ann = make_annotator("ann")
    campaign = small_campaign()
    first = vote(campaign, ann, "first", milliseconds=4000)
    change_vote(first.assignment, choice="tie", shown=shown_in(first.assignment))
    change_vote(first.assignment, choice="tie", shown=shown_in(first.assignment))
    reopen_pair(first.assignment)
    let_time_pass(500)
    skip_pair(first.assignment, reason="language", milliseconds=500)
    skip_pair(first.assignment, reason="language")
    reopen_pair(first.assignment)
    last = vote(campaign, ann, "second", milliseconds=1000)

    assert history(last.assignment) == [
        ("voted", "first"),
        ("changed", "tie"),
        ("reopened", ""),
        ("skipped", "language"),
        ("reopened", ""),
        ("voted", "second"),
    ]
    assert [event.visible_milliseconds for event in last.assignment.events.all()] == [
        4000,
        4000,
        4000,
        4500,
        4500,
        5500,
    ]
    assert last.seconds == 5.5


def test_seconds_are_never_more_than_passed_since_the_pair_was_shown():
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=3)
    shown = next_pair(campaign, annotator=ann)
    let_time_pass(60_000)

    impossible = record_vote(shown, choice="first", shown=shown_in(shown), milliseconds=2**31 - 1)
    possible = vote(campaign, ann, milliseconds=5_000)
    skipped = next_pair(campaign, annotator=ann)
    add_visible_time(skipped, milliseconds=2**31 - 1)
    skip_pair(skipped, reason="other", milliseconds=2**31 - 1)

    assert 60 <= impossible.seconds < 90
    assert [impossible.assignment.has_impossible_time, possible.assignment.has_impossible_time] == [True, False]
    assert possible.seconds == 5
    skipped.refresh_from_db()
    assert skipped.has_impossible_time
    assert skipped.visible_milliseconds < 30_000
    assert [one.impossible_times for one in annotator_progress(campaign)] == [2]


def test_seconds_are_unknown_where_nobody_measured_them():
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=2)

    assert [vote(campaign, ann).seconds, vote(campaign, ann, milliseconds=0).seconds] == [None, 0]
