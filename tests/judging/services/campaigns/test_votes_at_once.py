"""Annotators who come at the same moment, on a real PostgreSQL."""

from collections import Counter

import pytest
from django.db import connection

from judging.models import Assignment, Campaign, User, Vote
from judging.services.campaigns.assignments import next_pair
from judging.services.campaigns.votes import ShownPair, record_vote
from tests.campaigns import answer, make_annotator, make_campaign
from tests.factories import make_dataset
from tests.parallel import run_in_parallel

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="DATABASE_URL names no PostgreSQL"),
]


def label_everything(campaign: Campaign, annotator: User) -> int:
    votes = 0
    while assignment := next_pair(campaign, annotator=annotator):
        answer(assignment)
        votes += 1
    return votes


def test_annotators_at_once_give_every_pair_exactly_the_votes_it_needs():
    people = [make_annotator(f"person-{number}") for number in range(8)]
    campaign = make_campaign(make_dataset(candidates=(5, 5)), votes_per_pair=3)

    done = run_in_parallel(*[lambda person=person: label_everything(campaign, person) for person in people])

    votes = Counter(Vote.objects.values_list("assignment__pair", flat=True))
    assert set(votes.values()) == {3}
    assert (len(votes), sum(done)) == (20, 60)


def test_annotators_at_once_never_hold_more_places_than_a_pair_has():
    people = [make_annotator(f"person-{number}") for number in range(12)]
    campaign = make_campaign(make_dataset(candidates=(3,)), votes_per_pair=2)

    held = run_in_parallel(*[lambda person=person: next_pair(campaign, annotator=person) for person in people])

    assert Counter(Assignment.objects.values_list("pair__position", flat=True)) == {0: 2, 1: 2, 2: 2}
    assert sum(assignment is not None for assignment in held) == 6


def test_one_annotator_in_many_tabs_gets_one_pair():
    ann = make_annotator("ann")
    campaign = make_campaign(make_dataset(candidates=(5,)))

    held = run_in_parallel(*[lambda: next_pair(campaign, annotator=ann)] * 6)

    assert len({assignment.pk for assignment in held}) == 1


def test_a_vote_that_arrives_many_times_at_once_is_one_vote():
    ann = make_annotator("ann")
    assignment = next_pair(make_campaign(), annotator=ann)
    shown = ShownPair(assignment.first_name, assignment.second_name)

    votes = run_in_parallel(*[lambda: record_vote(assignment, choice="first", shown=shown)] * 6)

    assert len({stored.pk for stored in votes}) == 1
    assert Vote.objects.count() == 1
