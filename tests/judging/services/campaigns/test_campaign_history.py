"""The changes of a repaired campaign, in their order, as its page says them."""

import re

import pytest
from django.utils import timezone

from judging.services.campaigns.campaign_changes import grow_campaign
from judging.services.campaigns.campaign_history import campaign_history
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db


def test_the_page_says_every_change_of_a_running_campaign_in_its_order(client):
    rita, ann, ben = make_user("rita", "researcher"), make_annotator("ann"), make_annotator("ben")
    dataset = make_dataset(candidates=(3, 3))
    campaign = make_ready_campaign(
        *(ann, ben), dataset=dataset, selection="all", contexts=1, pair_limit=9, votes_per_pair=1, created_by=rita
    )
    make_campaign(dataset, name="without a vote of Ann")
    vote(campaign, ann)
    vote(campaign, ann)

    ending = exclude_rater(dataset, rater=ann.rater_name, reason="answered at random")
    grow_campaign(campaign, {"votes_per_pair": 2})
    vote(campaign, ben)
    grow_campaign(campaign, {"contexts": 2})
    exclude_rater(dataset, campaign, rater=ben.rater_name, reason="ill that day", goes_on=True)
    restore_votes(ending)

    today, others = timezone.now().date(), "with their places open for others"
    expected = [
        f"{today}: 2 votes of {ann.rater_name} left out, {others} – answered at random",
        f"{today}, after 0 votes: 2 votes per pair, before 1",
        f"{today}, after 1 vote: 6 pairs, before 3; 2 contexts, before 1",
        f"{today}: 1 vote of {ben.rater_name} left out, {others} – ill that day",
        f"{today}: 2 votes of {ann.rater_name} taken back in",
    ]
    client.force_login(rita)
    page = client.get(campaign.get_absolute_url()).content.decode()
    assert list(map(str, campaign_history(campaign))) == expected
    assert re.findall(f"<li>({today}.*?)</li>", page) == expected
    assert campaign_history(dataset.campaigns.get(name="without a vote of Ann")) == []


def test_votes_that_another_exclusion_leaves_out_too_are_said_once_and_taken_back_at_its_end():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, created_by=make_user("rita", "researcher"))
    vote(campaign, ann)
    here, everywhere = (
        exclude_rater(campaign.dataset, only, rater=ann.rater_name, reason="too quick") for only in (campaign, None)
    )
    said = [str(one) for one in campaign_history(campaign)]

    restore_votes(here)
    assert [str(one) for one in campaign_history(campaign)] == said
    restore_votes(everywhere)

    assert len(said) == 1
    assert [one.said.endswith("taken back in") for one in campaign_history(campaign)] == [False, True]
