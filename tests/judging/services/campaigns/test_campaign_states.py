"""The states of a campaign: who may vote when."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import Assignment, Campaign, CampaignState, Vote
from judging.services.campaigns.campaign_states import (
    CampaignNotOpen,
    change_deadline,
    change_state,
    next_states,
)
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.votes import change_vote, record_vote
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import CannotJoin, join_campaign
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, shown_in, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def pass_deadline(campaign: Campaign) -> None:
    campaign.deadline = timezone.now() - timedelta(seconds=1)
    campaign.save(update_fields=["deadline"])


@pytest.mark.parametrize("state", ["draft", "paused", "closed", "archived"])
def test_nobody_gets_a_pair_unless_the_campaign_is_open(state):
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    Campaign.objects.update(chosen_state=state)

    with pytest.raises(CampaignNotOpen):
        next_pair(Campaign.objects.get(pk=campaign.pk), annotator=ann)

    assert Assignment.objects.count() == 0


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_an_answer_to_a_stale_page_is_refused_and_the_pair_waits_for_the_annotator(state):
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    shown = next_pair(campaign, annotator=ann)
    change_state(campaign, state=state)

    with pytest.raises(CampaignNotOpen, match=f"This campaign is {state}"):
        record_vote(shown, choice="first", shown=shown_in(shown))
    with pytest.raises(CampaignNotOpen):
        skip_pair(shown, reason="other")
    change_state(campaign, state="open")

    assert Vote.objects.count() == 0
    assert next_pair(campaign, annotator=ann) == shown


def test_votes_of_a_paused_campaign_are_neither_changed_nor_taken_back_nor_unsaved_when_they_come_again():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    given = vote(campaign, ann).assignment
    change_state(campaign, state="paused")

    with pytest.raises(CampaignNotOpen):
        change_vote(given, choice="second", shown=shown_in(given))
    with pytest.raises(CampaignNotOpen):
        reopen_pair(given)

    assert [one.choice for one in Vote.objects.all()] == ["first"]
    change_state(campaign, state="closed")
    assert record_vote(given, choice="first", shown=shown_in(given)) == Vote.objects.get()


def test_a_campaign_is_closed_from_its_deadline_on():
    campaign, ahead = make_campaign(), timezone.now() + timedelta(hours=1)

    change_deadline(campaign, deadline=ahead)
    assert campaign.state == CampaignState.OPEN
    pass_deadline(campaign)
    assert campaign.state == CampaignState.CLOSED
    assert [one.state for one in next_states(campaign)] == ["archived"]
    with pytest.raises(Refused, match="has passed — give a later time, or none"):
        change_state(campaign, state="open")

    change_deadline(campaign, deadline=None)
    assert campaign.state == CampaignState.OPEN


def test_a_deadline_that_has_passed_is_refused_unless_it_is_the_stored_one():
    campaign = make_campaign()
    pass_deadline(campaign)

    change_deadline(campaign, deadline=campaign.deadline)

    with pytest.raises(Refused, match="deadline: 2020-01-01 00:00 UTC has passed"):
        change_deadline(campaign, deadline=timezone.now().replace(2020, 1, 1, 0, 0))


@pytest.mark.parametrize(
    ("first", "second", "choices"),
    [
        ("open", "draft", "paused or closed"),
        ("closed", "paused", "open or archived"),
        ("archived", "open", "closed"),
        ("draft", "closed", "open"),
    ],
)
def test_change_state_refuses_a_state_that_cannot_follow(first, second, choices):
    campaign = make_campaign()
    Campaign.objects.update(chosen_state=first)

    with pytest.raises(Refused) as refusal:
        change_state(campaign, state=second)

    assert refusal.value.problems == (f'state: "{second}" cannot follow "{first}" — choose {choices}',)


def test_create_campaign_starts_open_or_as_a_draft_with_a_deadline_ahead():
    dataset = make_dataset()

    with pytest.raises(Refused) as refusal:
        make_campaign(dataset, deadline=timezone.now().replace(2020, 1, 1))

    assert [problem.split(":")[0] for problem in refusal.value.problems] == ["deadline"]
    assert make_campaign(dataset, state="draft").state == CampaignState.DRAFT
    assert make_campaign(dataset, name="Another").state == CampaignState.OPEN


def test_nobody_joins_a_closed_campaign_and_those_of_a_paused_one_may():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    invitation = create_invitation(make_campaign(), admission="account", created_by=None)

    change_state(invitation.campaign, state="paused")
    join_campaign(invitation, annotator=ann)
    change_state(invitation.campaign, state="closed")
    with pytest.raises(CannotJoin, match="This campaign is closed"):
        join_campaign(invitation, annotator=ben)

    assert list(invitation.campaign.annotators.all()) == [ann]


def test_an_archived_campaign_stays_so_after_its_deadline_and_takes_nobody_in():
    campaign = make_campaign()
    invitation = create_invitation(campaign, admission="account", created_by=None)
    pass_deadline(campaign)
    change_state(campaign, state="archived")
    archived = Campaign.objects.get().state

    with pytest.raises(CannotJoin, match="This campaign is closed"):
        join_campaign(invitation, annotator=make_annotator("ann"))

    [back] = next_states(campaign)
    change_state(campaign, state=back.state)
    assert (archived, back.verb, Campaign.objects.get().state) == ("archived", "Bring back", "closed")
