"""Researchers see votes under pseudonyms: no page, download or address with votes names an account."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import Activity, Assignment, Enrolment, User, Vote
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import campaign_progress
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.datasets.dataset_changes import share_dataset
from judging.services.invitations.campaign_people import identify_person, take_back_person
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import CannotJoin, join_campaign
from tests.campaigns import make_ready_campaign, vote, wrong_places
from tests.factories import answer_run, make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db
NAMES = ("zebulon", "Quartzman", "Obadiah", "zeb@example.org")


@pytest.fixture
def campaign(researcher):
    """A campaign with a vote of two annotators, one of whom has left it."""
    zebulon, ann = make_user(NAMES[0], "annotator"), make_user("ann", "annotator")
    User.objects.filter(pk=zebulon.pk).update(last_name=NAMES[1], first_name=NAMES[2], email=NAMES[3])
    campaign = make_ready_campaign(zebulon, ann, dataset=make_dataset(owner=researcher), created_by=researcher)
    vote(campaign, zebulon)
    vote(campaign, ann)
    campaign.participations.filter(annotator=zebulon).delete()
    answer_run(make_run(campaign.dataset, owner=researcher))
    return campaign


def named_in(content):
    return [name for name in NAMES if name in content]


def test_pages_and_downloads_with_votes_name_nobody(client, campaign):
    dataset, run = campaign.dataset, campaign.dataset.runs.get()
    addresses = [
        reverse("campaign", args=[campaign.pk]),
        reverse("campaign-download", args=[campaign.pk]),
        reverse("campaign-list"),
        reverse("home"),
        reverse("dataset", args=[dataset.pk]),
        reverse("dataset-download", args=[dataset.pk]),
        reverse("context", args=[dataset.contexts.first().pk]),
        reverse("dataset-results", args=[dataset.pk]),
        reverse("dataset-agreement", args=[dataset.pk]),
        reverse("run-results", args=[run.pk]),
        f"/api/campaigns/{campaign.pk}/progress/",
        "/api/votes/",
        f"/api/datasets/{dataset.pk}/agreement/",
        f"/api/datasets/{dataset.pk}/download/",
    ]

    contents = {address: content_of(client.get(address)) for address in addresses}

    shown_rater = Vote.objects.first().rater
    assert {address: named_in(content) for address, content in contents.items()} == {
        address: [] for address in addresses
    }
    assert shown_rater in contents[addresses[0]]
    assert shown_rater in contents[addresses[1]]


def content_of(response):
    assert response.status_code == 200, response
    return b"".join(response).decode(errors="replace")


def test_exported_votes_name_nobody(campaign, tmp_path):
    call_command("export_votes", "--dataset", campaign.dataset.name, "--output", str(tmp_path / "votes.jsonl"))

    content = (tmp_path / "votes.jsonl").read_text()

    assert content.count("annotator-") == 2
    assert named_in(content) == []


@pytest.mark.parametrize("door", ["page", "api"])
def test_creator_sees_the_person_behind_a_pseudonym_and_the_activity_notes_it(client, campaign, researcher, door):
    zebulon = User.objects.get(username="zebulon")
    invitation = create_invitation(campaign, admission="platform")
    Enrolment.objects.create(
        campaign=campaign, annotator=zebulon, invitation=invitation, platform_person="5f3e", platform_session="s9"
    )
    Activity.objects.all().delete()
    asked = {"rater": zebulon.rater_name}

    if door == "page":
        answer = client.post(reverse("campaign-identify", args=[campaign.pk]), asked, follow=True)
        assert f"{zebulon.rater_name} is 5f3e, session s9." in answer.content.decode()
    else:
        answer = client.post(reverse("api-campaign-identify", args=[campaign.pk]), asked)
        assert answer.json() == {"rater": zebulon.rater_name, "person": "5f3e", "study": "", "session": "s9"}
    line = Activity.objects.get()

    assert (line.who, line.action) == (researcher, "identify")
    assert line.on == f'campaign {campaign.pk} "{campaign}": {zebulon.rater_name}'


def test_who_to_pay_lists_work_by_name_and_pseudonym_and_the_activity_notes_it(client, campaign, researcher):
    zebulon, ann = (User.objects.get(username=name) for name in ("zebulon", "ann"))
    invitation = create_invitation(campaign, admission="platform")
    Enrolment.objects.create(
        campaign=campaign, annotator=zebulon, invitation=invitation, platform_person="5f3e", platform_session="s9"
    )
    skip_pair(next_pair(campaign, annotator=ann), reason="language")
    Assignment.objects.filter(annotator=ann).update(visible_milliseconds=20_000)
    exclude_rater(campaign.dataset, rater=zebulon.rater_name, reason="random")
    Activity.objects.all().delete()

    file = content_of(client.post(reverse("campaign-people-pay", args=[campaign.pk])))
    rows = client.post(reverse("api-campaign-pay", args=[campaign.pk])).json()

    assert file.splitlines() == [
        "person,STUDY_ID,SESSION_ID,state,rater,votes,excluded,skips,minutes",
        f"ann,,,takes part,{ann.rater_name},1,0,1,{2 / 3}",
        f"5f3e,,s9,removed,{zebulon.rater_name},1,1,0,0.0",
    ]
    assert [(row["person"], row["rater"], row["votes"], row["minutes"]) for row in rows] == [
        ("ann", ann.rater_name, 1, 2 / 3),
        ("5f3e", zebulon.rater_name, 1, 0.0),
    ]
    notes = [(one.who, one.action, one.on) for one in Activity.objects.filter(action="identify")]
    assert notes == [(researcher, "identify", f'campaign {campaign.pk} "{campaign}": everybody')] * 2


@pytest.mark.parametrize("door", ["campaign-stop", "api-campaign-stop"])
def test_a_person_is_stopped_by_pseudonym_keeps_their_votes_and_finds_no_way_back(client, campaign, researcher, door):
    ann, seer = User.objects.get(username="ann"), make_user("seer", "researcher")
    share_dataset(campaign.dataset, visibility="shared", shared_with=[seer])
    link = create_invitation(campaign, admission="account")
    before, sent = campaign_progress(campaign), {"rater": ann.rater_name}

    client.force_login(seer)
    refused = client.post(reverse(door, args=[campaign.pk]), sent).status_code
    still_in = campaign.annotators.filter(pk=ann.pk).exists()
    client.force_login(researcher)
    Activity.objects.all().delete()
    client.post(reverse(door, args=[campaign.pk]), sent)

    assert (refused, still_in, campaign.annotators.filter(pk=ann.pk).exists()) == (404, True, False)
    assert (campaign_progress(campaign), wrong_places(campaign)) == (before, [])
    assert [(one.who, one.on) for one in Activity.objects.all()] == [
        (researcher, f'campaign {campaign.pk} "{campaign}": {ann.rater_name}')
    ]
    with pytest.raises(CannotJoin, match="removed you"):
        join_campaign(link, annotator=ann)
    take_back_person(campaign.enrolments.get(annotator=ann))
    assert next_pair(campaign, annotator=ann) is not None


def test_person_added_by_hand_is_shown_by_the_name_of_the_account(campaign):
    ann = User.objects.get(username="ann")

    assert identify_person(campaign, rater=ann.rater_name).person == "ann"


def test_pseudonym_of_another_campaign_is_refused_and_shared_datasets_let_nobody_ask(client, campaign):
    elsewhere, seer = make_user("elsewhere", "annotator"), make_user("seer", "researcher")
    make_ready_campaign(elsewhere, name="Other", dataset=campaign.dataset)
    share_dataset(campaign.dataset, visibility="shared", shared_with=[seer])
    ann = User.objects.get(username="ann")

    with pytest.raises(Refused, match="nobody in"):
        identify_person(campaign, rater=elsewhere.rater_name)
    for person in (seer, ann):
        client.force_login(person)
        answer = client.post(reverse("campaign-identify", args=[campaign.pk]), {"rater": ann.rater_name})
        page = client.get(reverse("campaign", args=[campaign.pk]), follow=True).content.decode()
        assert (answer.status_code, "Who is this?" in page) == (404, False)
        assert ann.rater_name in page  # the seer reads it, and ann's own pages carry it

    assert not Activity.objects.filter(action="identify").exists()
