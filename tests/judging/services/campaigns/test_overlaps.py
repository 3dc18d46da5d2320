"""Pairs that campaigns on the same attribute share."""

import pytest

from judging.models import Campaign
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.overlaps import Overlap, describe_overlaps, find_overlaps
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.campaigns import make_annotator, make_campaign, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def test_find_overlaps_counts_shared_pairs_and_people_of_each_other_campaign():
    ann, ben, cem = (make_annotator(name) for name in ("ann", "ben", "cem"))
    dataset = make_dataset(candidates=(2, 2), attributes=("coherence", "fluency"))
    make_campaign(dataset, name="First context", contexts=1, annotators=[ann])
    make_campaign(dataset, name="All", annotators=[ann, ben, cem])
    make_campaign(dataset, name="Fluency", attributes=dataset.attributes.filter(name="fluency"))

    overlaps = find_overlaps(make_campaign(dataset, name="New", annotators=[ann, ben]))

    assert overlaps == [Overlap("All", 2, 2), Overlap("First context", 1, 1)]


def test_describe_overlaps_names_campaigns_and_the_effect():
    dataset = make_dataset(candidates=(2,))
    first = make_campaign(dataset, name="Round 1")
    assert describe_overlaps(first) == ""

    second = make_campaign(dataset, name="Round 2")
    repeated = make_campaign(dataset, name="Round 3", allow_repeats=True)

    assert describe_overlaps(second).startswith(
        "Shares pairs with Round 1 (1 shared pair, 0 shared annotators), Round 3"
    )
    assert "No annotator gets a shared pair twice" in describe_overlaps(second)
    assert "Repeats are allowed" in describe_overlaps(repeated)


@pytest.mark.parametrize("seen", ["voted", "skipped", "open"])
def test_next_pair_is_never_one_that_another_campaign_showed(seen):
    ann, ben = make_annotator("ann"), make_annotator("ben")
    dataset = make_dataset(candidates=(2, 2))
    earlier, later = make_campaign(dataset, name="earlier"), make_campaign(dataset, name="later")
    if seen == "voted":
        vote(earlier, ann)
    shown = next_pair(earlier, annotator=ann) if seen != "voted" else ann.assignments.get()
    if seen == "skipped":
        skip_pair(shown, reason="other")

    assert [vote(later, ann).assignment.pair.one] != [shown.pair.one]
    assert next_pair(later, annotator=ann) is None
    assert [vote(later, ben).choice for _ in range(2)] == ["first", "first"]


def test_pairs_left_leave_out_pairs_of_other_campaigns():
    ann = make_annotator("ann")
    dataset = make_dataset(candidates=(2, 2))
    earlier = make_campaign(dataset, name="earlier", annotators=[ann])
    vote(earlier, ann)
    make_campaign(dataset, name="later", annotators=[ann])
    make_campaign(dataset, name="planned", annotators=[ann], allow_repeats=True)

    campaigns = Campaign.objects.open_to(ann).with_own_progress(ann).order_by("pk")

    assert [campaign.own_progress.left for campaign in campaigns] == [1, 1, 2]
