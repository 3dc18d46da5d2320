"""Gold pairs: from a list, and from pairs on which all people agree."""

import pytest

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from judging.models import Purpose
from judging.services.campaign_pairs.gold_pairs import (
    GoldPairVotes,
    add_gold_pairs,
    add_unanimous_pairs,
    list_gold_pairs,
    set_check_shares,
    unanimous_pairs,
)
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from tests.campaigns import answer, make_annotator, make_campaign, prefer, small_campaign, vote

pytestmark = pytest.mark.django_db


def gold_of(campaign):
    pairs = campaign.pairs.filter(purpose=Purpose.GOLD).order_by("one__context__position")
    return list(pairs.values_list("one__context__key", "one__key", "other__key", "gold_answer"))


def test_listed_pairs_become_gold_in_the_order_of_the_dataset():
    campaign = make_campaign()

    added = add_gold_pairs(campaign, [KnownPair("c0", "b", "a", "first"), KnownPair("c1", "a", "c", "tie")])

    assert added == 2
    assert gold_of(campaign) == [("c0", "a", "b", "other"), ("c1", "a", "c", "tie")]
    assert campaign.pairs.asked().count() == 4
    assert campaign.gold_share == 0.1


def test_pair_that_the_campaign_lacks_is_added_as_gold():
    campaign = make_campaign(contexts=1)

    add_gold_pairs(campaign, [KnownPair("c1", "a", "b", "second")])

    assert gold_of(campaign) == [("c1", "a", "b", "other")]
    assert campaign.pairs.asked().count() == 3


def test_same_gold_pair_is_added_once():
    campaign = make_campaign()
    pairs = [KnownPair("c0", "a", "b", "first")]

    assert [add_gold_pairs(campaign, pairs), add_gold_pairs(campaign, pairs)] == [1, 0]


def test_unknown_candidates_and_contexts_are_refused_together():
    campaign = make_campaign()
    pairs = [KnownPair("c9", "a", "b", "first", file="gold.csv", line=2), KnownPair("c0", "a", "z", "first")]

    with pytest.raises(Refused) as refused:
        add_gold_pairs(campaign, [*pairs, KnownPair("c0", "a", "b", "first")])

    assert refused.value.problems == (
        'gold.csv, line 2, context: "c9" is not in the dataset',
        'second: "z" is not a candidate of c0',
    )
    assert gold_of(campaign) == []


def test_a_pair_that_somebody_has_seen_stays_what_it_is():
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=2, annotators=[ann])
    shown = vote(campaign, ann).assignment.pair
    pair = KnownPair(shown.one.context.key, "a", "b", "first")

    with pytest.raises(Refused, match="somebody has seen this pair in the campaign"):
        add_gold_pairs(campaign, [pair])

    assert gold_of(campaign) == []


def test_a_campaign_keeps_a_pair_that_people_are_asked_about():
    campaign = small_campaign(pairs=1)

    with pytest.raises(Refused, match="no pair of the campaign is left"):
        add_gold_pairs(campaign, [KnownPair("c0", "a", "b", "first")])

    assert campaign.pairs.asked().count() == 1


def voted_campaign():
    """Three people on four pairs: they agree on two for the earlier candidate, on one for a tie, and not on one."""
    people = [make_annotator(name) for name in ("ann", "ben", "cleo")]
    campaign = small_campaign(pairs=4, annotators=people, votes_per_pair=3, name="earlier")
    for person in people:
        for _ in range(4):
            assignment = next_pair(campaign, annotator=person)
            context = assignment.pair.one.context.key
            is_earlier = context != "c3" or person == people[0]
            answer(assignment, "tie" if context == "c2" else "second" if assignment.swapped == is_earlier else "first")
    return campaign


def test_unanimous_pairs_are_those_with_enough_votes_for_one_candidate():
    campaign = voted_campaign()

    agreed = unanimous_pairs(campaign.attributes.get(), 3)

    assert [(pair.one.context.key, pair.one.key, pair.answer) for pair in agreed] in (
        [("c0", "a", "one"), ("c1", "a", "one")],
        [("c1", "a", "one"), ("c0", "a", "one")],
    )
    assert unanimous_pairs(campaign.attributes.get(), 4) == []


def test_gold_pairs_are_drawn_from_unanimous_votes():
    campaign = make_campaign(voted_campaign().dataset, name="later")

    with pytest.raises(Refused, match="unanimous: 3 — only 2 pairs with 3 votes or more"):
        add_unanimous_pairs(campaign, unanimous=3)
    assert add_unanimous_pairs(campaign, unanimous=1) == 1

    assert gold_of(campaign)[0][1:] == ("a", "b", "one")


def test_gold_pairs_count_their_votes_and_the_right_ones():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = small_campaign(pairs=2, annotators=[ann, ben], gold_share=1.0)
    add_gold_pairs(campaign, [KnownPair("c0", "a", "b", "second")])
    for person, is_earlier in ((ann, False), (ben, True)):
        prefer(campaign, person, earlier=True)
        prefer(campaign, person, earlier=is_earlier)

    assert list_gold_pairs(campaign) == [GoldPairVotes("coherence", "c0", "a", "b", "b", votes=2, right=1)]
    exclude_rater(campaign.dataset, rater=ben.rater_name, reason="guessed")
    assert list_gold_pairs(campaign) == [GoldPairVotes("coherence", "c0", "a", "b", "b", votes=1, right=1)]


def test_shares_outside_zero_to_one_are_refused():
    campaign = make_campaign()

    with pytest.raises(Refused) as refused:
        set_check_shares(campaign, repeat_share=-0.1, gold_share=float("nan"))

    assert len(refused.value.problems) == 2
