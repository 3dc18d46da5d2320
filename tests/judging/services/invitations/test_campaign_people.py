"""The people of a campaign: who is offered, removed and taken back."""

from datetime import datetime, timedelta, timezone

import pytest

from evenhand.refusals import Refused
from judging.services.accounts.account_changes import deactivate_account
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.invitations.campaign_people import (
    annotators_to_offer,
    people_in_campaign,
    people_rows,
    people_to_pay,
    remove_person,
    take_back_person,
)
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import (
    CannotJoin,
    PlatformArrival,
    enter_from_platform,
    join_campaign,
    register_and_join,
)
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def register(campaign, name):
    invitation = create_invitation(campaign, admission="registration", created_by=None)
    return register_and_join(invitation, name=name, password="an-unusual-word-7")


def names_offered(user, campaign=None):
    return [one.username for one in annotators_to_offer(user, campaign=campaign)]


def test_a_removed_person_comes_back_only_if_the_researcher_takes_them_back():
    campaign, ann = make_campaign(), make_annotator("ann")
    invitation = create_invitation(campaign, admission="account", created_by=None)
    join_campaign(invitation, annotator=ann)
    make_annotator("ben").participations.create(campaign=campaign)
    enrolment = campaign.enrolments.get()

    remove_person(enrolment)
    with pytest.raises(CannotJoin):
        join_campaign(invitation, annotator=ann)
    removed = [(one.name, one.state) for one in people_in_campaign(campaign)]
    take_back_person(enrolment)

    assert removed == [("ben", "takes part"), ("ann", "removed")]
    assert [one.state for one in people_in_campaign(campaign)] == ["takes part", "takes part"]


def test_somebody_added_by_hand_and_removed_later_is_still_paid_for_their_votes():
    ann, ben, cora = (make_annotator(name) for name in ("ann", "ben", "cora"))
    campaign = make_ready_campaign(ann, ben, cora)
    vote(make_ready_campaign(cora, name="Another", allow_repeats=True), cora)
    for person in (ann, ann, ben):
        vote(campaign, person)

    set_annotators(campaign, annotators=[ben])

    paid = [(one.person, one.state, one.votes) for one in people_to_pay(campaign)]
    assert paid == [("ann", "removed", 2), ("ben", "takes part", 1)]


def test_the_list_of_people_gives_days_because_the_minute_of_the_last_vote_names_a_person():
    campaign = make_campaign()
    register(campaign, "cleo")
    evening = datetime(2026, 5, 1, 22, 30, tzinfo=timezone(timedelta(hours=-4)))
    campaign.enrolments.update(enrolled_at=evening - timedelta(days=2), completed_at=evening)

    [row] = people_rows(campaign)

    assert (row["joined_at"], row["completed_at"]) == ("2026-04-30", "2026-05-02")


def test_a_deactivated_person_is_not_taken_back():
    campaign, ann = make_campaign(), make_annotator("ann")
    join_campaign(create_invitation(campaign, admission="account", created_by=None), annotator=ann)
    remove_person(campaign.enrolments.get())
    deactivate_account(ann)

    with pytest.raises(Refused, match="not active any more"):
        take_back_person(campaign.enrolments.get())


def test_a_researcher_is_offered_accounts_of_admins_and_people_of_their_own_campaigns():
    rita, rob, ada = make_user("rita", "researcher"), make_user("rob", "researcher"), make_user("ada", "admin")
    make_annotator("of-an-admin")
    own, theirs = make_campaign(created_by=rita), make_campaign(name="Theirs", created_by=rob)
    register(own, "of-rita")
    register(theirs, "of-rob")
    enter_from_platform(create_invitation(own, admission="platform", created_by=None), arrival=PlatformArrival("5f1"))

    assert names_offered(rita) == ["of-an-admin", "of-rita"]
    assert names_offered(rita, own) == ["of-an-admin"]
    assert names_offered(ada) == ["of-an-admin", "of-rita", "of-rob"]
