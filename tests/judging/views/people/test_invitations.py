"""The pages on which researchers invite people."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.models import Invitation
from judging.services.invitations.invitation_setup import create_invitation, withdraw_invitation
from judging.services.invitations.joining import PlatformArrival, enter_from_platform, join_campaign
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote

pytestmark = pytest.mark.django_db
LIMITS = {"days": 3, "completion_code": "C1"}


@pytest.fixture
def campaign(researcher):
    return make_campaign(created_by=researcher)


def upload(client, campaign, text, **fields):
    file = SimpleUploadedFile("people.csv", text.encode())
    return client.post(reverse("campaign-people-upload", args=[campaign.pk]), {"file": file, **LIMITS, **fields})


def csv_of(answer):
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def test_a_link_for_a_platform_has_its_placeholders(client, campaign):
    invitation = create_invitation(campaign, admission="platform", created_by=None)

    [(_, link)] = client.get(reverse("campaign-people", args=[campaign.pk])).context["links"]

    assert link == (
        f"http://testserver/join/{invitation.code}/"
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )


def test_a_link_of_another_campaign_cannot_be_withdrawn(client, campaign):
    theirs = create_invitation(make_campaign(name="Theirs"), admission="account", created_by=None)

    assert client.post(reverse("invitation-withdraw", args=[campaign.pk, theirs.pk])).status_code == 404
    theirs.refresh_from_db()
    assert theirs.withdrawn_at is None


def test_people_of_a_table_get_links_to_download(client, campaign):
    upload(client, campaign, "name,email\nBen,ben@example.org\n=Cleo,\n")
    create_invitation(campaign, admission="account", created_by=None)

    rows = csv_of(client.get(reverse("campaign-links-csv", args=[campaign.pk])))

    ben = Invitation.objects.get(person="Ben <ben@example.org>")
    assert [row["person"] for row in rows] == ["Ben <ben@example.org>", "'=Cleo"]
    assert rows[0]["link"] == f"http://testserver/join/{ben.code}/"
    assert ben.completion_code == "C1"


def test_every_problem_of_a_table_is_shown_and_nobody_is_invited(client, campaign):
    page = upload(client, campaign, "name,email\nBen,nowhere\nCleo,\nCleo,\n")

    assert page.status_code == 422
    assert [problem.line for problem in page.context["problems"]] == [2, 4]
    assert not Invitation.objects.exists()


def test_the_list_names_people_and_shows_no_votes_and_no_pseudonyms(client, researcher):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ben, created_by=researcher)
    cast = vote(campaign, ben)
    participant = enter_from_platform(
        create_invitation(campaign, admission="platform", created_by=None), arrival=PlatformArrival("5f1", "s1", "t1")
    )
    personal = create_invitation(campaign, admission="account", created_by=None)
    Invitation.objects.filter(pk=personal.pk).update(person="ann@example.org")
    join_campaign(personal, annotator=make_annotator("ann"))

    page = client.get(reverse("campaign-people", args=[campaign.pk])).content.decode()
    rows = csv_of(client.get(reverse("campaign-people-csv", args=[campaign.pk])))

    assert [(row["person"], row["STUDY_ID"], row["state"]) for row in rows] == [
        ("ben", "", "takes part"),
        ("5f1", "s1", "takes part"),
        ("ann@example.org", "", "takes part"),
    ]
    assert not [name for name in (cast.rater, participant.rater_name, participant.username) if name in page]


@pytest.mark.parametrize("n", [1, 3])
def test_the_list_needs_the_same_queries_for_any_number_of_people(client, campaign, django_assert_num_queries, n):
    for number in range(n):
        invitation = create_invitation(campaign, admission="platform", created_by=None)
        enter_from_platform(invitation, arrival=PlatformArrival(str(number)))
        withdraw_invitation(invitation)

    with django_assert_num_queries(13):
        client.get(reverse("campaign-people", args=[campaign.pk]))


def test_a_person_is_removed_and_taken_back_by_buttons(client, campaign):
    ben = make_annotator("ben")
    join_campaign(create_invitation(campaign, admission="account", created_by=None), annotator=ben)
    address = reverse("campaign-person", args=[campaign.pk, campaign.enrolments.get().pk])

    client.post(address, {"remove": ""})
    removed = campaign.annotators.exists()
    client.post(address, {"take_back": ""})

    assert (removed, list(campaign.annotators.all())) == (False, [ben])


def test_people_who_join_while_the_campaign_is_changed_stay(client, campaign):
    by_hand, joining = make_annotator("by-hand"), make_annotator("joining")
    edit = reverse("campaign-edit", args=[campaign.pk])
    client.get(edit)
    join_campaign(create_invitation(campaign, admission="account", created_by=None), annotator=joining)

    client.post(edit, {"guidelines": "New.", "annotators": ["by-hand"]})

    assert set(campaign.annotators.all()) == {by_hand, joining}
