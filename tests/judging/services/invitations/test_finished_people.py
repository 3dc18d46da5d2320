"""Who has finished: the dashboard and the list of people follow one rule."""

import pytest

from judging.models import Assignment, Participation
from judging.services.campaigns.campaign_changes import change_campaign
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import annotator_progress, campaign_progress
from judging.services.campaigns.progress.labelling_pace import parts_of_people
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.invitations.campaign_people import people_in_campaign
from judging.services.invitations.completion import finished_people, note_completed
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import join_campaign
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def standings(campaign):
    """Return annotator -> whether the dashboard says finished, and the list of people."""
    parts = parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign))
    listed = {person.name: person.state == "finished" for person in people_in_campaign(campaign)}
    dashboard = {one.person.annotator.username: one.standing == "finished" for one in parts}
    return {name: (dashboard[name], listed[name]) for name in dashboard}


def test_dashboard_and_list_agree_on_people_added_by_hand_and_invited():
    people = [make_annotator(name) for name in ("ann", "ben", "cora", "dan")]
    ann, ben, cora, dan = people
    campaign = make_ready_campaign(ann, ben, cora, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=2)
    join_campaign(create_invitation(campaign, admission="account", created_by=None, most_pairs=1), annotator=dan)
    for _ in range(4):
        vote(campaign, ann)
    for person in (ben, dan):
        vote(campaign, person)

    assert standings(campaign) == {
        "ann": (True, True),
        "ben": (False, False),
        "cora": (False, False),
        "dan": (True, True),
    }


def test_somebody_with_less_than_an_equal_share_has_finished_if_others_took_the_rest():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=1)
    for person in (ann, ben, ben):
        vote(campaign, person)
    assert finished_people(campaign) == set()

    vote(campaign, ben)

    assert standings(campaign) == {"ann": (True, True), "ben": (True, True)}


def test_an_open_pair_and_a_pair_that_others_skipped_are_left():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2, 2)), votes_per_pair=1)
    vote(campaign, ann)
    shown = next_pair(campaign, annotator=ann)
    while_open = finished_people(campaign)
    skip_pair(shown, reason="other")

    assert (while_open, finished_people(campaign)) == (set(), {ann.pk})
    assert Assignment.objects.filter(annotator=ben).count() == 0


def test_skips_alone_finish_nothing_and_earn_no_pay():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2,)), votes_per_pair=1)
    skip_pair(next_pair(campaign, annotator=ann), reason="other")
    vote(campaign, ben)

    parts = parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign))

    assert standings(campaign) == {"ann": (False, False), "ben": (True, True)}
    assert {one.person.annotator.username: one.standing for one in parts}["ann"] == "only skips"


@pytest.mark.parametrize(
    ("limits", "flag"),
    [
        ({}, ""),
        ({"most_skips": 0.5, "most_cannot_judge": 0.5}, ""),
        ({"most_skips": 0.4}, "too many skips"),
        ({"most_cannot_judge": 0.4}, "too often cannot judge"),
    ],
)
def test_people_above_a_limit_are_marked_and_get_no_code(limits, flag):
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign(make_dataset(candidates=(2, 2)), allow_cannot_judge=True)
    change_campaign(campaign, limits, changed_by=None)
    for person in (ann, ben):
        join_campaign(create_invitation(campaign, admission="account", completion_code="C1"), annotator=person)
        vote(campaign, person, "cannot-judge" if person == ann else "first")
    skip_pair(next_pair(campaign, annotator=ann), reason="other")
    vote(campaign, ben)

    parts = parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign))
    standing = {one.person.annotator.username: one.standing for one in parts}
    states = {one.name: one.state for one in people_in_campaign(campaign)}
    missing, code = note_completed(campaign, annotator=ann).missing, note_completed(campaign, annotator=ben).code
    assert standing == states == {"ann": flag or "finished", "ben": "finished"}
    assert ("At most 40 % of your answers may be" in missing, code) == (bool(flag), "C1")


def test_pairs_that_are_chosen_during_voting_are_left():
    ann = make_annotator("ann")
    dataset = make_dataset(candidates=(4,))
    campaign = make_ready_campaign(ann, dataset=dataset, selection="adaptive", pairs_per_context=3, votes_per_pair=1)
    vote(campaign, ann)
    before = finished_people(campaign)
    while next_pair(campaign, annotator=ann):
        vote(campaign, ann)

    assert (before, finished_people(campaign)) == (set(), {ann.pk})


@pytest.mark.parametrize("code", ["", "C1"])
def test_an_end_stays_when_pairs_are_left_again_only_if_a_code_was_shown(code):
    ann = make_annotator("ann")
    campaign = make_campaign(make_dataset(candidates=(2, 2)), votes_per_pair=1)
    invitation = create_invitation(campaign, admission="account", most_pairs=1, completion_code=code)
    participation = join_campaign(invitation, annotator=ann)
    vote(campaign, ann)
    note_completed(campaign, annotator=ann)

    Participation.objects.filter(pk=participation.pk).update(most_pairs=2)

    assert standings(campaign) == {"ann": (bool(code), bool(code))}
