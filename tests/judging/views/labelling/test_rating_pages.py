"""The pages of a campaign of ratings: its form, what annotators see, and what researchers read."""

import pytest
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import Campaign, HumanScore
from judging.services.campaign_pairs.gold_pairs import set_check_shares
from judging.services.campaigns.next_pair import next_pair
from tests.campaigns import let_time_pass, make_annotator, make_ready_campaign, rate
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_annotator("ann")


def posted_form(dataset, **fields):
    attribute = dataset.attributes.first()
    usual = {"kind": "ratings", "name": "R", "attributes": [attribute.name], "votes_per_pair": 2, "state": "open"}
    return usual | fields


def test_form_counts_texts_and_ratings(client, researcher):
    dataset = make_dataset(owner=researcher)
    client.force_login(researcher)

    shown = client.post(reverse("campaign-effort", args=[dataset.pk]), posted_form(dataset)).content.decode()

    assert "6 texts × 2 ratings = 12 ratings; 18 min 0 s at 90 s a rating." in shown


def test_annotator_rates_by_form_to_the_end_and_sees_neither_system_nor_second_text(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,)), kind="ratings")
    client.force_login(ann)
    page = client.get(f"/campaigns/{campaign.pk}/annotate/").content.decode()
    shown = next_pair(campaign, annotator=ann)
    let_time_pass(1200)

    fields = {"pair": shown.key, "text": shown.first_name, "rating": 4, "milliseconds": 1200}
    client.post(f"/campaigns/{campaign.pk}/annotate/vote/", fields)

    assert "How coherent is this summary?" in page
    assert "system-" not in page
    assert page.count('name="rating"') == 5
    stored = HumanScore.objects.get()
    assert (stored.candidate, stored.value, stored.assignment.visible_milliseconds) == (shown.first, 4, 1200)

    rate(campaign, ann, 2)
    assert "Thank you: no texts left" in client.get(f"/campaigns/{campaign.pk}/annotate/").content.decode()


@pytest.mark.parametrize("rating", ["", "4.5", "many", "9"])
def test_rating_that_is_no_level_is_refused_with_a_message(client, ann, rating):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,)), kind="ratings")
    client.force_login(ann)
    shown = next_pair(campaign, annotator=ann)

    fields = {"pair": shown.key, "text": shown.first_name, "rating": rating}
    page = client.post(f"/campaigns/{campaign.pk}/annotate/vote/", fields, follow=True).content.decode()

    assert "Nothing was saved" in page or "Your rating was not saved" in page
    assert not HumanScore.objects.exists()


def test_own_list_shows_and_changes_ratings(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,)), kind="ratings")
    stored = rate(campaign, ann, 2)
    client.force_login(ann)
    address = reverse("vote-change", args=[campaign.pk, stored.assignment.key])

    listed = client.get(reverse("vote-list", args=[campaign.pk])).content.decode()
    page = client.get(address).content.decode()
    client.post(address, {"pair": stored.assignment.key, "text": stored.assignment.first_name, "rating": 5})

    assert "Your ratings" in listed
    assert 'value="2" data-keys="2" aria-keyshortcuts="2" aria-pressed="true"' in page
    assert HumanScore.objects.get().value == 5


def test_guidelines_name_the_scale(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,)), kind="ratings")
    client.force_login(ann)

    page = client.get(reverse("guidelines", args=[campaign.pk])).content.decode()

    assert "You see one summary at a time." in page
    assert "with a number: from 1 to 5." in page


def test_campaign_page_has_the_ratings_so_far_and_no_parts_of_pairs(client, researcher, ann):
    dataset = make_dataset(candidates=(2,), owner=researcher)
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=dataset, kind="ratings", created_by=researcher)
    for person in (ann, ben):
        for rating in (1, 5):
            rate(campaign, person, rating)
    client.force_login(researcher)

    page = client.get(campaign.get_absolute_url()).content.decode()

    assert "Ratings so far" in page
    assert '<td class="num">3.00</td>' in page
    assert "Checks" not in page
    assert "Disputed" not in page
    assert "The dataset has human scores of its own" not in page


def test_campaign_page_says_which_scores_reports_use(client, researcher, ann):
    dataset = make_dataset(candidates=(2,), owner=researcher)
    candidate, attribute = dataset.contexts.get().candidates.first(), dataset.attributes.get()
    HumanScore.objects.create(candidate=candidate, attribute=attribute, value=3)
    campaign = make_ready_campaign(ann, dataset=dataset, kind="ratings", created_by=researcher)
    client.force_login(researcher)

    page = client.get(campaign.get_absolute_url()).content.decode()

    assert "The dataset has human scores of its own on coherence." in page


def test_checks_of_pairs_are_refused_for_ratings(client, researcher, ann):
    dataset = make_dataset(candidates=(2,), owner=researcher)
    campaign = make_ready_campaign(ann, dataset=dataset, kind="ratings", created_by=researcher)
    client.force_login(researcher)

    answer = client.post(reverse("check-shares", args=[campaign.pk]), {"repeat_share": "0.1", "gold_share": "0"})

    assert answer.status_code == 404
    with pytest.raises(Refused, match="gold pairs, repeats and training are for pairs"):
        set_check_shares(campaign, repeat_share=0.1, gold_share=0)
    assert Campaign.objects.get().repeat_share == 0


def test_changes_of_a_campaign_of_ratings_offer_no_answers_on_pairs(client, researcher):
    campaign = make_ready_campaign(dataset=make_dataset(owner=researcher), kind="ratings", created_by=researcher)
    client.force_login(researcher)
    address = reverse("campaign-edit", args=[campaign.pk])

    page = client.get(address).content.decode()
    client.post(address, {"guidelines": "Read twice.", "question": "How orderly is it?"})

    assert "allow_ties" not in page
    changed = Campaign.objects.get()
    assert (changed.guidelines, changed.allow_ties, changed.asked_question) == (
        "Read twice.",
        True,
        "How orderly is it?",
    )
