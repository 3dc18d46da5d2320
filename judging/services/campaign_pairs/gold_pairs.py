"""Pairs that check annotators: gold pairs with a known answer, repeats, and their votes so far."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from evenhand.formats.recorded.known_pairs import MOST_KNOWN_PAIRS, KnownPair
from evenhand.options import Option, require_values
from evenhand.refusals import Refused, raise_if_any
from evenhand.units import counted
from judging.models import Assignment, Attribute, Campaign, CampaignPair, Candidate, Choice, PairAnswer, Purpose, Vote
from judging.models.activity_and_looks import Act
from judging.models.labelling.votes import answer_of_choice
from judging.services.activity import noted
from judging.services.campaign_pairs.known_candidates import AnsweredPair, PairKey, find_candidates

_DATASET_ORDER = ("one__context__position", "one__position", "other__position")
FEWEST_UNANIMOUS = 3
DEFAULT_GOLD_SHARE = 0.1
CHECK_SHARES = ("repeat_share", "gold_share", "training_pass_mark", "gold_pass_mark")
"""The columns of a campaign that `set_check_shares` changes."""
REPEAT_SHARE = Option(
    "0.1: for ten pairs, one of them comes again later, with swapped sides. It takes no vote from others.",
    "Repeats",
    low=0,
    high=1,
)
GOLD_SHARE = Option("0.1: for ten pairs, one gold pair comes, each at most once.", "Gold pairs", low=0, high=1)
PASS_MARK = Option(
    "0.8: people vote after eight of ten right training answers, else they do the training again. 0: no mark.",
    "Training pass mark",
    low=0,
    high=1,
)
GOLD_MARK = Option(
    "0.6: from five answers on, people with fewer right answers to gold pairs get no further pair. 0: no mark.",
    "Gold pass mark",
    low=0,
    high=1,
)
UNANIMOUS = Option("Draw so many gold pairs on which all people agree.", "Pairs", low=1, high=MOST_KNOWN_PAIRS)


@dataclass(frozen=True, slots=True)
class GoldPairVotes:
    """A gold pair on an attribute, by the keys of its candidates. answer: the key of the better one; empty for a tie.

    votes: votes so far, without excluded ones. right: those that are the known answer.
    """

    attribute: str
    context: str
    one: str
    other: str
    answer: str
    votes: int
    right: int


def list_gold_pairs(campaign: Campaign) -> list[GoldPairVotes]:
    """Return the gold pairs of a campaign in the order of the dataset."""
    votes, right = Counter[int](), Counter[int]()
    cast = Vote.objects.filter(purpose=Purpose.GOLD, assignment__campaign=campaign, excluded=False)
    columns = cast.values_list("assignment__pair", "choice", "assignment__swapped", "assignment__pair__gold_answer")
    for pair, choice, is_swapped, answer in columns:
        votes[pair] += 1
        right[pair] += answer_of_choice(choice, is_swapped=is_swapped) == answer
    gold = campaign.pairs.filter(purpose=Purpose.GOLD).order_by(*_DATASET_ORDER, "position")
    pairs = gold.select_related("attribute", "one__context", "other")
    return [_with_votes(pair, votes[pair.pk], right[pair.pk]) for pair in pairs]


def count_repeats(campaign: Campaign) -> int:
    """Return the number of votes on repeats."""
    return Vote.objects.filter(purpose=Purpose.REPEAT, assignment__campaign=campaign).count()


def _with_votes(pair: CampaignPair, votes: int, right: int) -> GoldPairVotes:
    preferred = {PairAnswer.ONE.value: pair.one.key, PairAnswer.OTHER.value: pair.compared_with.key}
    answer = preferred.get(pair.gold_answer, "")
    keys = (pair.attribute.name, pair.one.context.key, pair.one.key, pair.compared_with.key)
    return GoldPairVotes(*keys, answer, votes, right)


@noted(Act.CHANGE, what="gold pairs")
def add_gold_pairs(campaign: Campaign, pairs: Sequence[KnownPair]) -> int:
    """Add pairs with a known answer, and return their number. An equal gold pair is not added again.

    A pair that the campaign asks about already becomes a gold pair, unless somebody has seen it.
    Raises Refused with every problem, and then adds none.
    """
    return store_gold_pairs(campaign, find_candidates(campaign, pairs))


@transaction.atomic
def store_gold_pairs(campaign: Campaign, pairs: Sequence[AnsweredPair]) -> int:
    """Store pairs as gold pairs, and return the number of new ones. Raises Refused as `add_gold_pairs` does."""
    require_pairs(campaign)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    stored = {pair.keys: pair for pair in campaign.pairs.all()}
    shown = set(Assignment.objects.filter(campaign=campaign).values_list("pair", flat=True))
    new = [pair for pair in pairs if pair.keys not in stored or stored[pair.keys].gold_answer != pair.answer]
    _refuse_shown(new, stored, shown)
    _turn_into_gold([(stored[pair.keys], pair) for pair in new if pair.keys in stored])
    _create(campaign, _in_asked_order(campaign, [pair for pair in new if pair.keys not in stored]))
    if not campaign.pairs.asked().exists():
        raise Refused("gold pairs: no pair of the campaign is left that people are asked about")
    if new and not campaign.gold_share:
        set_check_shares(campaign, repeat_share=campaign.repeat_share, gold_share=DEFAULT_GOLD_SHARE)
    return len(new)


@noted(Act.CHANGE, what="gold pairs")
def add_unanimous_pairs(
    campaign: Campaign,
    *,
    unanimous: Annotated[int, UNANIMOUS],
    fewest_votes: Annotated[
        int, Option("People who voted on such a pair, all for the same candidate.", "Votes at least", low=2, high=1_000)
    ] = FEWEST_UNANIMOUS,
    seed: Annotated[int, Option("For drawing unanimous pairs.", "Seed", low=0, high=2**63 - 1)] = 0,
) -> int:
    """Draw gold pairs from the pairs on which all people agree, and return their number.

    A pair on which they agree on two attributes of the campaign is two pairs.
    Pairs that the campaign showed already are not drawn. Raises Refused if there are fewer pairs.
    """
    shown = Assignment.objects.filter(pair=OuterRef("pk"))
    seen = campaign.pairs.filter(Exists(shown)).values_list("one", "other", "attribute")
    used = {*seen, *campaign.pairs.filter(purpose=Purpose.GOLD).values_list("one", "other", "attribute")}
    agreed = [
        pair
        for attribute in campaign.attributes_in_order()
        for pair in unanimous_pairs(attribute, fewest_votes)
        if pair.keys not in used
    ]
    if len(agreed) < unanimous:
        raise Refused(
            f"unanimous: {unanimous} — only {counted(len(agreed), 'pair')} with {fewest_votes} votes or more, all for "
            "the same candidate, can be taken; ask for fewer"
        )
    chosen = np.random.default_rng(seed).permutation(len(agreed))[:unanimous]
    return store_gold_pairs(campaign, [agreed[index] for index in sorted(chosen.tolist())])


def unanimous_pairs(attribute: Attribute, fewest_votes: int) -> list[AnsweredPair]:
    """Return the pairs on which all votes in figures, from at least `fewest_votes` people, prefer one candidate."""
    votes_of: dict[frozenset[int], Counter[int | None]] = defaultdict(Counter)
    people_of: dict[frozenset[int], set[str]] = defaultdict(set)
    votes = Vote.objects.in_figures().filter(attribute=attribute).order_by("pk")
    for first, second, choice, rater in votes.values_list("first", "second", "choice", "rater"):
        pair = frozenset((first, second))
        votes_of[pair][{Choice.FIRST.value: first, Choice.SECOND.value: second}.get(choice)] += 1
        people_of[pair].add(rater)
    agreed = {
        pair: preferred
        for pair, counts in votes_of.items()
        for preferred in counts
        if preferred is not None and len(counts) == 1 and len(people_of[pair]) >= fewest_votes
    }
    return _with_rows(agreed, attribute)


def require_pairs(campaign: Campaign) -> None:
    """Raise Refused for a campaign of ratings, which has no gold pairs, repeats and training pairs."""
    if campaign.is_of_ratings:
        raise Refused(f'campaign "{campaign.name}" asks for ratings; gold pairs, repeats and training are for pairs')


@noted(Act.CHANGE, what="checks")
def set_check_shares(
    campaign: Campaign,
    *,
    repeat_share: Annotated[float | None, REPEAT_SHARE] = None,
    gold_share: Annotated[float | None, GOLD_SHARE] = None,
    training_pass_mark: Annotated[float | None, PASS_MARK] = None,
    gold_pass_mark: Annotated[float | None, GOLD_MARK] = None,
) -> None:
    """Change how often annotators get repeats and gold pairs, and the pass marks; None leaves one.

    Raises Refused beyond the limits, and for a pass mark without training pairs or gold pairs.
    """
    require_pairs(campaign)
    given = dict(zip(CHECK_SHARES, (repeat_share, gold_share, training_pass_mark, gold_pass_mark), strict=True))
    shares = {name: share for name, share in given.items() if share is not None}
    require_values(set_check_shares, **shares)
    if training_pass_mark and not campaign.training_pairs.exists():
        raise Refused("training_pass_mark: the campaign has no training pairs with a right answer; add them first")
    if gold_pass_mark and not campaign.pairs.filter(purpose=Purpose.GOLD).exists():
        raise Refused("gold_pass_mark: the campaign has no gold pairs; add them first")
    for name, share in shares.items():
        setattr(campaign, name, share)
    campaign.save(update_fields=list(given))


def _with_rows(agreed: dict[frozenset[int], int], attribute: Attribute) -> list[AnsweredPair]:
    candidates = Candidate.objects.in_bulk({key for pair in agreed for key in pair})
    pairs = []
    for keys, preferred in agreed.items():
        one, other = sorted((candidates[key] for key in keys), key=lambda candidate: candidate.position)
        answer = PairAnswer.ONE if preferred == one.pk else PairAnswer.OTHER
        pairs.append(AnsweredPair(one, other, answer, attribute))
    return pairs


def _refuse_shown(pairs: Sequence[AnsweredPair], stored: dict[PairKey, CampaignPair], shown: set[int]) -> None:
    problems = [
        f"{pair.one.key} against {pair.other.key}: somebody has seen this pair in the campaign — leave it out"
        for pair in pairs
        if pair.keys in stored and stored[pair.keys].pk in shown
    ]
    raise_if_any(problems)


def _turn_into_gold(pairs: Sequence[tuple[CampaignPair, AnsweredPair]]) -> None:
    for stored, pair in pairs:
        stored.purpose, stored.gold_answer, stored.places = Purpose.GOLD, pair.answer or "", 0
    CampaignPair.objects.bulk_update([stored for stored, _ in pairs], ["purpose", "gold_answer", "places"], 1000)


def _in_asked_order(campaign: Campaign, pairs: Sequence[AnsweredPair]) -> list[AnsweredPair]:
    """Put the pairs into the order of the campaign's attributes. Annotators get those of two texts in this order."""
    order = [attribute.pk for attribute in campaign.attributes_in_order()]
    return sorted(pairs, key=lambda pair: order.index(pair.attribute.pk))


def _create(campaign: Campaign, pairs: Sequence[AnsweredPair]) -> None:
    last = campaign.pairs.aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    CampaignPair.objects.bulk_create(
        [
            CampaignPair(
                campaign=campaign,
                attribute=pair.attribute,
                one=pair.one,
                other=pair.other,
                position=position,
                places=0,
                turn=position,
                purpose=Purpose.GOLD,
                gold_answer=pair.answer or "",
            )
            for position, pair in enumerate(pairs, start=start)
        ],
        batch_size=1000,
    )
