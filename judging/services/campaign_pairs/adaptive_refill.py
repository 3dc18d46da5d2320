"""The next pairs of an adaptive campaign, chosen from its votes so far.

Each context's next pairs are the most informative ones for the Bradley-Terry fit of the votes so far, as in adaptive
runs. A batch is added to the queue when few pairs wait for an annotator.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
from django.db import transaction
from django.db.models import Max

from evenhand.numerics import Comparisons
from evenhand.numerics.selection.adaptive_selection import select_next_pairs
from evenhand.numerics.selection.pair_selection import OrderedPairs
from judging.models import Campaign, Participation, Purpose, User, Vote
from judging.models.comparisons import P_FIRST_OF_CHOICE
from judging.services.campaign_pairs.asked_pairs import on_all_attributes, store_pairs
from judging.services.campaign_pairs.pair_drawing import DrawnPair

FEWEST_WAITING = 2
"""A batch is added when fewer pairs than this wait for an annotator on each attribute."""
CONTEXTS_OF_A_BATCH = 50
"""Contexts of one batch, those with the fewest pairs first."""
SHARE_OF_CANDIDATES = 4
"""A context gets one pair in a batch for this number of candidates, and at least one."""


@dataclass(slots=True)
class ContextVotes:
    """The pairs of a context so far, with positions of candidates in place of their ids.

    pairs: lower position first; held-out, gold and training pairs included.
    learned: pairs whose votes the choice reads.
    votes: first, second, p_first of each vote on these pairs.
    """

    candidates: list[int]
    pairs: list[tuple[int, int]] = field(default_factory=list)
    learned: list[tuple[int, int]] = field(default_factory=list)
    votes: list[tuple[int, int, float]] = field(default_factory=list)

    @property
    def pairs_left(self) -> int:
        n = len(self.candidates)
        return n * (n - 1) // 2 - len(self.pairs)


def refill_if_needed(campaign: Campaign, annotator: User) -> None:
    """Add the next batch of an adaptive campaign if few pairs wait for this annotator."""
    if campaign.pairs_planned is None or _has_enough(campaign, annotator):
        return
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if not _has_enough(locked, annotator):
            _add_batch(locked)


def _has_enough(campaign: Campaign, annotator: User) -> bool:
    """Return True if enough pairs wait for the annotator, or no pair is left to choose."""
    fewest = FEWEST_WAITING * len(campaign.asked_attributes.all())
    waiting = campaign.free_pairs(annotator).values_list("pk", flat=True)[:fewest]
    return len(waiting) >= fewest or not campaign.pairs_to_choose()


def _add_batch(campaign: Campaign) -> None:
    seed = (campaign.seed, campaign.pairs.count())
    attributes = campaign.attributes_in_order()
    most = campaign.pairs_to_choose() // len(attributes)
    pairs = choose_batch(load_contexts(campaign), most=most, seed=seed)
    if not pairs:  # a training pair took the last one
        Campaign.objects.filter(pk=campaign.pk).update(pairs_planned=campaign.pairs.asked().count())
    last = campaign.pairs.aggregate(last=Max("position"))["last"] or 0
    front = Participation.objects.filter(campaign=campaign).aggregate(turn=Max("turn"))["turn"] or 0
    asked = on_all_attributes([DrawnPair(*pair) for pair in pairs], attributes)
    store_pairs(campaign, asked, start=last + 1, turn=front)


def load_contexts(campaign: Campaign) -> list[ContextVotes]:
    """Return the contexts of a campaign with their pairs and votes so far. Votes on held-out pairs are left out.

    The votes of a context are those on one attribute. The attributes take turns with each pair of the context.
    """
    by_context = campaign.dataset.candidates_by_context(limit=campaign.pair_choice.get("contexts"))
    contexts = [ContextVotes(list(candidates)) for candidates in by_context.values()]
    place_of = {
        candidate: (number, position)
        for number, context in enumerate(contexts)
        for position, candidate in enumerate(context.candidates)
    }
    trained = [(*pair, "training") for pair in campaign.training_pairs.values_list("one", "other")]
    stored = campaign.pairs.order_by("position").values_list("one", "other", "purpose")
    purposes: dict[tuple[int, int], set[str]] = defaultdict(set)
    for one, other, purpose in (*stored, *trained):
        purposes[one, other].add(purpose)
    for (one, other), on_attributes in purposes.items():
        number, pair = place_of[one][0], (place_of[one][1], place_of[other][1])
        contexts[number].pairs.append(pair)
        if Purpose.ORDINARY in on_attributes:
            contexts[number].learned.append(pair)
    votes = Vote.objects.in_figures().filter(assignment__campaign=campaign, purpose=Purpose.ORDINARY).order_by("pk")
    attributes = [attribute.pk for attribute in campaign.attributes_in_order()]
    for first, second, choice, attribute in votes.values_list("first", "second", "choice", "attribute"):
        number, position = place_of[first]
        context = contexts[number]
        if attribute == attributes[len(context.learned) % len(attributes)]:
            context.votes.append((position, place_of[second][1], P_FIRST_OF_CHOICE[choice]))
    return contexts


def choose_batch(contexts: list[ContextVotes], *, most: int, seed: tuple[int, int]) -> list[tuple[int, int]]:
    """Choose the next pairs of the contexts with the fewest pairs, at most `most`. Returns ids of candidates.

    The same votes and seed give the same pairs.
    """
    rng = np.random.default_rng(seed)
    possible = [context for context in contexts if context.pairs_left]
    chosen: list[tuple[int, int]] = []
    for context in sorted(possible, key=lambda one: len(one.learned))[:CONTEXTS_OF_A_BATCH]:
        wanted = max(1, len(context.candidates) // SHARE_OF_CANDIDATES)
        number = min(wanted, context.pairs_left, most - len(chosen))
        if number < 1:
            break
        chosen += _next_pairs(context, number, rng)
    return chosen


def _next_pairs(context: ContextVotes, number: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return the most informative pairs that the context has not. Pairs without a vote yet count as a tie."""
    n = len(context.candidates)
    second, first = np.triu_indices(n, 1)  # the swapped orders, which nobody is asked
    stored = np.array(context.pairs, dtype=np.intp).reshape(-1, 2)
    asked = OrderedPairs(np.concatenate([first, stored[:, 0]]), np.concatenate([second, stored[:, 1]]))
    voted = Counter((min(vote[:2]), max(vote[:2])) for vote in context.votes)
    waiting = [(*pair, 0.5) for pair in context.learned if pair not in voted]
    columns = np.array([*context.votes, *waiting], dtype=np.float64).reshape(-1, 3)
    answered = Comparisons(n, columns[:, 0].astype(np.intp), columns[:, 1].astype(np.intp), columns[:, 2])
    pairs = select_next_pairs(asked, answered, number, rng)
    places = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return [(context.candidates[one], context.candidates[other]) for one, other in places]
