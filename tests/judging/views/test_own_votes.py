"""Annotators' own votes and progress."""

import pytest
from django.urls import reverse

from judging.services.campaigns.campaign_states import change_state
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset
from tests.judging.stored_votes import store_votes
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


def test_home_and_voting_page_count_the_same_pairs(client, ann):
    campaign = make_ready_campaign(ann)
    vote(campaign, ann)
    skip_pair(next_pair(campaign, annotator=ann), reason="other")

    home, voting = page(client, "home"), page(client, "annotate", campaign.pk)

    assert "You have voted on 1 of 6 pairs, and skipped 1 more." in home
    assert "1 of 6 done, 1 skipped" in voting


def test_home_shows_that_no_pair_is_left(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,)))
    vote(campaign, ann)

    assert "No pair is left for you. You have voted on 1 pair." in page(client, "home")


@pytest.mark.parametrize("campaigns", [1, 4])
def test_home_of_an_annotator_needs_the_same_queries_for_any_number_of_campaigns(
    client, ann, campaigns, django_assert_num_queries
):
    for number in range(campaigns):
        make_campaign(name=f"Campaign {number}", annotators=[ann])

    with django_assert_num_queries(6):  # it keeps the numbers that the person reads for the first time
        page(client, "home")
    with django_assert_num_queries(5):
        page(client, "home")


def test_vote_list_has_own_answers_which_alone_can_be_changed_and_the_way_back_to_skipped_pairs(client, ann):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben)
    his = vote(campaign, ben)
    mine = vote(campaign, ann, "tie")
    skipped = next_pair(campaign, annotator=ann)
    skip_pair(skipped, reason="language")

    everything, only_skipped = (page(client, "vote-list", campaign.pk, **query) for query in ({}, {"show": "skipped"}))

    assert everything.count("data-answered") == 2
    assert reverse("vote-change", args=[campaign.pk, mine.assignment.key]) in everything
    assert only_skipped.count("data-answered") == 1
    assert str(skipped.key) in only_skipped
    assert client.get(reverse("vote-change", args=[campaign.pk, his.assignment.key])).status_code == 404


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_own_answers_can_be_read_and_not_changed_while_a_campaign_is_not_open(client, ann, state):
    campaign = make_ready_campaign(ann)
    mine = vote(campaign, ann)
    skip_pair(next_pair(campaign, annotator=ann), reason="other")
    change_state(campaign, state=state)

    answers, change = (
        page(client, "vote-list", campaign.pk),
        page(client, "vote-change", campaign.pk, mine.assignment.key),
    )

    assert f"This campaign is {state}: you can read your votes" in answers
    assert answers.count("data-answered") == 2
    assert not any(offered in answers for offered in ("Continue voting", ">Change<", "data-advance"))
    assert f"This campaign is {state}." in change
    assert reverse("vote-list", args=[campaign.pk]) in change
    assert "vote-bar" not in change


def test_vote_change_stores_another_choice(client, ann):
    campaign = make_ready_campaign(ann)
    mine = vote(campaign, ann, "first")
    address = reverse("vote-change", args=[campaign.pk, mine.assignment.key])
    names = {"first": mine.assignment.first_name, "second": mine.assignment.second_name}

    response = client.post(address, {"pair": str(mine.assignment.key), "choice": "second"} | names)

    mine.refresh_from_db()
    back = f"{reverse('vote-list', args=[campaign.pk])}?changed={mine.assignment.key}"
    assert (response.url, mine.choice) == (back, "second")
    assert "Your vote is saved as shown here." in client.get(back).content.decode()


def test_vote_change_returns_to_the_same_page_of_the_list(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(9,)))
    mine, *_ = store_votes(campaign, ann, [None] * 30)
    change = reverse("vote-change", args=[campaign.pk, mine.assignment.key])
    second_page = page(client, "vote-list", campaign.pk, page=2)
    names = {"first": mine.assignment.first_name, "second": mine.assignment.second_name}

    response = client.post(f"{change}?page=2", {"pair": str(mine.assignment.key), "choice": "second"} | names)

    assert f'href="{change}?page=2"' in second_page
    assert f"?page=2&changed={mine.assignment.key}" in response.url
    assert client.get(response.url).content.decode().count("data-changed") == 1


def test_vote_change_refuses_a_pair_without_a_vote(client, ann):
    campaign = make_ready_campaign(ann)
    skipped = next_pair(campaign, annotator=ann)
    skip_pair(skipped, reason="other")
    still_open = next_pair(campaign, annotator=ann)

    for assignment in (skipped, still_open):
        html = page(client, "vote-change", campaign.pk, assignment.key)
        assert "You have no vote on this pair to change" in html
        assert '<h1 tabindex="-1">Your votes</h1>' in html


@pytest.mark.parametrize("votes", [1, 5])
def test_vote_list_needs_the_same_queries_for_any_number_of_votes(client, ann, votes, django_assert_num_queries):
    campaign = make_ready_campaign(ann)
    for _ in range(votes):
        vote(campaign, ann)

    with django_assert_num_queries(7):
        page(client, "vote-list", campaign.pk)
