"""Annotators who come at the same moment, on a real PostgreSQL."""

import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress

import pytest
from django.db import OperationalError, connection, transaction

from evenhand.refusals import Refused
from judging.models import Assignment, Campaign, User, Vote
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from judging.services.campaigns.votes import ShownPair, record_vote
from tests.campaigns import answer, expire, make_annotator, make_campaign, make_ready_campaign, vote, wrong_places
from tests.factories import make_dataset
from tests.judging.workers import database_url
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
    campaign = make_campaign(make_dataset(candidates=(4, 3)), votes_per_pair=3)

    done = run_in_parallel(*[lambda person=person: label_everything(campaign, person) for person in people])

    votes = Counter(Vote.objects.values_list("assignment__pair", flat=True))
    assert set(votes.values()) == {3}
    assert (len(votes), sum(done)) == (9, 27)


def label_with_second_thoughts(campaign: Campaign, annotator: User) -> int:
    """Vote on every pair; take back every third answer, skip every fifth pair, and lose some reservations."""
    seen = 0
    while assignment := next_pair(campaign, annotator=annotator):
        seen += 1
        if seen % 5 == 0:
            skip_pair(assignment, reason="other")
        elif seen % 7 == 0:
            expire(assignment)
        else:
            answer(assignment)
        if seen % 3 == 0 and seen < 100:
            reopen_if_possible(assignment)
    return seen


def reopen_if_possible(assignment: Assignment) -> None:
    with suppress(Refused):
        reopen_pair(assignment)


def answer_if_possible(assignment: Assignment) -> None:
    with suppress(Refused):
        answer(assignment)


def test_expired_places_are_given_to_one_annotator_each():
    people = [make_annotator(f"person-{number}") for number in range(10)]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(2,) * 5), votes_per_pair=1)
    for late in [next_pair(campaign, annotator=person) for person in people[:5]]:
        expire(late)
    late_answers = [lambda own=own: answer_if_possible(own) for own in Assignment.objects.all()]

    run_in_parallel(*late_answers, *[lambda one=one: next_pair(campaign, annotator=one) for one in people[5:]])

    assert wrong_places(campaign) == []
    assert Assignment.objects.filter(has_place=True).count() == 5


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


KILLED_IN_A_VOTE = """
import os, signal, sys, django
django.setup()
from django.db import transaction
from judging.models import Assignment
from tests.campaigns import answer
with transaction.atomic():
    answer(Assignment.objects.get(pk=sys.argv[1]))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_the_process(assignment: Assignment) -> None:
    """Vote in a process that is killed before the vote is committed."""
    environment = {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    command = [sys.executable, "-c", KILLED_IN_A_VOTE, str(assignment.pk)]
    assert subprocess.run(command, env=os.environ | environment, check=False).returncode == -signal.SIGKILL


def stop_the_database(assignment: Assignment) -> None:
    """Vote while the server ends the connection before the vote is committed, as it does when it stops."""

    def vote_on_it() -> None:
        with suppress(OperationalError), transaction.atomic(), connection.cursor() as cursor:
            answer(assignment)
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    run_in_parallel(vote_on_it)


@pytest.mark.parametrize("strike", [kill_the_process, stop_the_database])
def test_a_vote_that_is_struck_before_its_commit_is_stored_once_when_it_is_sent_again(strike):
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2, 2)), votes_per_pair=1)
    assignment = next_pair(campaign, annotator=ann)

    strike(assignment)
    after_the_strike = Vote.objects.count()
    answer(assignment)
    answer(assignment)

    assert (after_the_strike, Vote.objects.count(), wrong_places(campaign)) == (0, 1, [])
    assert [event.action for event in assignment.events.all()] == ["voted"]


def test_annotators_at_once_with_second_thoughts_give_every_attribute_of_every_pair_the_votes_it_needs():
    people = [make_annotator(f"person-{number}") for number in range(8)]
    dataset = make_dataset(candidates=(4,), attributes=("coherence", "fluency"))
    campaign = make_ready_campaign(*people, dataset=dataset, attributes=dataset.attributes.all(), votes_per_pair=3)

    run_in_parallel(*[lambda person=person: label_with_second_thoughts(campaign, person) for person in people])
    for person in people:  # who found the last places held by others comes again
        label_everything(campaign, person)

    votes = Counter(Vote.objects.values_list("assignment__pair", flat=True))
    by_attribute = Counter(Vote.objects.values_list("attribute__name", flat=True))
    assert wrong_places(campaign) == []
    assert set(votes.values()) == {3}
    assert by_attribute == {"coherence": 18, "fluency": 18}


def test_annotators_at_once_each_get_all_attributes_of_their_own_pair():
    people = [make_annotator(f"person-{number}") for number in range(8)]
    dataset = make_dataset(candidates=(5,), attributes=("coherence", "fluency", "relevance"))
    campaign = make_ready_campaign(*people, dataset=dataset, attributes=dataset.attributes.all(), votes_per_pair=1)

    run_in_parallel(*[lambda person=person: next_pair(campaign, annotator=person) for person in people])

    held = Assignment.objects.values_list("annotator", "pair__one", "pair__other")
    assert len(set(held)) == 8
    assert set(Counter(held).values()) == {3}


def test_people_at_once_and_exclusions_of_one_of_them_leave_right_places():
    """Ann votes on while her votes are excluded and restored: none is missed, and others get her places."""
    ann, *others = (make_annotator(f"person-{number}") for number in range(6))
    campaign = make_ready_campaign(ann, *others, dataset=make_dataset(candidates=(5,)), votes_per_pair=2)
    answer(next_pair(campaign, annotator=ann))

    def exclude() -> None:
        for number in range(4):
            exclusion = exclude_rater(campaign.dataset, rater=ann.rater_name, reason=f"try {number}", goes_on=True)
            if number < 3:
                restore_votes(exclusion)

    run_in_parallel(
        exclude,
        *[lambda person=person: label_with_second_thoughts(campaign, person) for person in (ann, others[0])],
        *[lambda person=person: label_everything(campaign, person) for person in others[1:]],
    )

    assert not Vote.objects.filter(user=ann, excluded=False).exists()
    assert wrong_places(campaign) == []
    for person in others:
        label_everything(campaign, person)
    counting = Counter(Vote.objects.filter(excluded=False).values_list("assignment__pair", flat=True))
    assert set(counting.values()) == {2}
    assert len(counting) == 10


def test_an_exclusion_waits_for_a_vote_that_is_being_stored():
    """Else it would miss the vote, which does not see the exclusion either."""
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(3,)))
    vote(campaign, ann)

    def is_held_back() -> bool:
        with suppress(OperationalError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '50ms'")
            exclude_rater(campaign.dataset, rater=ann.rater_name, reason="too quick")
            return False
        return True

    with transaction.atomic():
        vote(campaign, ann)
        while_stored = run_in_parallel(is_held_back)

    assert (while_stored, run_in_parallel(is_held_back)) == ([True], [False])
    assert list(Vote.objects.values_list("excluded", flat=True)) == [True, True]
