"""The pairs of a campaign on which people disagree."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from types import MappingProxyType
from typing import Annotated, Literal

from django.db.models import Q, QuerySet

from evenhand.options import Option, options_of
from evenhand.refusals import Refused, unknown_choice
from judging.models import Campaign, CampaignPair, PairAnswer, Vote
from judging.models.labelling.votes import answer_of_choice

KindOfDispute = Literal["opposed", "split"]
DisputeSort = Literal["disagreement", "dataset"]
_DATASET_ORDER = ("one__context__position", "one__position", "other__position", "position")
DISPUTE_SORTS: Mapping[DisputeSort, str] = MappingProxyType(
    {"disagreement": "most disputed", "dataset": "order of the dataset"}
)
"""name in addresses -> title."""


@dataclass(frozen=True, slots=True)
class PairVotes:
    """Numbers of votes in figures on a pair: for `one`, for `other`, and for a tie."""

    one: int
    other: int
    ties: int

    @property
    def total(self) -> int:
        return self.one + self.other + self.ties

    @property
    def is_disputed(self) -> bool:
        """True if two votes differ."""
        return max(self.one, self.other, self.ties) < self.total

    @property
    def disagreement(self) -> float:
        """Share of the couples of votes that differ. Needs two votes."""
        return 1 - sum(comb(number, 2) for number in (self.one, self.other, self.ties)) / comb(self.total, 2)


@dataclass(frozen=True, slots=True)
class DisputeKind:
    """A kind of disputed pairs. title: on pages. meaning: the rule in words."""

    title: str
    meaning: str
    chosen: Callable[[PairVotes], bool]


DISPUTE_KINDS: Mapping[KindOfDispute, DisputeKind] = MappingProxyType(
    {
        "opposed": DisputeKind(
            "both preferred", "Somebody prefers each of the two candidates.", lambda votes: votes.one * votes.other > 0
        ),
        "split": DisputeKind(
            "no majority",
            "No answer has more than half of the votes.",
            lambda votes: 2 * max(votes.one, votes.other, votes.ties) <= votes.total,
        ),
    }
)
"""name in addresses -> kind."""
_MEANINGS = {name: kind.meaning for name, kind in DISPUTE_KINDS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeChoice:
    """Disputed pairs of all chosen kinds, and their order."""

    kind: Annotated[
        tuple[KindOfDispute, ...], Option("Only pairs of all these kinds.", "Only pairs with", choices=_MEANINGS)
    ] = ()
    context: Annotated[str, Option("Identifier of a context.", longest=500)] = ""
    system: Annotated[str, Option("Only pairs with a text of this system.")] = ""
    rater: Annotated[str, Option("Only pairs on which this person voted.", "Person")] = ""
    attribute: Annotated[str, Option("Only pairs on this attribute.")] = ""
    sort: Annotated[DisputeSort, Option("Order of the pairs.", choices=DISPUTE_SORTS)] = "disagreement"


FILTERS = tuple(one for one in options_of(DisputeChoice) if one.name != "sort")


@dataclass(frozen=True, slots=True)
class Disputes:
    """The disputed pairs of a campaign, on the chosen attribute or all.

    chosen: ids of the chosen pairs, in the chosen order. disputed: number of all disputed pairs.
    compared: pairs with two votes or more. votes: id of each voted pair -> its votes.
    """

    chosen: list[int]
    disputed: int
    compared: int
    votes: Mapping[int, PairVotes]


def find_disputes(campaign: Campaign, choice: DisputeChoice) -> Disputes:
    """Return the disputed pairs of a campaign. Only its own votes that count in figures make a dispute.

    Raises Refused if the campaign does not ask about the chosen attribute.
    """
    known = list(campaign.own_questions())
    if choice.attribute and choice.attribute not in known:
        raise Refused(unknown_choice("attribute", choice.attribute, known))
    votes = _count_votes(campaign, choice.attribute)
    disputed = {pair: one for pair, one in votes.items() if one.is_disputed}
    ordered = _matching(campaign, choice).order_by(*_DATASET_ORDER).values_list("pk", flat=True)
    chosen = [pair for pair in ordered if pair in disputed and _is_of_kinds(disputed[pair], choice)]
    if choice.sort == "disagreement":
        chosen.sort(key=lambda pair: -disputed[pair].disagreement)
    return Disputes(chosen, len(disputed), sum(one.total > 1 for one in votes.values()), votes)


def _count_votes(campaign: Campaign, attribute: str) -> dict[int, PairVotes]:
    counts: dict[int, Counter[PairAnswer | None]] = defaultdict(Counter)
    votes = Vote.objects.in_figures().filter(assignment__campaign=campaign)
    if attribute:
        votes = votes.filter(attribute__name=attribute)
    for pair, choice, is_swapped in votes.values_list("assignment__pair", "choice", "assignment__swapped"):
        counts[pair][answer_of_choice(choice, is_swapped=is_swapped)] += 1
    answers = (PairAnswer.ONE, PairAnswer.OTHER, PairAnswer.TIE)
    return {pair: PairVotes(*(counted[answer] for answer in answers)) for pair, counted in counts.items()}


def _matching(campaign: Campaign, choice: DisputeChoice) -> QuerySet[CampaignPair]:
    pairs = campaign.pairs.asked()
    if choice.context:
        pairs = pairs.filter(one__context__key=choice.context)
    if choice.system:
        pairs = pairs.filter(Q(one__system=choice.system) | Q(other__system=choice.system))
    if choice.rater:
        voted = Vote.objects.in_figures().filter(assignment__campaign=campaign, rater=choice.rater)
        pairs = pairs.filter(pk__in=voted.values("assignment__pair"))
    return pairs


def _is_of_kinds(votes: PairVotes, choice: DisputeChoice) -> bool:
    return all(DISPUTE_KINDS[kind].chosen(votes) for kind in choice.kind)
