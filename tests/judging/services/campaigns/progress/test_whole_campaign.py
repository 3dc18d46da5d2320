"""One count of pairs in a whole campaign: home page, voting page and API say the same numbers."""

import re
from collections import Counter

import numpy as np
import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Assignment, Campaign, Purpose
from judging.models.labelling.own_progress import OwnCounts, OwnProgress
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs, set_check_shares
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import annotator_progress, campaign_progress
from judging.services.campaigns.progress.labelling_pace import parts_of_people
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.invitations.completion import finished_people
from tests.campaigns import act_at_random, answer, make_annotator, make_ready_campaign
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db

CONTEXTS, GOLD = 16, 3


def campaign_with_checks(*people, attributes=("coherence",), gold=GOLD, **fields):
    """A campaign of 16 pairs of texts, three of them gold pairs, on each attribute."""
    dataset = make_dataset(candidates=(2,) * CONTEXTS, attributes=attributes)
    shares = {"gold_share": 0.2, "repeat_share": 0.17}
    fields = shares | {"votes_per_pair": 2, "attributes": dataset.attributes.all()} | fields
    campaign = make_ready_campaign(*people, dataset=dataset, **fields)
    known = [
        KnownPair(f"c{number}", "a", "b", "first", attribute=name) for number in range(gold) for name in attributes
    ]
    add_gold_pairs(campaign, known)
    return Campaign.objects.get(pk=campaign.pk)


def numbers_said(client, campaign, ann):
    """Return votes, pairs left and in all, and the position. Home page, voting page and API must agree on them."""
    api = APIClient()
    api.force_authenticate(ann)
    own = api.get(f"/api/own-campaigns/{campaign.pk}/").json()
    home, voting = (
        re.sub(r"<[^>]+>", "", client.get(reverse(name, args=keys)).content.decode())
        for name, keys in (("home", []), ("annotate", [campaign.pk]))
    )
    on_home = re.search(r"(?:voted on|answered) (\d+) of (\d+) ", home)
    position = re.search(r"(?:Pair|Question) (\d+) of (\d+): ", voting)
    on_voting = re.search(r"(\d+) of (\d+) done", voting)
    said = (own["votes"], own["total"])
    assert {tuple(map(int, one.groups())) for one in (on_home, on_voting)} == {said}
    assert int(position[2]) == own["total"]
    return own["votes"], own["left"], own["total"], int(position[1])


def act(assignment, rng):
    """Vote, skip, or vote and undo. Return what changed: (votes, pairs left)."""
    action = rng.choice(["vote", "vote", "vote", "skip", "undo"])
    if action == "skip":
        skip_pair(assignment, reason="other")
        return 0, -1
    answer(assignment)
    if action == "vote":
        return 1, -1
    reopen_pair(Assignment.objects.get(pk=assignment.pk))
    return 0, 0


def exclude(campaign, person, **fields):
    exclude_rater(campaign.dataset, rater=person.rater_name, reason="tired", campaign=campaign, **fields)


@pytest.mark.parametrize(("seed", "attributes"), [(0, ("coherence",)), (1, ("coherence", "fluency"))])
def test_the_count_is_the_same_everywhere_and_falls_by_one_to_nothing(client, seed, attributes):
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = campaign_with_checks(ann, ben, attributes=attributes)
    answer(next_pair(campaign, annotator=ben))
    client.force_login(ann)
    rng = np.random.default_rng(seed)
    votes, left, total, _ = numbers_said(client, campaign, ann)
    shown = set()

    for step in range(200):
        assignment = next_pair(campaign, annotator=ann, rng=rng)
        if assignment is None:
            break
        assert numbers_said(client, campaign, ann) == (votes, left, total, total - left + 1)
        shown.add((assignment.pk, assignment.purpose))
        more_votes, more_left = act(assignment, rng)
        votes, left = votes + more_votes, left + more_left
        if step in (10, 20):
            exclude(campaign, [ben, ann][step // 20], goes_on=True)

    own = campaign.progress_for(ann)
    purposes = Counter(purpose for _, purpose in shown)
    assert (own.votes, own.left, left) == (votes, 0, 0)
    assert total == len(shown) == len(attributes) * (13 + 3 + 2)
    assert (purposes["gold"], purposes["repeat"]) == (3 * len(attributes), 2 * len(attributes))


def test_no_count_falls_or_passes_its_total_while_others_vote_skip_and_undo(client):
    ann, *others = people = [make_annotator(name) for name in ("ann", "ben", "cem")]
    campaign = campaign_with_checks(*people, votes_per_pair=1)
    client.force_login(ann)
    rng = np.random.default_rng(0)
    next_pair(campaign, annotator=ann, rng=rng)
    said = [numbers_said(client, campaign, ann)]

    while said[-1][1]:
        for person in others:
            act_at_random(campaign, person, rng)
        if rng.random() < 0.3:
            answer(next_pair(campaign, annotator=ann, rng=rng))
        if next_pair(campaign, annotator=ann, rng=rng) is None:
            break
        said.append(numbers_said(client, campaign, ann))

    _, left, totals, positions = zip(*said, strict=True)
    assert (list(totals), list(positions)) == (sorted(totals), sorted(positions))
    assert [total - own + 1 for total, own in zip(totals, left, strict=True)] == list(positions)
    assert min(total - position for total, position in zip(totals, positions, strict=True)) >= 0
    assert campaign.progress_for(ann).gone > 0


def test_a_skip_takes_one_pair_off_where_every_pair_is_repeated():
    ann = make_annotator("ann")
    campaign = campaign_with_checks(ann, gold=0, repeat_share=1.0)
    rng = np.random.default_rng(0)
    left, is_ordinary_left = [campaign.progress_for(ann).left], True

    while is_ordinary_left:
        assignment = next_pair(campaign, annotator=ann, rng=rng)
        if rng.random() < 0.5:
            skip_pair(assignment, reason="other")
        else:
            answer(assignment)
        left.append(campaign.progress_for(ann).left)
        is_ordinary_left = campaign.free_pairs(ann).exists()

    while assignment := next_pair(campaign, annotator=ann, rng=rng):
        answer(assignment)
    assert left[:-1] == list(range(left[0], left[0] - len(left) + 1, -1))
    assert campaign.progress_for(ann).left == 0
    assert Assignment.objects.filter(purpose=Purpose.REPEAT).exists()


def test_a_limited_part_is_the_total_with_its_checks():
    ann = make_annotator("ann")
    campaign = campaign_with_checks(ann)
    campaign.participations.update(most_pairs=10)
    rng = np.random.default_rng(0)

    for number in range(10):
        own = campaign.progress_for(ann)
        assert (own.votes, own.left, own.total) == (number, 10 - number, 10)
        answer(next_pair(campaign, annotator=ann, rng=rng))

    [one] = parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign))
    checks = ann.assignments.exclude(purpose=Purpose.ORDINARY).count()
    assert checks > 0
    assert (one.person.votes, one.person.checks, one.part, one.standing) == (10 - checks, checks, 10, "finished")


def test_nobody_has_finished_before_the_last_check():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = campaign_with_checks(ann, ben, gold=1, repeat_share=0)
    set_check_shares(campaign, gold_share=0)
    while assignment := next_pair(campaign, annotator=ann):
        answer(assignment)
    assert finished_people(campaign) == {ann.pk}

    set_check_shares(campaign, gold_share=0.1)

    assert (campaign.progress_for(ann).left, finished_people(campaign)) == (1, set())
    answer(next_pair(campaign, annotator=ann))
    assert (campaign.progress_for(ann).left, finished_people(campaign)) == (0, {ann.pk})


def test_the_part_of_somebody_who_finished_is_what_they_gave():
    ann = make_annotator("ann")
    campaign = campaign_with_checks(ann)
    answer(next_pair(campaign, annotator=ann))
    while assignment := next_pair(campaign, annotator=ann):
        skip_pair(assignment, reason="other")

    [one] = parts_of_people(campaign, campaign_progress(campaign), annotator_progress(campaign))

    assert (one.person.answered, one.part, one.standing) == (1, 1, "finished")


@pytest.mark.parametrize(
    ("counts", "gold", "repeats"),
    [
        ({"free": 24, "unseen_gold": 9}, 2, 5),
        ({"free": 25, "unseen_gold": 9}, 3, 5),
        ({"free": 25, "unseen_gold": 1}, 1, 5),
        ({"free": 20, "skipped": 5, "unseen_gold": 9, "gold": 2}, 1, 5),
        ({"free": 7}, 0, 1),
        ({"free": 9, "voted": 3, "repeats": 3}, 0, 0),
    ],
)
def test_checks_left_are_the_share_of_the_ordinary_pairs_as_far_as_they_can_be_shown(counts, gold, repeats):
    own = OwnProgress(OwnCounts(**counts), gold_share=0.1, repeat_share=0.2)

    assert (own.gold_left, own.repeats_left) == (gold, repeats)
