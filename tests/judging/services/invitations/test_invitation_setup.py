"""Invitations: links for several people, and links for the people of a table."""

import pytest

from evenhand.file_problems import InvalidFile
from evenhand.formats import SourceFile
from evenhand.formats.people_files import read_people
from judging.models import Enrolment, Invitation, User
from judging.services.invitations.campaign_people import stop_person
from judging.services.invitations.invitation_setup import create_invitation, invite_people, withdraw_invitation
from tests.campaigns import make_annotator, make_campaign
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def people(text):
    return read_people(SourceFile("people.csv", text.encode()))


def test_no_two_invitations_have_the_same_code():
    campaign = make_campaign()
    codes = {create_invitation(campaign, admission="account", created_by=None).code for _ in range(5)}

    assert len(codes) == 5
    assert min(map(len, codes)) >= 22


def test_a_withdrawn_invitation_is_closed():
    campaign = make_campaign()
    closed, other = (create_invitation(campaign, admission="account", created_by=None) for _ in range(2))

    withdraw_invitation(closed)

    assert list(Invitation.objects.open()) == [other]


def test_people_with_an_account_take_part_and_the_others_get_links():
    ann, _ = make_annotator("ann"), make_annotator("other")
    User.objects.filter(pk=ann.pk).update(email="Ann@Example.org")
    campaign = make_campaign()

    result = invite_people(
        campaign, people("name,email\nAnn,ann@example.org\nBen,ben@example.org\nCleo,\n"), created_by=None
    )

    assert (result.added, list(campaign.annotators.all())) == ([ann], [ann])
    assert [(one.person, one.most_people, one.admission) for one in result.invited] == [
        ("Ben <ben@example.org>", 1, "registration"),
        ("Cleo", 1, "registration"),
    ]
    assert Enrolment.objects.get().annotator == ann


def test_nobody_is_invited_while_one_person_cannot_be():
    campaign = make_campaign(annotators=[make_annotator("ann")])
    make_user("rita", "researcher")
    invite_people(campaign, people("name\nBen\n"), created_by=None)

    with pytest.raises(InvalidFile) as refusal:
        invite_people(campaign, people("name\nann\nrita\nbeN\nnew\n"), created_by=None)

    assert [(one.line, one.value, one.expected) for one in refusal.value.problems] == [
        (2, '"ann"', "people who do not take part yet"),
        (3, '"rita"', "people without an account, or with the role annotator"),
        (4, '"beN"', "people without an open invitation to this campaign"),
    ]
    assert Invitation.objects.count() == 1


def test_a_table_brings_nobody_back_who_was_stopped():
    ann = make_annotator("ann")
    campaign = make_campaign(annotators=[ann])
    stop_person(campaign, rater=ann.rater_name)

    with pytest.raises(InvalidFile) as refusal:
        invite_people(campaign, people("name\nann\nnew\n"), created_by=None)

    assert [(one.value, one.expected) for one in refusal.value.problems] == [
        ('"ann"', "people whom nobody removed; take them back in the list of people")
    ]
    assert (campaign.annotators.count(), Invitation.objects.count()) == (0, 0)


def test_an_invited_person_is_known_by_their_address_under_any_name():
    campaign = make_campaign()
    invite_people(campaign, people("name,email\nBen,ben@example.org\n"), created_by=None)

    with pytest.raises(InvalidFile) as refusal:
        invite_people(campaign, people("name,email\nBenjamin,Ben@example.org\n"), created_by=None)

    assert [one.expected for one in refusal.value.problems] == ["people without an open invitation to this campaign"]
