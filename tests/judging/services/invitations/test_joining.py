"""Coming into a campaign by an invitation."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import Enrolment, Invitation, User
from judging.services.accounts.account_changes import deactivate_account
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.invitations.invitation_setup import create_invitation, withdraw_invitation
from judging.services.invitations.joining import (
    CannotJoin,
    PlatformArrival,
    enter_from_platform,
    join_campaign,
    register_and_join,
)
from tests.campaigns import make_annotator, make_campaign
from tests.factories import make_user

pytestmark = pytest.mark.django_db
PASSWORD = "an-unusual-word-7"


def invitation_to(campaign, admission="registration", **limits):
    return create_invitation(campaign, admission=admission, created_by=None, **limits)


@pytest.fixture
def campaign():
    return make_campaign()


def test_an_annotator_joins_once(campaign):
    ann, invitation = make_annotator("ann"), invitation_to(campaign, "account")

    first, again = (join_campaign(invitation, annotator=ann) for _ in range(2))

    assert first == again
    assert list(campaign.annotators.all()) == [ann]
    assert Enrolment.objects.get().invitation == invitation


def test_an_invitation_admits_no_more_people_than_it_says(campaign):
    ann, ben, invitation = make_annotator("ann"), make_annotator("ben"), invitation_to(campaign, most_people=1)
    invitation_to(campaign, most_people=5)
    join_campaign(invitation, annotator=ann)

    with pytest.raises(CannotJoin, match="has reached its limit of people"):
        join_campaign(invitation, annotator=ben)
    with pytest.raises(CannotJoin):
        register_and_join(invitation, name="cleo", password=PASSWORD)

    assert list(campaign.annotators.all()) == [ann]
    assert not User.objects.filter(username="cleo").exists()


def test_an_expired_or_withdrawn_invitation_admits_nobody(campaign):
    expired, withdrawn = invitation_to(campaign), invitation_to(campaign)
    Invitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    withdraw_invitation(withdrawn)
    ann = make_annotator("ann")

    with pytest.raises(CannotJoin, match="This invitation has expired"):
        join_campaign(expired, annotator=ann)
    with pytest.raises(CannotJoin, match="The researcher has withdrawn this invitation"):
        join_campaign(withdrawn, annotator=ann)

    assert not campaign.annotators.exists()


def test_somebody_who_was_removed_does_not_come_back_by_the_link(campaign):
    ann, invitation = make_annotator("ann"), invitation_to(campaign)
    join_campaign(invitation, annotator=ann)
    set_annotators(campaign, annotators=[])

    with pytest.raises(CannotJoin, match="The researcher has removed you"):
        join_campaign(invitation, annotator=ann)


def test_an_account_without_the_role_annotator_cannot_join(campaign):
    with pytest.raises(CannotJoin, match="lacks the role annotator"):
        join_campaign(invitation_to(campaign), annotator=make_user("rita", "researcher"))


def test_a_new_person_registers_as_an_annotator_and_no_more(campaign):
    account = register_and_join(invitation_to(campaign), name="cleo", password=PASSWORD)

    assert account.check_password(PASSWORD)
    assert (account.roles, list(campaign.annotators.all())) == ({"annotator"}, [account])


def test_a_refused_registration_uses_up_nothing(campaign):
    invitation = invitation_to(campaign, most_people=1)
    make_user("cleo")

    with pytest.raises(Refused) as refusal:
        register_and_join(invitation, name="cleo", password="shrt-7q")

    assert len(refusal.value.problems) == 2
    assert invitation.state == "open"


def test_nobody_registers_by_an_invitation_for_accounts(campaign):
    with pytest.raises(CannotJoin, match="for people who have an account"):
        register_and_join(invitation_to(campaign, "account"), name="cleo", password=PASSWORD)


def test_a_participant_keeps_the_parameters_of_the_platform(campaign):
    arrival = PlatformArrival("5f1", "study", "session")

    account = enter_from_platform(invitation_to(campaign, "platform"), arrival=arrival)

    kept = Enrolment.objects.get(annotator=account)
    assert (kept.platform_person, kept.platform_study, kept.platform_session) == ("5f1", "study", "session")
    assert not account.has_usable_password()


def test_a_browser_that_comes_back_has_the_same_account_in_every_campaign(campaign):
    other = make_campaign(name="Another")
    invitation = invitation_to(campaign, "platform", most_people=1)
    first = enter_from_platform(invitation, arrival=PlatformArrival("5f1"))
    came_as = [first.pk, make_annotator("ann").pk]

    again = enter_from_platform(invitation, arrival=PlatformArrival("5f1"), came_as=came_as)
    elsewhere = enter_from_platform(invitation_to(other, "platform"), arrival=PlatformArrival("5f1"), came_as=came_as)
    somebody = enter_from_platform(invitation_to(other, "platform"), arrival=PlatformArrival("6a2"), came_as=came_as)

    assert first == again == elsewhere != somebody
    assert other.annotators.count() == 2


def test_another_browser_needs_the_session_of_an_earlier_visit(campaign):
    invitation = invitation_to(campaign, "platform")
    first = enter_from_platform(invitation, arrival=PlatformArrival("5f1", "s1", "t1"))

    again = enter_from_platform(invitation, arrival=PlatformArrival("5f1", "s1", "t1"))
    for arrival in (PlatformArrival("5f1", "s1", "t2"), PlatformArrival("5f1"), PlatformArrival("5f1", "s1")):
        with pytest.raises(CannotJoin, match="You began in another browser"):
            enter_from_platform(invitation, arrival=arrival)

    assert first == again
    assert campaign.annotators.count() == 1


def test_the_identifier_alone_opens_no_account_of_another_campaign(campaign):
    first = enter_from_platform(invitation_to(campaign, "platform"), arrival=PlatformArrival("5f1", "s1", "t1"))
    other = make_campaign(name="Another")

    account = enter_from_platform(invitation_to(other, "platform"), arrival=PlatformArrival("5f1", "s2", "t2"))

    assert account != first
    assert list(other.annotators.all()) == [account]


def test_a_deactivated_participant_gets_no_second_account(campaign):
    invitation = invitation_to(campaign, "platform")
    deactivate_account(enter_from_platform(invitation, arrival=PlatformArrival("5f1")))

    with pytest.raises(CannotJoin, match="The researcher has removed you"):
        enter_from_platform(invitation, arrival=PlatformArrival("5f1"))

    assert User.objects.filter(username__startswith="participant-").count() == 1


def test_an_account_with_a_password_is_never_taken_for_a_participant(campaign):
    ann = make_annotator("ann")
    join_campaign(invitation_to(campaign, "platform"), annotator=ann, arrival=PlatformArrival("5f1"))
    other = make_campaign(name="Another")

    assert enter_from_platform(invitation_to(other, "platform"), arrival=PlatformArrival("5f1")) != ann


@pytest.mark.parametrize("person", ["", "{{%PROLIFIC_PID%}}", "ASSIGNMENT_ID_NOT_AVAILABLE", "x" * 201, "a\0b"])
def test_a_link_without_a_participant_admits_nobody(campaign, person):
    with pytest.raises(CannotJoin, match="needs the identifier"):
        enter_from_platform(invitation_to(campaign, "platform"), arrival=PlatformArrival(person))


def test_only_links_for_platforms_admit_participants(campaign):
    with pytest.raises(CannotJoin):
        enter_from_platform(invitation_to(campaign), arrival=PlatformArrival("5f1"))
