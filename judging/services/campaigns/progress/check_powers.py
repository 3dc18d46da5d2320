"""The power of the checks of a campaign to find careless people, at its size."""

from collections.abc import Sequence

from evenhand.numerics.reliability.rater_flags import CheckPower, check_power
from judging.models import Campaign, Purpose
from judging.models.labelling.own_progress import OwnCounts, OwnProgress
from judging.services.campaigns.progress.campaign_progress import campaign_progress

CHECK_NAMES = {
    "gold": "gold pairs",
    "inconsistent": "repeats",
    "no-agreement": "agreement with others",
    "quick": "time",
}
"""Flag of a check -> what raises it."""


def check_powers(campaign: Campaign) -> list[CheckPower]:
    """Return what the checks can find about somebody with an equal share of the votes, on each attribute.

    The limit of a person or of an open link is the share where it is smaller.
    """
    progress, people = campaign_progress(campaign), campaign.participations.count()
    shares = [progress.pairs, *([-(-progress.planned // people)] if people else [])]
    for limited in (campaign.participations.all(), campaign.invitations.open()):
        limits = limited.values_list("most_pairs", flat=True)
        shares += [round(limit / (1 + campaign.gold_share + campaign.repeat_share)) for limit in limits if limit]
    gold = campaign.pairs.filter(purpose=Purpose.GOLD).count() if campaign.gold_share else 0
    own = campaign.progress_of(OwnCounts(free=min(shares), unseen_gold=gold))
    return powers_at(own, votes_per_pair=campaign.votes_per_pair)


def powers_at(own: OwnProgress, *, votes_per_pair: int) -> list[CheckPower]:
    """Return what the checks can find on each attribute. own: the pairs of somebody who has not begun."""
    ordinary = own.counts.free
    numbers = {
        "gold": own.gold_left,
        "inconsistent": own.repeats_left,
        "no-agreement": ordinary if votes_per_pair > 1 else 0,
        "quick": ordinary,
    }
    return [check_power(flag, number // own.attributes) for flag, number in numbers.items()]


def powers_in_words(powers: Sequence[CheckPower]) -> str:
    """Return a sentence: how many of a hundred people who guess each check flags."""
    gold, repeats, others = (f"{100 * one.power:.0f}" for one in powers[:3])
    return f"Of 100 people who guess, gold pairs flag {gold}, repeats {repeats} and agreement with others {others}."
