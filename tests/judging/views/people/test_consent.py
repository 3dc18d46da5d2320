"""Consent: the text for researchers, and the page that asks annotators."""

import pytest
from django.urls import reverse

from judging.models import Consent
from judging.services.campaigns.next_pair import next_pair
from judging.services.invitations.consent import set_consent_text
from tests.campaigns import make_annotator, make_ready_campaign, shown_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(ann):
    campaign = make_ready_campaign(ann)
    set_consent_text(campaign, text="We store *your* votes.", created_by=None)
    return campaign


def page_of(client, name, campaign):
    return client.get(reverse(name, args=[campaign.pk]))


def accept(client, campaign, version=1):
    return client.post(reverse("consent", args=[campaign.pk]), {"version": version})


@pytest.mark.parametrize("page", ["annotate", "guidelines"])
def test_no_pair_and_no_guidelines_are_shown_before_consent(client, campaign, page):
    assert page_of(client, page, campaign).headers["Location"] == reverse("consent", args=[campaign.pk])
    assert not campaign.pairs.filter(assignments__isnull=False).exists()


def test_accepting_leads_to_the_pairs_and_stores_time_and_version(client, ann, campaign):
    shown = page_of(client, "consent", campaign).content.decode()

    answer = accept(client, campaign)

    stored = Consent.objects.get()
    assert "We store <em>your</em> votes." in shown
    assert answer.headers["Location"] == reverse("annotate", args=[campaign.pk])
    assert (stored.annotator, stored.text.version, stored.text.campaign) == (ann, 1, campaign)
    assert page_of(client, "annotate", campaign).status_code == 200


def test_a_changed_text_is_asked_again_before_the_next_pair(client, campaign):
    accept(client, campaign)
    set_consent_text(campaign, text="We keep votes for ten years.", created_by=None)

    asked = client.get(reverse("annotate", args=[campaign.pk]), follow=True).content.decode()

    assert "The text has changed since you accepted it" in asked


def test_a_vote_on_an_open_page_is_kept_while_the_text_changes(client, ann, campaign):
    accept(client, campaign)
    pair = next_pair(campaign, annotator=ann)
    set_consent_text(campaign, text="We keep votes for ten years.", created_by=None)
    shown = shown_in(pair)

    fields = {"pair": pair.key, "first": shown.first, "second": shown.second, "choice": "first"}
    client.post(reverse("vote-record", args=[campaign.pk]), fields)

    pair.refresh_from_db()
    assert pair.status == "voted"


@pytest.mark.parametrize("version", [1, "", "forged", 3])
def test_a_text_that_was_not_shown_is_not_accepted(client, campaign, version):
    set_consent_text(campaign, text="We keep votes for ten years.", created_by=None)

    page = client.post(reverse("consent", args=[campaign.pk]), {"version": version}, follow=True)

    assert "The text has changed since you opened it" in page.content.decode()
    assert not Consent.objects.exists()


def test_a_campaign_without_text_shows_no_consent_page(client, ann):
    campaign = make_ready_campaign(ann)

    assert page_of(client, "consent", campaign).headers["Location"] == reverse("annotate", args=[campaign.pk])


def test_a_researcher_changes_the_text_and_sees_how_many_accepted(client, researcher):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ben, created_by=researcher)
    address = reverse("consent-text", args=[campaign.pk])
    client.post(address, {"text": "First."})
    Consent.objects.create(text=campaign.consent_texts.get(), annotator=ben)

    page = client.post(address, {"text": "Second."}, follow=True)

    assert [(one.version, one.text, one.accepted_count) for one in page.context["versions"]] == [
        (2, "Second.", 0),
        (1, "First.", 1),
    ]
