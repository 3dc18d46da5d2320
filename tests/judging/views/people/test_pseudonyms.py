"""Researchers see votes under pseudonyms: no page, download or address with votes names an account."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.models import User, Vote
from tests.campaigns import make_ready_campaign, vote
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
