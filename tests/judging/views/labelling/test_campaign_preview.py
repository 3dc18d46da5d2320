"""A researcher previews a campaign: the pages of annotators, of which no answer is stored."""

import pytest
from django.apps import apps
from django.urls import reverse

from judging.models import Assignment
from tests.campaigns import make_annotator, make_campaign, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(researcher, client):
    client.force_login(researcher)
    dataset = make_dataset(candidates=(2, 2), attributes=("coherence", "fluency"), owner=researcher)
    both = list(dataset.attributes.all())
    return make_campaign(dataset, attributes=both, created_by=researcher, state="draft", guidelines="Read both.")


def pair_address(campaign):
    return reverse("campaign-preview-pair", args=[campaign.pk])


def shown_question(client, campaign):
    page = client.get(pair_address(campaign))
    return page.context["asked"].attribute.name, page.context["assignment"].first.context.key


def row_counts():
    return {model.__name__: model.objects.count() for model in apps.get_app_config("judging").get_models()}


def test_preview_begins_with_the_guidelines_and_leads_to_a_pair(client, campaign):
    page = client.get(reverse("campaign-preview", args=[campaign.pk])).content.decode()

    started = client.post(reverse("campaign-preview", args=[campaign.pk]), {"version": ""}, follow=True)

    assert "Preview of what annotators see: nothing is stored." in page
    assert "Read both." in page
    assert started.redirect_chain == [(pair_address(campaign), 302)]
    assert "Which summary is more coherent?" in started.content.decode()


def test_nothing_is_stored(client, campaign):
    before = row_counts()
    client.get(pair_address(campaign))

    for fields in ({"choice": "first"}, {"reason": "language"}, {"show": "on"}, {"milliseconds": "900"}):
        client.post(pair_address(campaign), fields)

    assert row_counts() == before
    assert not Assignment.objects.exists()


def test_attributes_follow_each_other_on_the_same_texts(client, campaign):
    seen = []
    for _ in range(4):
        seen.append(shown_question(client, campaign))
        client.post(pair_address(campaign), {"choice": "first"})

    assert [attribute for attribute, _ in seen] == ["coherence", "fluency"] * 2
    assert (seen[0][1], seen[2][1]) == (seen[1][1], seen[3][1])


def test_reload_shows_the_same_pair_and_marks_stay_with_it(client, campaign):
    first = client.get(pair_address(campaign)).context["assignment"]

    client.post(pair_address(campaign), {"show": "on"})
    page = client.get(pair_address(campaign))

    again = page.context["assignment"]
    assert (again.key, again.pair, again.swapped) == (first.key, first.pair, first.swapped)
    assert page.context["differences"]["is_shown"]


def test_visible_time_is_answered_without_a_page(client, campaign):
    client.get(pair_address(campaign))

    assert client.post(pair_address(campaign), {"pair": "x", "milliseconds": "900"}).status_code == 204


def test_texts_of_a_campaign_of_ratings_are_previewed(client, researcher):
    client.force_login(researcher)
    dataset = make_dataset(candidates=(2,), owner=researcher)
    campaign = make_campaign(dataset, kind="ratings", created_by=researcher)

    page = client.get(pair_address(campaign)).content.decode()
    client.post(pair_address(campaign), {"rating": "4"})

    assert page.count('name="rating"') == 5
    assert "1 of 2 done" in client.get(pair_address(campaign)).content.decode()


def test_preview_takes_no_pair_from_annotators(client, campaign):
    ann = make_annotator("ann")
    campaign.annotators.add(ann)
    campaign.chosen_state = "open"
    campaign.save()
    client.get(pair_address(campaign))
    client.post(pair_address(campaign), {"choice": "first"})

    assert [vote(campaign, ann).attribute.name for _ in range(4)] == ["coherence", "fluency"] * 2
