"""Adaptive campaigns: the next pairs are chosen from the votes so far, with simulated people."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from django.urls import reverse

from evenhand.numerics import Comparisons
from evenhand.numerics.rankings.bradley_terry import bradley_terry
from evenhand.refusals import Refused
from judging.models import CampaignPair, Purpose, TrainingPair, User
from judging.services.campaign_pairs.adaptive_refill import ContextVotes, choose_batch, load_contexts
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import campaign_progress
from tests.campaigns import answer, make_annotator, make_campaign, make_ready_campaign, wrong_places
from tests.factories import make_dataset, make_user

PEOPLE_AT_ONCE = 2


def simulated_votes(rng, strengths, pair):
    """Two people vote on a pair; the chance of each candidate is that of its strength."""
    chance = 1 / (1 + np.exp(strengths[pair[1]] - strengths[pair[0]]))
    return [(*pair, float(rng.random() < chance)) for _ in range(PEOPLE_AT_ONCE)]


def ranking_error(seed, *, is_adaptive, candidates=12, budget=30):
    """Return 1 - the rank correlation of the scores from simulated votes with the true strengths."""
    rng = np.random.default_rng(seed)
    strengths, order = rng.normal(0, 2, candidates), rng.permutation(candidates).tolist()
    chain = [(min(pair), max(pair)) for pair in pairwise(order)]
    others = [(i, j) for i in range(candidates) for j in range(i + 1, candidates) if (i, j) not in chain]
    random = [others[index] for index in rng.permutation(len(others)).tolist()]
    context, batch = ContextVotes(list(range(candidates))), chain
    while batch:
        context.pairs += batch
        context.learned += batch
        context.votes += [vote for pair in batch for vote in simulated_votes(rng, strengths, pair)]
        left = budget - len(context.pairs)
        chosen = choose_batch([context], most=left, seed=(seed, len(context.pairs))) if is_adaptive else random[:left]
        batch = [(min(pair), max(pair)) for pair in chosen]
        random = random[left:]
    first, second, p_first = np.array(context.votes).T
    scores = bradley_terry(Comparisons(candidates, first.astype(int), second.astype(int), p_first)).values
    ranks = [np.argsort(np.argsort(values)) for values in (scores, strengths)]
    return 1 - np.corrcoef(*ranks)[0, 1]


def test_pairs_chosen_from_votes_rank_better_than_random_pairs_with_as_many_votes():
    adaptive = np.array([ranking_error(seed, is_adaptive=True) for seed in range(8)])
    random = np.array([ranking_error(seed, is_adaptive=False) for seed in range(8)])

    gain = random - adaptive
    assert gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(len(gain))
    assert adaptive.mean() < 0.8 * random.mean()


def test_a_batch_asks_no_pair_twice_and_is_the_same_for_the_same_votes():
    context = ContextVotes([7, 8, 9, 10], pairs=[(0, 1), (1, 2), (2, 3)], learned=[(0, 1), (1, 2), (2, 3)])
    context.votes = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]

    chosen = choose_batch([context], most=10, seed=(3, 3))

    assert choose_batch([context], most=10, seed=(3, 3)) == chosen
    assert {frozenset(pair) for pair in chosen} <= {frozenset(pair) for pair in ((7, 9), (7, 10), (8, 10))}


def test_contexts_with_the_fewest_pairs_get_the_next_ones():
    full = ContextVotes([1, 2, 3], pairs=[(0, 1), (1, 2)], learned=[(0, 1), (1, 2)])
    new = ContextVotes([4, 5, 6], pairs=[(0, 1)], learned=[(0, 1)])

    [pair] = choose_batch([full, new], most=1, seed=(0, 0))

    assert set(pair) <= {4, 5, 6}


def adaptive_campaign(*people: User, candidates=(6, 6), **fields):
    """Default: two contexts of six candidates, eight pairs each, a quarter of them at random."""
    settings = {"selection": "adaptive", "pairs_per_context": 8, "random_share": 0.25, "votes_per_pair": 2}
    return make_ready_campaign(*people, **{"dataset": make_dataset(candidates=candidates)} | settings | fields)


def vote_to_the_end(campaign, *people):
    """All people vote in turns until none of them gets a pair; the earlier candidate wins four times of five."""
    rng, waiting = np.random.default_rng(1), list(people)
    while waiting:
        for person in list(waiting):
            assignment = next_pair(campaign, annotator=person, rng=rng)
            if assignment is None:
                waiting.remove(person)
            else:
                answer(assignment, "first" if assignment.swapped == (rng.random() < 0.2) else "second")


@pytest.mark.django_db
def test_campaign_ends_with_the_planned_pairs_and_learns_from_the_votes_of_those_not_held_out():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = adaptive_campaign(ann, ben)
    at_first = campaign.pairs.count()

    vote_to_the_end(campaign, ann, ben)

    pairs = list(campaign.pairs.values_list("one", "other"))
    progress, contexts = campaign_progress(campaign), load_contexts(campaign)
    assert at_first < len(pairs) == len(set(pairs)) == campaign.pairs_planned == 16
    assert campaign.pairs.filter(purpose=Purpose.HELD_OUT).count() == 4
    assert (progress.done, progress.planned, progress.complete) == (32, 32, 16)
    assert wrong_places(campaign) == []
    assert sum(len(one.votes) for one in contexts) == 2 * (16 - 4)
    assert sum(len(one.pairs) - len(one.learned) for one in contexts) == 4


@pytest.mark.django_db
def test_new_pairs_come_only_when_few_wait():
    ann = make_annotator("ann")
    campaign = adaptive_campaign(ann)
    at_first = campaign.pairs.count()

    for _ in range(at_first - 2):
        answer(next_pair(campaign, annotator=ann))
        assert campaign.pairs.count() == at_first
    answer(next_pair(campaign, annotator=ann))
    next_pair(campaign, annotator=ann)

    assert campaign.pairs.count() > at_first
    assert campaign_progress(campaign).planned == 32


@pytest.mark.django_db
def test_training_pairs_are_never_chosen():
    ann = make_annotator("ann")
    campaign = adaptive_campaign(ann, candidates=(4,), pairs_per_context=6, random_share=0)
    stored = set(campaign.pairs.values_list("one", "other"))
    one, other = next(
        pair for pair in combinations(campaign.dataset.candidates_by_context()[0], 2) if pair not in stored
    )
    attribute = campaign.attributes.get()
    TrainingPair.objects.create(
        campaign=campaign, attribute=attribute, one_id=one, other_id=other, answer="one", position=0
    )

    for _ in range(5):
        answer(next_pair(campaign, annotator=ann))

    assert next_pair(campaign, annotator=ann) is None
    campaign.refresh_from_db()
    assert campaign.pairs_planned == 5
    assert not CampaignPair.objects.filter(campaign=campaign, one=one, other=other).exists()


@pytest.mark.django_db
def test_adaptive_campaign_needs_a_number_of_pairs():
    with pytest.raises(Refused, match="the selection adaptive needs a number"):
        make_campaign(make_dataset(), selection="adaptive")


@pytest.mark.django_db
def test_page_and_api_make_adaptive_campaigns(client):
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    dataset = make_dataset(candidates=(6,), owner=rita)
    body = {"name": "A", "dataset": dataset.name, "attributes": ["coherence"], "selection": "adaptive"}

    refused = client.post(reverse("api-campaign-list"), body, content_type="application/json")
    made = client.post(reverse("api-campaign-list"), body | {"pairs_per_context": 9}, content_type="application/json")

    assert "adaptive needs a number" in refused.content.decode()
    assert (made.json()["pairs"], made.json()["votes_planned"]) == (5, 27)
    assert "Chosen from the votes so far" in read(client, reverse("campaign-new"), dataset=dataset.pk)
    assert "Chosen from the votes so far" in read(client, reverse("campaign", args=[made.json()["id"]]))
    assert reverse("campaign", args=[made.json()["id"]]) in read(client, reverse("campaign-list"))


def read(client, address, **query):
    return client.get(address, query).content.decode()
