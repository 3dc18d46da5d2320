"""More votes on each pair, and more pairs, while a campaign runs."""

import io
import json
from collections import Counter
from itertools import pairwise

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from judging.models import Assignment, Campaign, CampaignPair, Candidate, Vote
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaign_pairs.campaign_draw import HAS_RANDOM_PAIRS, KNOWN, LISTED, NO_MORE, NOT_LISTED
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.campaign_changes import change_campaign, grow_campaign
from judging.services.campaigns.campaign_history import describe_growth
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import campaign_progress
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db


def votes_of_pairs(campaign):
    """Return pair -> its counting votes."""
    return Counter(Assignment.objects.filter(campaign=campaign).counting().values_list("pair", flat=True))


def vote_until_nothing_is_left(campaign, annotator):
    while next_pair(campaign, annotator=annotator) is not None:
        vote(campaign, annotator)


def pairs_of(campaign):
    return list(campaign.pairs.asked().order_by("position").values_list("one", "other", "attribute"))


def test_more_votes_per_pair_reopen_full_pairs_and_keep_every_vote():
    ann, ben, _ = people = [make_annotator(name) for name in ("ann", "ben", "cem")]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(2, 3)), votes_per_pair=2)
    vote_until_nothing_is_left(campaign, ann)
    vote(campaign, ben)
    before = set(Vote.objects.values_list("pk", "choice"))

    grow_campaign(campaign, {"votes_per_pair": 3})
    for person in people:
        vote_until_nothing_is_left(campaign, person)

    assert before <= set(Vote.objects.values_list("pk", "choice"))
    assert set(votes_of_pairs(campaign).values()) == {3}
    progress = campaign_progress(campaign)
    assert (progress.done, progress.planned, progress.complete) == (12, 12, 4)
    assert set(campaign.pairs.values_list("places", flat=True)) == {0}
    [said] = describe_growth(campaign)
    assert said.endswith("after 5 votes: 3 votes per pair, before 2")


def test_fewer_votes_per_pair_are_refused_once_there_are_votes():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, votes_per_pair=3)
    grow_campaign(campaign, {"votes_per_pair": 2})
    before_the_first_vote = describe_growth(campaign)
    vote(campaign, ann)

    with pytest.raises(Refused, match="votes_per_pair: 1 — people have voted: there can be more than 2 only"):
        grow_campaign(campaign, {"votes_per_pair": 1})

    assert (Campaign.objects.get().votes_per_pair, before_the_first_vote) == (2, [])


@pytest.mark.parametrize("selection", ["d-optimal", "random"])
def test_more_pairs_per_context_come_behind_the_old_ones_and_none_twice(selection):
    ann = make_annotator("ann")
    dataset = make_dataset(candidates=(5, 5, 2), attributes=("coherence", "fluency"))
    both = list(dataset.attributes.all())
    campaign = make_ready_campaign(
        ann, dataset=dataset, attributes=both, selection=selection, pairs_per_context=4, seed=3
    )
    vote(campaign, ann)
    before = pairs_of(campaign)

    grow_campaign(campaign, {"pairs_per_context": 6})

    pairs = pairs_of(campaign)
    assert (pairs[: len(before)], len(before), len(pairs)) == (before, 18, 26)
    assert len(set(pairs)) == len(pairs)
    contexts = dict(CampaignPair.objects.values_list("one", "one__context"))
    assert sorted(Counter(contexts[one] for one, *_ in pairs).values()) == [2, 12, 12]
    assert all(one[:2] == other[:2] for one, other in list(pairwise(pairs))[::2])
    vote_until_nothing_is_left(campaign, ann)
    assert set(votes_of_pairs(campaign).values()) == {1}
    assert len(votes_of_pairs(campaign)) == 26
    assert describe_growth(campaign)[0].endswith("after 1 vote: 26 questions, before 18")


@pytest.mark.parametrize(("rule", "per_context"), [("all", None), ("random", 9), ("adaptive", 9)])
def test_a_campaign_with_random_pairs_grows_by_its_rule_and_keeps_their_sample(rule, per_context):
    ann = make_annotator("ann")
    sizes = {"selection": rule, "pairs_per_context": per_context, "random_share": 0.5, "pair_limit": 8}
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(5, 5)), votes_per_pair=1, **sizes)
    vote(campaign, ann)
    sample = set(campaign.pairs.filter(purpose="held-out").values_list("pk", flat=True))

    grow_campaign(campaign, {"pair_limit": 13})
    vote_until_nothing_is_left(Campaign.objects.get(), ann)

    assert len(set(pairs_of(campaign))) == len(pairs_of(campaign)) == 13
    assert set(campaign.pairs.filter(purpose="held-out").values_list("pk", flat=True)) == sample
    assert (len(sample), campaign.pair_choice["random_share"]) == (4, 0.5)


def test_new_pairs_are_neither_gold_nor_training_pairs():
    campaign = make_campaign(make_dataset(candidates=(4,)), selection="all", pair_limit=2, seed=1)
    asked = set(campaign.pairs.values_list("one__key", "other__key"))
    gold, trained = [pair for pair in [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c")] if pair not in asked][:2]
    add_gold_pairs(campaign, [KnownPair("c0", *gold, "first")])
    set_training_pairs(campaign, [KnownPair("c0", *trained, "first")])

    grow_campaign(campaign, {"pair_limit": None})

    pairs = set(campaign.pairs.asked().values_list("one__key", "other__key"))
    assert len(pairs) == 4
    assert not pairs & {gold, trained}


def test_an_adaptive_campaign_chooses_its_new_pairs_during_voting():
    ann = make_annotator("ann")
    dataset = make_dataset(candidates=(4, 4))
    campaign = make_ready_campaign(ann, dataset=dataset, selection="adaptive", pairs_per_context=3, contexts=1)
    vote_until_nothing_is_left(campaign, ann)

    grow_campaign(campaign, {"pairs_per_context": 5, "contexts": 2})
    vote_until_nothing_is_left(Campaign.objects.get(), ann)

    assert len(pairs_of(campaign)) == campaign.pairs_planned == 10
    assert set(votes_of_pairs(campaign).values()) == {1}


@pytest.mark.parametrize(
    ("made", "sizes", "problem"),
    [
        (
            {"pairs_per_context": 3},
            {"pairs_per_context": 2},
            "pairs_per_context: 2 — pairs can only be added",
        ),
        ({}, {"pair_limit": 2}, "pair_limit: 2 — pairs can only be added; there are all now"),
        ({"random_share": 0.5, "contexts": 1}, {"contexts": 2}, HAS_RANDOM_PAIRS),
        ({"pairs_per_context": 2, "pair_limit": 4}, {"pair_limit": 9}, NO_MORE),
    ],
)
def test_pairs_that_cannot_be_added_are_refused_and_nothing_changes(made, sizes, problem):
    campaign = make_campaign(make_dataset(candidates=(4, 4)), **made)
    before = pairs_of(campaign)

    with pytest.raises(Refused, match=problem):
        grow_campaign(campaign, {"votes_per_pair": 9, **sizes})

    assert (pairs_of(campaign), Campaign.objects.get().votes_per_pair) == (before, campaign.votes_per_pair)
    assert Campaign.objects.get().growth == []


def listed_campaign(*annotators, **fields):
    """A campaign that was given the first pair of the first of two contexts, with a vote on it."""
    dataset = make_dataset(candidates=(3, 2), attributes=("coherence", "fluency"))
    one, other = Candidate.objects.filter(context__key="c0")[:2]
    fields = {"attributes": dataset.attributes.all(), "votes_per_pair": 1} | fields
    pair = AskedPair(one.pk, other.pk, dataset.attributes.first().pk)
    campaign = make_ready_campaign(*annotators, dataset=dataset, given_pairs=[pair], **fields)
    vote(campaign, annotators[0])
    return campaign


MORE_PAIRS = [
    {"context": "c1", "first": "b", "second": "a", "attribute": "fluency"},
    {"context": "c1", "first": "a", "second": "b", "attribute": "coherence"},
    {"context": "c0", "first": "b", "second": "a", "attribute": "coherence"},
]
"""Two new pairs on a second context, the later attribute first, and the known pair the other way round."""


def by_page(client, campaign, tmp_path):
    table = SimpleUploadedFile("pairs.jsonl", "\n".join(map(json.dumps, MORE_PAIRS)).encode())
    sent = {"votes_per_pair": "1", "annotators": "ann", "allow_ties": "on", "pairs": table}
    client.post(reverse("campaign-edit", args=[campaign.pk]), sent)


def by_api(client, campaign, tmp_path):
    client.patch(reverse("api-campaign", args=[campaign.pk]), {"pairs": MORE_PAIRS}, content_type="application/json")


def by_command(client, campaign, tmp_path):
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, MORE_PAIRS)))
    call_command("change_campaign", campaign.name, "--pairs", str(file), stdout=io.StringIO())


@pytest.mark.parametrize("add", [by_page, by_api, by_command])
def test_listed_pairs_of_new_contexts_come_behind_the_old_ones_by_page_api_and_command(client, tmp_path, add):
    rita, ann = make_user("rita", "researcher"), make_annotator("ann")
    campaign = listed_campaign(ann, created_by=rita)
    client.force_login(rita)

    add(client, campaign, tmp_path)

    columns = ("one__context__key", "one__key", "other__key", "attribute__name")
    assert list(campaign.pairs.order_by("position").values_list(*columns)) == [
        ("c0", "a", "b", "coherence"),
        ("c1", "a", "b", "coherence"),
        ("c1", "a", "b", "fluency"),
    ]
    campaign.refresh_from_db()
    vote_until_nothing_is_left(campaign, ann)
    assert list(votes_of_pairs(campaign).values()) == [1, 1, 1]
    assert describe_growth(campaign)[0].endswith("after 1 vote: 3 questions, before 1; 2 contexts, before 1")


@pytest.mark.parametrize(
    ("sizes", "pairs", "problem"),
    [({"contexts": 9}, [], LISTED), ({}, MORE_PAIRS[2:], KNOWN), ({}, [{"context": "c9"}], "c9")],
)
def test_listed_pairs_that_add_nothing_are_refused(sizes, pairs, problem):
    campaign = listed_campaign(make_annotator("ann"))
    pairs = [KnownPair(**{"first": "a", "second": "b", "attribute": "fluency"} | pair) for pair in pairs]

    with pytest.raises(Refused, match=problem):
        change_campaign(campaign, {"votes_per_pair": 9, **sizes, "pairs": pairs}, changed_by=None)

    assert (campaign.pairs.count(), Campaign.objects.get().votes_per_pair) == (1, 1)


def test_pairs_of_a_rule_take_no_listed_ones():
    campaign = make_campaign(make_dataset(candidates=(3, 3)), contexts=1)

    with pytest.raises(Refused, match=NOT_LISTED):
        change_campaign(campaign, {"pairs": [KnownPair("c1", "a", "b")]}, changed_by=None)


def test_a_running_campaign_grows_by_page_api_and_shows_when(client):
    rita, ann = make_user("rita", "researcher"), make_annotator("ann")
    campaign = make_ready_campaign(
        ann, dataset=make_dataset(candidates=(3,)), votes_per_pair=1, pair_limit=1, created_by=rita, selection="all"
    )
    vote(campaign, ann)
    client.force_login(rita)

    client.post(
        reverse("campaign-edit", args=[campaign.pk]),
        {"votes_per_pair": "2", "pair_limit": "1", "annotators": "ann", "allow_ties": "on"},
    )
    answer = client.patch(
        reverse("api-campaign", args=[campaign.pk]), {"pair_limit": 3}, content_type="application/json"
    ).json()

    page = client.get(campaign.get_absolute_url()).content.decode()
    grown = ["after 1 vote: 2 votes per pair, before 1", "after 1 vote: 3 pairs, before 1"]
    assert [said[12:] for said in answer["growth"]] == grown
    assert all(said in page for said in grown)
    assert (answer["votes_per_pair"], answer["pairs"], answer["votes"]) == (2, 3, 1)
