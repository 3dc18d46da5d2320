"""Ratings over HTTP: a campaign of ratings, the next text, its rating, change and skip."""

import pytest

from judging.models import Campaign, HumanScore
from tests.campaigns import let_time_pass, make_ready_campaign
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(annotator):
    return make_ready_campaign(annotator.user, dataset=make_dataset(candidates=(2,)), kind="ratings")


def next_text(client, campaign):
    return client.post(f"/api/own-campaigns/{campaign.pk}/next-pair/").json()


def send(client, text, rating, *, method="post", **fields):
    address = f"/api/own-campaigns/{text['campaign']}/pairs/{text['key']}/rating/"
    body = {"rating": rating, "text": text["first"]["name"], **fields}
    return getattr(client, method)(address, body, format="json")


def test_researchers_create_a_campaign_of_ratings_with_a_scale(researcher):
    dataset = make_dataset(owner=researcher.user)
    scale = {"lowest": 1, "highest": 7, "lowest_label": "chaotic", "highest_label": "in order"}
    body = {"kind": "ratings", "name": "R", "dataset": dataset.name, "attributes": "coherence"}

    created = researcher.post("/api/campaigns/", {**body, **scale}, format="json")

    assert created.status_code == 201
    assert created.json()["kind"] == "ratings"
    assert created.json()["scales"] == {"coherence": scale}
    assert created.json()["pairs"] == 6


def test_text_is_shown_alone_and_its_rating_stored_changed_and_withdrawn(annotator, campaign):
    text = next_text(annotator, campaign)
    let_time_pass(2500)

    rated = send(annotator, text, 4, seconds=2.5).json()

    assert text["second"] is None
    assert text["question"] == "How coherent is this summary?"
    assert (rated["status"], rated["rating"]) == ("voted", 4)
    stored = HumanScore.objects.get()
    assert (stored.value, stored.assignment.visible_milliseconds) == (4, 2500)

    send(annotator, text, 4)

    changed = send(annotator, text, 2, method="patch").json()
    opened = annotator.delete(f"/api/own-campaigns/{campaign.pk}/pairs/{text['key']}/vote/").json()

    assert changed["rating"] == 2
    assert (opened["status"], opened["rating"]) == ("open", None)
    assert not HumanScore.objects.exists()


def test_rating_off_the_scale_and_votes_on_texts_are_refused(annotator, campaign):
    text = next_text(annotator, campaign)

    high = send(annotator, text, 6)
    body = {"choice": "first", "first": "a", "second": "b"}
    voted = annotator.post(f"/api/own-campaigns/{campaign.pk}/pairs/{text['key']}/vote/", body, format="json")

    assert high.json()["problems"] == ["rating: 6 — choose a whole number from 1 to 5. Your rating was not saved."]
    assert voted.json()["problems"][0].startswith("This campaign asks for ratings of single texts")
    assert not HumanScore.objects.exists()


def test_answers_on_pairs_are_refused_as_a_change_of_a_campaign_of_ratings(researcher):
    dataset = make_dataset(owner=researcher.user)
    campaign = make_ready_campaign(dataset=dataset, kind="ratings", created_by=researcher.user)

    refused = researcher.patch(f"/api/campaigns/{campaign.pk}/", {"allow_both_bad": True}, format="json")

    assert refused.status_code == 400
    assert "allow both bad: is about answers on pairs" in refused.json()["problems"][0]
    assert not Campaign.objects.get().allow_both_bad
