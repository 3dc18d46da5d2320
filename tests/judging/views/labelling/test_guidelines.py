"""The page of the guidelines: read once, and again after each change."""

import pytest
from django.urls import reverse

from judging.services.campaigns.guidelines import change_guidelines
from tests.campaigns import make_annotator, make_ready_campaign, vote
from tests.factories import make_user
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(client):
    """A campaign whose guidelines changed after the annotator's first vote. The annotator is signed in."""
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, guidelines="Mind the facts.\nIgnore the style.")
    vote(campaign, ann)
    change_guidelines(campaign, text="Mind the facts.\nMind the style.", changed_by=make_user("rita", "researcher"))
    client.force_login(ann)
    return campaign


@pytest.mark.parametrize("name", ["annotate", "vote-change"])
def test_next_pair_and_changes_wait_until_the_new_version_is_read(client, campaign, name):
    own = campaign.assignments.get()
    address = reverse(name, args=[campaign.pk, *([own.key] if name == "vote-change" else [])])
    guidelines = reverse("guidelines", args=[campaign.pk])

    before = client.get(address)
    client.post(guidelines, {"version": 2})

    assert before.url == guidelines
    assert client.get(address).status_code == 200


def test_changed_lines_are_marked(client, campaign):
    html = page(client, "guidelines", campaign.pk)

    assert "The guidelines have changed" in html
    assert "<del>Ignore the style.</del>" in html
    assert "<ins>Mind the style.</ins>" in html
    assert "<ins>Mind the facts.</ins>" not in html


def test_page_of_an_older_version_is_shown_again(client, campaign):
    answer = client.post(reverse("guidelines", args=[campaign.pk]), {"version": "1"})

    assert "The guidelines have changed since you opened them" in answer.content.decode()
    assert client.get(reverse("annotate", args=[campaign.pk])).status_code == 302


def test_unchanged_guidelines_show_no_changes(client, campaign):
    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 2})

    assert "have changed" not in page(client, "guidelines", campaign.pk)


def test_researchers_see_every_version_with_its_votes(client, campaign):
    client.force_login(make_user("rob", "researcher"))

    html = page(client, "campaign", campaign.pk)

    for text in ("Ignore the style.", "Mind the style.", *(one.digest for one in campaign.guidelines_texts.all())):
        assert text in html
