"""The pages of a campaign that is a draft, paused or closed."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Campaign, Vote
from judging.services.campaigns.campaign_states import change_state
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import agreement_so_far
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import join_campaign
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, shown_in, vote
from tests.factories import make_user
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


def vote_fields(campaign, annotator) -> dict[str, str]:
    shown = next_pair(campaign, annotator=annotator)
    names = shown_in(shown)
    return {"pair": str(shown.key), "first": names.first, "second": names.second, "choice": "first"}


def test_a_late_answer_is_explained_and_can_be_sent_again(client, ann):
    campaign = make_ready_campaign(ann)
    fields = vote_fields(campaign, ann)
    change_state(campaign, state="paused")
    address = reverse("vote-record", args=[campaign.pk])

    refused = client.post(address, fields)
    change_state(campaign, state="open")
    saved = client.post(address, fields)

    html = refused.content.decode()
    assert refused.status_code == 423
    assert "This campaign is paused." in html
    assert "Your last answer is not saved." in html
    assert all(f'<input type="hidden" name="{name}" value="{value}">' in html for name, value in fields.items())
    assert saved.url == reverse("annotate", args=[campaign.pk])
    assert [one.choice for one in Vote.objects.all()] == ["first"]


@pytest.mark.parametrize(
    ("state", "sentence"),
    [("draft", "has not started yet"), ("paused", "is paused"), ("closed", "is closed")],
)
def test_the_voting_page_says_why_it_shows_no_pair(client, ann, state, sentence):
    campaign = make_ready_campaign(ann)
    Campaign.objects.update(chosen_state=state)

    html = page(client, "annotate", campaign.pk)

    assert f"This campaign {sentence}." in html
    assert "not saved" not in html


def test_people_of_a_closed_campaign_still_get_their_completion_code(client, ann):
    campaign = make_campaign()
    invitation = create_invitation(campaign, admission="account", created_by=None, completion_code="C0DE")
    join_campaign(invitation, annotator=ann)
    vote(campaign, ann)
    change_state(campaign, state="closed")

    assert "C0DE" in page(client, "annotate", campaign.pk)


def test_the_list_tells_annotators_that_a_campaign_is_closed(client, ann):
    make_ready_campaign(ann)
    Campaign.objects.update(deadline=timezone.now() - timedelta(days=1))

    assert "It is closed." in page(client, "campaign-list")


def test_the_creator_changes_the_state_and_others_cannot(client):
    rita = make_user("rita", "researcher")
    campaign = make_campaign(created_by=rita)
    address = reverse("campaign-state", args=[campaign.pk])
    client.force_login(make_user("olaf", "researcher"))
    assert client.post(address, {"state": "closed"}).status_code == 404
    client.force_login(rita)

    html = client.post(address, {"state": "paused"}, follow=True).content.decode()
    wrong = client.post(address, {"state": "draft"}, follow=True).content.decode()

    assert "The campaign is paused. Nobody can vote until you open it again." in html
    assert "State: paused" in html
    assert "cannot follow" in wrong
    assert Campaign.objects.get().state == "paused"


def figures_of(campaign):
    """The agreement of the votes, and the votes that figures of judges read."""
    votes = list(Vote.objects.in_figures().values_list("pk", "choice"))
    return agreement_so_far(campaign, attribute=campaign.attributes.get()), votes


def names_in_lists(client, *people):
    """Names of campaigns in the list of campaigns, on the home page and in the API, for each person."""
    for person, api in zip(people, ("/api/campaigns/", "/api/own-campaigns/"), strict=True):
        client.force_login(person)
        for address in (reverse("campaign-list"), reverse("home"), api):
            text = client.get(address).content.decode()
            yield [name for name in Campaign.objects.values_list("name", flat=True) if name in text]


def test_an_archived_campaign_leaves_every_list_keeps_its_figures_and_comes_back(client):
    rita, ann, ben = make_user("rita", "researcher"), make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, name="Archived one", created_by=rita)
    make_campaign(campaign.dataset, name="Other one", annotators=[ann], created_by=rita)
    for person in (ann, ben):
        vote(campaign, person)
    figures = figures_of(campaign)
    client.force_login(rita)

    for state in ("closed", "archived"):
        client.post(reverse("campaign-state", args=[campaign.pk]), {"state": state})

    found = client.get(reverse("campaign-list"), {"archived": ""}).content.decode()
    by_api = client.get("/api/campaigns/", {"archived": "true"}).json()["results"]
    assert ("Archived one" in found, "Other one" in found) == (True, False)
    assert [row["name"] for row in by_api] == ["Archived one"]
    assert list(names_in_lists(client, rita, ann)) == [["Other one"]] * 6
    assert figures_of(campaign) == figures
    client.force_login(rita)
    client.post(reverse("campaign-state", args=[campaign.pk]), {"state": "closed"})
    client.post(reverse("campaign-state", args=[campaign.pk]), {"state": "open"})
    assert list(names_in_lists(client, rita, ann)) == [["Archived one", "Other one"]] * 6


def test_the_campaigns_page_leads_to_the_quality_of_its_votes(client):
    campaign = make_campaign()
    client.force_login(make_user("rita", "researcher"))

    html = page(client, "campaign", campaign.pk)

    assert f'href="{reverse("dataset-quality", args=[campaign.dataset_id])}?attribute=coherence"' in html


def test_the_deadline_is_changed_and_removed_on_the_campaigns_form(client):
    rita = make_user("rita", "researcher")
    campaign = make_campaign(created_by=rita, allow_ties=True)
    client.force_login(rita)
    address = reverse("campaign-edit", args=[campaign.pk])

    client.post(address, {"allow_ties": "on", "deadline": "2999-05-31T18:00"})
    assert 'value="2999-05-31T18:00"' in client.get(address).content.decode()
    past = client.post(address, {"allow_ties": "on", "deadline": "2001-05-31T18:00"})
    assert "2001-05-31 18:00 UTC has passed" in past.content.decode()
    client.post(address, {"allow_ties": "on", "deadline": ""})

    assert Campaign.objects.get().deadline is None
