"""The gold pairs and repeats of a campaign, with their votes so far."""

from collections import Counter
from dataclasses import dataclass

from judging.models import Campaign, CampaignPair, PairAnswer, Purpose, Vote
from judging.models.labelling.votes import answer_of_choice

_DATASET_ORDER = ("one__context__position", "one__position", "other__position")


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
