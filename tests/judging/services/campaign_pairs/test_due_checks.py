"""Repeats and gold pairs, as annotators get them."""

import numpy as np
import pytest

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Assignment, Purpose, Vote
from judging.services.campaign_pairs.due_checks import FEWEST_BETWEEN, is_due
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import campaign_progress
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from tests.campaigns import answer, expire, make_annotator, make_campaign, small_campaign, wrong_places

pytestmark = pytest.mark.django_db


def vote_to_the_end(campaign, annotator):
    rng = np.random.default_rng(1)
    shown = []
    while assignment := next_pair(campaign, annotator=annotator, rng=rng):
        answer(assignment)
        shown.append(assignment)
    return shown


def gold(*contexts):
    return [KnownPair(context, "a", "b", "first") for context in contexts]


def test_a_share_of_the_pairs_is_repeated_with_swapped_sides():
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=30, annotators=[ann], repeat_share=0.2)

    shown = vote_to_the_end(campaign, ann)

    repeats = [one for one in shown if one.purpose == Purpose.REPEAT]
    first_of = {one.pair_id: one for one in shown if one.purpose == Purpose.ORDINARY}
    assert (len(first_of), len(repeats)) == (30, 6)
    assert all(one.swapped != first_of[one.pair_id].swapped for one in repeats)
    assert len({one.pair_id for one in repeats}) == 6
    assert min(shown.index(one) - shown.index(first_of[one.pair_id]) for one in repeats) > FEWEST_BETWEEN


def test_gold_pairs_are_mixed_with_the_others_and_seen_once():
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=23, annotators=[ann], gold_share=0.2)
    add_gold_pairs(campaign, gold("c0", "c1", "c2"))

    shown = vote_to_the_end(campaign, ann)

    places = [place for place, one in enumerate(shown) if one.purpose == Purpose.GOLD]
    assert len(shown) == 23
    assert len(places) == 3
    assert places != [20, 21, 22]


def test_votes_on_checks_are_in_no_figure_and_in_no_progress():
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=13, annotators=[ann], repeat_share=0.3, votes_per_pair=1)
    add_gold_pairs(campaign, gold("c0", "c1", "c2"))

    vote_to_the_end(campaign, ann)

    purposes = Vote.objects.values_list("purpose", flat=True)
    assert (list(purposes).count("gold"), list(purposes).count("repeat")) == (1, 3)
    assert set(Vote.objects.in_figures().values_list("purpose", flat=True)) == {"ordinary"}
    assert Vote.objects.in_figures().count() == 10
    progress = campaign_progress(campaign)
    assert (progress.pairs, progress.complete, progress.done, progress.planned) == (10, 10, 10, 10)
    assert not wrong_places(campaign)


def test_checks_take_no_place_when_they_are_skipped_expire_or_come_back():
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=3, annotators=[ann], gold_share=1.0)
    add_gold_pairs(campaign, gold("c0"))
    first, check = (next_pair(campaign, annotator=ann) for _ in range(2))
    assert first == check
    answer(first)
    check = next_pair(campaign, annotator=ann, rng=np.random.default_rng(0))
    assert check.purpose == Purpose.GOLD

    expire(check)
    next_pair(campaign, annotator=make_annotator("ben"))
    skip_pair(check, reason="other")
    reopen_pair(Assignment.objects.get(pk=check.pk))

    assert not wrong_places(campaign)
    assert campaign.pairs.get(purpose=Purpose.GOLD).places == 0
    answer(Assignment.objects.get(pk=check.pk))
    assert not wrong_places(campaign)


def test_gold_pair_that_was_seen_in_another_campaign_is_not_shown_again():
    ann = make_annotator("ann")
    earlier = small_campaign(pairs=4, annotators=[ann], name="earlier", contexts=1)
    vote_to_the_end(earlier, ann)
    campaign = make_campaign(annotators=[ann], gold_share=1.0)
    add_gold_pairs(campaign, gold("c0", "c1"))

    shown = vote_to_the_end(campaign, ann)

    assert [one.pair.one.context.key for one in shown if one.purpose == Purpose.GOLD] == ["c1"]


@pytest.mark.parametrize(
    ("share", "ordinary", "checks", "expected"),
    [
        (0.1, 0, 0, 0.0),
        (0.1, 5, 0, 0.5),
        (0.1, 10, 0, 1.0),
        (0.1, 15, 1, 0.5),
    ],
)
def test_a_check_gets_more_likely_until_it_is_shown(share, ordinary, checks, expected):
    rng = np.random.default_rng(2)

    due = [is_due(share, ordinary, checks, rng) for _ in range(2_000)]

    assert np.mean(due) == pytest.approx(expected, abs=0.05)
