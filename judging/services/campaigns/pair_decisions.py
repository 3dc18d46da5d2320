"""Decisions on pairs of a campaign, such as disputed ones. They stand apart from votes, and no figure reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from evenhand.formats.recorded.known_pairs import KNOWN_ANSWERS, LONGEST_EXPLANATION, KnownPair
from evenhand.refusals import Refused
from judging.models import Campaign, CampaignPair, PairDecision, User
from judging.models.activity_and_looks import Act
from judging.models.labelling.votes import choice_of_answer
from judging.services.activity import noted
from judging.services.campaign_pairs.known_candidates import find_candidates

ADJUDICATED = "adjudicated"
"""The rater of decisions in files, which `import_votes` reads as votes of one person."""


@dataclass(frozen=True, slots=True)
class PairDecided:
    """A decision with the columns of a vote. first: the candidate that stands earlier in the dataset."""

    context: str
    attribute: str
    first: str
    second: str
    choice: str
    rater: str
    comment: str
    voted_at: datetime
    decided_by: str | None


DECISION_COLUMNS = PairDecided.__slots__[:-1]
"""The columns of a file that `import_votes` reads."""


@noted(Act.CHANGE, what="decisions")
def decide_pairs(campaign: Campaign, pairs: Sequence[KnownPair], *, decided_by: User | None) -> int:
    """Store the answers to pairs, with their explanations, and return their number. They replace earlier ones.

    A pair without an answer loses its decision. Raises Refused for unknown answers, and for pairs that the campaign
    does not ask about.
    """
    stored = {pair.keys: pair for pair in campaign.pairs.asked().exclude(other=None)}
    for named, found in zip(pairs, find_candidates(campaign, pairs), strict=True):
        names = f"{named.first} and {named.second} of {named.context}"
        if found.keys not in stored:
            raise Refused(f"pairs: {campaign.name} does not ask about {names}")
        if named.answer and found.answer is None:
            raise Refused(f'answer: "{named.answer}" on {names} — give {", ".join(KNOWN_ANSWERS)}, or none')
        if len(named.explanation) > LONGEST_EXPLANATION:
            raise Refused(f"explanation: of {names} — write at most {LONGEST_EXPLANATION:,} characters")
        pair = stored[found.keys]
        if found.answer is None:
            PairDecision.objects.filter(pair=pair).delete()
            continue
        values = {"answer": found.answer, "reason": found.explanation, "decided_by": decided_by}
        PairDecision.objects.update_or_create(pair=pair, defaults=values | {"decided_at": timezone.now()})
    return len(pairs)


def decisions_of(campaign: Campaign) -> list[PairDecided]:
    """Return the decisions on pairs of a campaign, in the order in which people are asked."""
    related = ("pair__one__context", "pair__other", "pair__attribute", "decided_by")
    decisions = PairDecision.objects.filter(pair__campaign=campaign).select_related(*related)
    return [_decided(one, one.pair) for one in decisions.order_by("pair__position")]


def _decided(one: PairDecision, pair: CampaignPair) -> PairDecided:
    names = (pair.one.context.key, pair.attribute.name, pair.one.key, pair.compared_with.key)
    who = one.decided_by.get_username() if one.decided_by else None
    return PairDecided(
        *names, choice_of_answer(one.answer, is_swapped=False), ADJUDICATED, one.reason, one.decided_at, who
    )
