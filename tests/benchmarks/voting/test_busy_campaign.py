"""The campaign of the benchmark of the voting pages."""

import pytest

from benchmarks.voting.busy_campaign import check_votes, make_campaign
from judging.models import Campaign, CampaignPair, User
from tests.campaigns import vote

pytestmark = pytest.mark.django_db


def test_check_votes_accepts_the_votes_that_were_given_and_finds_lost_ones():
    campaign = make_campaign(people=2, pairs=10)
    for annotator in User.objects.all():
        vote(Campaign.objects.get(), annotator)

    assert check_votes(campaign, votes=2) == []
    assert check_votes(campaign, votes=3) == ["2 votes are stored, 3 were given"]


def test_campaign_asks_about_each_pair_on_all_attributes():
    campaign = make_campaign(people=1, pairs=10, attributes=3)

    pairs = CampaignPair.objects.filter(campaign=campaign)
    assert pairs.count() == 30
    assert pairs.values("one", "other").distinct().count() == 10


def test_check_votes_finds_wrong_places():
    campaign = make_campaign(people=1, pairs=10)
    CampaignPair.objects.filter(position=0).update(places=4)

    assert check_votes(campaign, votes=0) == ["free places of pairs are wrong"]
