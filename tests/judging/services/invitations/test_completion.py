"""The completion code at the end."""

from functools import partial

import pytest

from evenhand.refusals import Refused
from judging.models import Enrolment, Vote
from judging.services.campaigns.campaign_states import change_state
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.votes import change_vote
from judging.services.invitations.completion import note_completed
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import PlatformArrival, enter_from_platform, join_campaign
from tests.campaigns import make_annotator, shown_in, small_campaign, vote

pytestmark = pytest.mark.django_db


def joined(campaign, code, admission="registration"):
    invitation = create_invitation(campaign, admission=admission, created_by=None, completion_code=code)
    if admission == "platform":
        annotator = enter_from_platform(invitation, arrival=PlatformArrival("5f1"))
    else:
        annotator = make_annotator("ann")
        join_campaign(invitation, annotator=annotator)
    note_guidelines_read(campaign, annotator=annotator)
    return annotator


def test_the_code_is_returned_after_an_answer_and_its_first_time_is_kept():
    campaign = small_campaign()
    ann = joined(campaign, "C1")
    vote(campaign, ann)

    first, again = (note_completed(campaign, annotator=ann) for _ in range(2))

    assert (first.code, first.link) == ("C1", "")
    assert first.completed_at == again.completed_at == Enrolment.objects.get(annotator=ann).completed_at


def test_a_platforms_participant_gets_a_link_back():
    campaign = small_campaign()
    participant = joined(campaign, "C 1", "platform")
    vote(campaign, participant)

    completion = note_completed(campaign, annotator=participant)

    assert completion.link == "https://app.prolific.com/submissions/complete?cc=C+1"


def test_nobody_earns_a_code_without_an_answer_or_by_skips_and_a_vote_on_a_skipped_pair_does():
    campaign = small_campaign(votes_per_pair=1)
    ann = joined(campaign, "C1")
    before, not_completed = note_completed(campaign, annotator=ann).code, Enrolment.objects.get().completed_at is None
    skipped = next_pair(campaign, annotator=ann)
    skip_pair(skipped, reason="other")

    without = note_completed(campaign, annotator=ann)
    reopen_pair(skipped)
    vote(campaign, ann)

    assert (before, not_completed) == ("", True)
    assert (without.code, without.missing) == ("", "You have given no vote, so there is no completion code.")
    assert note_completed(campaign, annotator=ann).code == "C1"


@pytest.mark.parametrize(("pairs", "code"), [(3, ""), (2, "C1")])
def test_a_part_of_two_pairs_earns_its_code_by_two_votes_unless_no_pair_is_left(pairs, code):
    campaign = small_campaign(pairs=pairs)
    invitation = create_invitation(campaign, admission="account", created_by=None, most_pairs=2, completion_code="C1")
    ann = make_annotator("ann")
    join_campaign(invitation, annotator=ann)
    vote(campaign, ann)
    skip_pair(next_pair(campaign, annotator=ann), reason="other")
    change_state(campaign, state="closed")

    completion = note_completed(campaign, annotator=ann)

    said = "Your part is 2 votes, and you have given 1: there is no completion code."
    assert (completion.code, completion.missing) == (code, "" if code else said)


def test_the_end_is_noted_and_no_code_shown_without_an_invitation_that_has_one():
    campaign = small_campaign()
    ann, ben = joined(campaign, ""), make_annotator("ben")
    vote(campaign, ann)

    assert note_completed(campaign, annotator=ann) is None
    assert note_completed(campaign, annotator=ben) is None
    assert Enrolment.objects.get().completed_at is not None


def test_a_campaign_that_closes_notes_no_end_of_people_who_see_no_code():
    """It may open again, and pairs may be left."""
    campaign = small_campaign(pairs=4)
    ann = joined(campaign, "")
    vote(campaign, ann)
    change_state(campaign, state="closed")

    assert note_completed(campaign, annotator=ann) is None
    assert Enrolment.objects.get().completed_at is None


def test_a_campaign_that_closes_notes_the_end_of_people_who_see_their_code():
    campaign = small_campaign(pairs=4)
    ann = joined(campaign, "C1")
    vote(campaign, ann)
    change_state(campaign, state="closed")

    assert note_completed(campaign, annotator=ann).code == "C1"
    assert Enrolment.objects.get().completed_at is not None


def test_a_persons_part_ends_after_the_pairs_of_the_invitation():
    campaign = small_campaign(pairs=4)
    invitation = create_invitation(campaign, admission="account", created_by=None, most_pairs=2, completion_code="C1")
    ann, ben = make_annotator("ann"), make_annotator("ben")
    participation = join_campaign(invitation, annotator=ann)
    campaign.participations.create(annotator=ben)
    before = campaign.progress_for(ann)
    for annotator in (ann, ann, ben, ben):
        vote(campaign, annotator)

    parts = [campaign.progress_for(one) for one in (ann, ben)]
    assert (before.votes, before.total) == (0, 2)
    assert [(one.votes, one.left, one.total) for one in parts] == [(2, 0, 2), (2, 2, 4)]
    assert participation.is_complete()
    assert not campaign.participations.get(annotator=ben).is_complete()


@pytest.mark.parametrize("take_back", [reopen_pair, partial(skip_pair, reason="other")])
@pytest.mark.parametrize("code", ["", "C1"])
def test_votes_are_not_taken_back_once_a_code_was_shown(take_back, code):
    campaign = small_campaign()
    ann = joined(campaign, code)
    voted = vote(campaign, ann).assignment
    note_completed(campaign, annotator=ann)

    if code:
        with pytest.raises(Refused, match="You have your completion code: you can change your vote"):
            take_back(voted)
    else:
        take_back(voted)

    assert Vote.objects.filter(user=ann).exists() == bool(code)


def test_a_vote_is_still_changed_after_the_code():
    campaign = small_campaign()
    ann = joined(campaign, "C1")
    voted = vote(campaign, ann, "first").assignment
    note_completed(campaign, annotator=ann)

    assert change_vote(voted, choice="second", shown=shown_in(voted)).choice == "second"
