"""Invitations, joining, consent and completion over HTTP."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from judging.models import Consent, Invitation
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import join_campaign
from tests.campaigns import make_annotator, make_campaign, small_campaign, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(researcher):
    return small_campaign(created_by=researcher.user)


def test_a_researcher_creates_lists_and_withdraws_invitations(researcher, campaign):
    create_invitation(make_campaign(name="Another"), admission="account", created_by=None)
    address = f"/api/campaigns/{campaign.pk}/invitations/"

    made = researcher.post(address, {"admission": "registration", "most_people": 4, "days": 2}, format="json").json()
    closed = researcher.patch(f"{address}{made['id']}/", {"withdrawn": True}, format="json").json()

    assert (made["people"], made["most_people"], made["state"]) == (0, 4, "open")
    assert made["link"] == f"http://testserver/join/{Invitation.objects.get(pk=made['id']).code}/"
    assert closed["state"] == "withdrawn"
    assert [row["id"] for row in researcher.get(address).json()["results"]] == [made["id"]]


def test_a_withdrawn_link_stays_closed(researcher, campaign):
    invitation = create_invitation(campaign, admission="account", created_by=None)
    address = f"/api/campaigns/{campaign.pk}/invitations/{invitation.pk}/"

    assert researcher.patch(address, {"withdrawn": False}, format="json").status_code == 400


def test_people_of_a_table_are_invited(researcher, campaign):
    make_annotator("ben")
    file = SimpleUploadedFile("people.csv", b"name\nben\nCleo\n")

    answer = researcher.post(f"/api/campaigns/{campaign.pk}/people/upload/", {"file": file, "completion_code": "C1"})

    assert answer.status_code == 201
    assert answer.json()["added"] == ["ben"]
    assert [(one["person"], one["completion_code"]) for one in answer.json()["invited"]] == [("Cleo", "C1")]
    people = researcher.get(f"/api/campaigns/{campaign.pk}/people/").json()
    assert [(one["name"], one["state"]) for one in people] == [("ben", "takes part")]


def test_every_problem_of_a_table_is_listed(researcher, campaign):
    file = SimpleUploadedFile("people.csv", b"email\nnowhere\n\nelsewhere\n")

    answer = researcher.post(f"/api/campaigns/{campaign.pk}/people/upload/", {"file": file})

    assert answer.status_code == 400
    assert [problem.partition(" —")[0] for problem in answer.json()["problems"]] == [
        'people.csv:2: email: "nowhere"',
        'people.csv:4: email: "elsewhere"',
    ]


def test_an_annotator_joins_by_a_code(annotator, campaign):
    invitation = create_invitation(campaign, admission="account", created_by=None, most_people=1)

    joined = annotator.post(f"/api/join/{invitation.code}/").json()

    assert joined == {"campaign": campaign.pk, "name": campaign.name}
    assert annotator.get(f"/api/own-campaigns/{campaign.pk}/").status_code == 200


def test_a_closed_or_forged_code_is_refused(annotator, campaign):
    full = create_invitation(campaign, admission="account", created_by=None, most_people=1)
    join_campaign(full, annotator=make_annotator("ben"))
    platform = create_invitation(campaign, admission="platform", created_by=None)

    answers = {code: annotator.post(f"/api/join/{code}/") for code in (full.code, platform.code, "forged")}

    assert [answer.status_code for answer in answers.values()] == [400, 400, 404]
    assert "reached its limit of people" in answers[full.code].json()["problems"][0]
    assert list(campaign.annotators.values_list("username", flat=True)) == ["ben"]


def test_consent_is_needed_for_the_next_pair_and_asked_again_after_a_change(researcher, annotator, campaign):
    own = f"/api/own-campaigns/{campaign.pk}/"
    join_campaign(create_invitation(campaign, admission="account", created_by=None), annotator=annotator.user)
    annotator.post(f"{own}guidelines-read/")
    researcher.post(f"/api/campaigns/{campaign.pk}/consent/", {"text": "We store votes."}, format="json")

    refused = annotator.post(f"{own}next-pair/")
    accepted = annotator.post(f"{own}consent/", {"version": 1}, format="json").json()
    shown = annotator.post(f"{own}next-pair/")
    versions = researcher.post(f"/api/campaigns/{campaign.pk}/consent/", {"text": "More."}, format="json").json()
    stale = annotator.post(f"{own}consent/", {"version": 1}, format="json")

    assert refused.json()["problems"] == ["consent: read the text and accept it with POST own-campaigns/ID/consent/"]
    assert (accepted["version"], accepted["text"], accepted["accepted_at"] is None) == (1, "We store votes.", False)
    assert shown.status_code == 200
    assert [(one["version"], one["accepted"]) for one in versions] == [(2, 0), (1, 1)]
    assert stale.status_code == 400
    assert annotator.get(f"{own}consent/").json() == {"version": 2, "text": "More.", "accepted_at": None}
    assert Consent.objects.count() == 1


def test_the_completion_code_comes_once_no_pair_is_left(annotator, campaign):
    invitation = create_invitation(campaign, admission="account", created_by=None, completion_code="C1")
    join_campaign(invitation, annotator=annotator.user)
    address = f"/api/own-campaigns/{campaign.pk}/completion/"

    before = annotator.get(address).json()
    vote(campaign, annotator.user)

    after = annotator.get(address).json()
    assert (before, after) == ({"code": None, "missing": ""}, {"code": "C1", "missing": ""})


def test_a_person_is_removed_and_taken_back(researcher, other_researcher, campaign):
    join_campaign(create_invitation(campaign, admission="account", created_by=None), annotator=make_annotator("ben"))
    address = f"/api/campaigns/{campaign.pk}/people/{campaign.enrolments.get().pk}/"

    removed = researcher.patch(address, {"takes_part": False}, format="json").json()
    back = researcher.patch(address, {"takes_part": True}, format="json").json()

    assert [one["state"] for one in (*removed, *back)] == ["removed", "takes part"]
    assert other_researcher.patch(address, {"takes_part": False}, format="json").status_code == 404
