"""The effort of a campaign before it exists, its pairs, votes and hours; and the power of its checks at its size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Self

from evenhand.numerics.reliability.rater_flags import CheckPower, check_power
from evenhand.refusals import raise_if_any
from evenhand.units import counted, format_duration
from judging.models import CHECK_PURPOSES, Assignment, Attribute, Campaign, CampaignKind, Dataset, Purpose, Vote
from judging.models.labelling.own_progress import OwnCounts, OwnProgress
from judging.services.campaign_pairs.campaign_draw import count_texts, load_doubts
from judging.services.campaign_pairs.campaign_selection import (
    TEXTS,
    UNSURE,
    CampaignSelection,
    choice_problems,
    rule_for,
)
from judging.services.campaign_pairs.gold_pairs import (
    CHECK_SHARES,
    DEFAULT_GOLD_SHARE,
    GoldPairVotes,
    count_repeats,
    list_gold_pairs,
)
from judging.services.campaign_pairs.pair_drawing import draw_pairs, plan_pairs
from judging.services.campaign_pairs.training import TrainingResult, training_results
from judging.services.campaigns.progress.campaign_progress import QUICK_SECONDS, campaign_progress

CHECK_NAMES = {
    "gold": "gold pairs",
    "inconsistent": "repeats",
    "no-agreement": "agreement with others",
    "quick": "time",
}
"""Flag of a check -> what raises it."""


@dataclass(frozen=True, slots=True)
class CampaignChecks:
    """The checks of a campaign. repeat_share, gold_share: for each ordinary pair. repeats: votes so far.

    training_pass_mark, gold_pass_mark: shares of right answers that voting needs; 0: none. powers: what the checks can
    find.
    """

    repeat_share: float
    gold_share: float
    training_pass_mark: float
    gold_pass_mark: float
    repeats: int
    gold_pairs: Sequence[GoldPairVotes]
    training_pairs: Sequence[TrainingResult]
    powers: Sequence[CheckPower]

    @classmethod
    def of(cls, campaign: Campaign) -> Self:
        shares = {name: getattr(campaign, name) for name in CHECK_SHARES}
        gold, training = list_gold_pairs(campaign), training_results(campaign)
        repeats, powers = count_repeats(campaign), check_powers(campaign)
        return cls(**shares, repeats=repeats, gold_pairs=gold, training_pairs=training, powers=powers)


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


USUAL_SECONDS = 90.0
"""Seconds for a vote, where the dataset has too few timed votes, or only quick ones."""
FEWEST_TIMED_VOTES = 30
"""The time of fewer votes gives no plan: they are often tries."""
MOST_TIMED_VOTES = 10_000
NUMBERS_OF_PAIRS = ("pairs_per_context", "contexts", "pair_limit")
EFFORT_FIELDS = (
    *("kind", "attributes", "votes_per_pair", "selection", "runs", "random_share", "annotators"),
    *NUMBERS_OF_PAIRS,
)
"""The settings on which the effort depends."""


@dataclass(frozen=True, slots=True)
class UsualTime:
    """Seconds for a vote, to two significant digits or whole seconds. basis: a sentence on where they come from."""

    seconds: float
    basis: str = ""


@dataclass(frozen=True, slots=True)
class LabellingEffort:
    """Pairs, votes and time of a planned campaign. noun, answer: "pair" and "vote", or "text" and "rating".

    people: 0 while nobody is chosen. time: of a vote.
    """

    pairs: int
    attributes: int
    votes_per_pair: int
    people: int
    time: UsualTime
    noun: str = "pair"
    answer: str = "vote"

    @property
    def votes(self) -> int:
        return self.pairs * self.attributes * self.votes_per_pair

    @property
    def votes_each(self) -> int | None:
        """Return one person's share, at most one vote on each pair and attribute; None while nobody is chosen."""
        return min(round(self.votes / self.people), self.pairs * self.attributes) if self.people else None

    @property
    def checks(self) -> str:
        """Return what the checks will be able to find, with the usual shares of gold pairs and repeats."""
        share = self.votes_each or self.pairs * self.attributes
        counts = OwnCounts(free=share, unseen_gold=share)
        own = OwnProgress(counts, DEFAULT_GOLD_SHARE, DEFAULT_GOLD_SHARE, self.attributes)
        return powers_in_words(powers_at(own, votes_per_pair=self.votes_per_pair))

    @property
    def is_short_of_people(self) -> bool:
        """Return True if people are chosen, but too few to give each pair its votes."""
        return 0 < self.people < self.votes_per_pair

    def __str__(self) -> str:
        factors = [counted(self.pairs, self.noun), counted(self.votes_per_pair, self.answer)]
        if self.attributes > 1:
            factors.insert(1, counted(self.attributes, "attribute"))
        people = "1 person" if self.people == 1 else f"{self.people:,} people"
        share = "" if self.votes_each is None else f"about {self.votes_each:,} each for {people}; "
        time = format_duration((self.votes if self.votes_each is None else self.votes_each) * self.time.seconds)
        total, pace = counted(self.votes, self.answer), f"{self.time.seconds:g} s a {self.answer}"
        return f"{' × '.join(factors)} = {total}; {share}{time} at {pace}"


def labelling_effort(dataset: Dataset, settings: Mapping[str, Any]) -> LabellingEffort:
    """Return the effort of a campaign with these settings, by the names of `create_campaign`.

    Raises Refused with the problems of the choice of pairs.
    """
    campaign = Campaign(kind=settings.get("kind", CampaignKind.PAIRS))
    choice = CampaignSelection(
        rule=rule_for(settings["selection"], is_of_ratings=campaign.is_of_ratings),
        random_share=settings.get("random_share") or 0.0,
        runs=tuple(settings.get("runs") or ()),
        **{name: settings.get(name) for name in NUMBERS_OF_PAIRS},
    )
    attributes = settings["attributes"]
    pairs, people = _count_pairs(dataset, attributes, choice), len(settings.get("annotators") or ())
    return LabellingEffort(
        *(pairs, len(attributes), settings["votes_per_pair"], people, usual_time(dataset, campaign)),
        noun=campaign.shown_noun,
        answer=campaign.answer_noun,
    )


def _count_pairs(dataset: Dataset, attributes: Sequence[Attribute], choice: CampaignSelection) -> int:
    raise_if_any(choice_problems(choice, attributes))
    contexts = list(dataset.candidates_by_context(limit=choice.contexts).values())
    if choice.rule == TEXTS:
        return count_texts(contexts, choice)
    if choice.rule != UNSURE:
        return plan_pairs(contexts, choice)
    return len(draw_pairs(contexts, choice=choice, seed=0, doubts=load_doubts(choice.runs)))


def usual_time(dataset: Dataset, campaign: Campaign) -> UsualTime:
    """Return the median time of a dataset's latest votes, or of its ratings for a campaign of ratings.

    A median of few votes, or one of quick votes, is no plan: then USUAL_SECONDS are assumed.
    """
    times, noun = _latest_times(dataset, campaign), campaign.answer_noun
    assumed = f"{USUAL_SECONDS:g} s are assumed"
    if not times:
        return UsualTime(USUAL_SECONDS, f"No {noun} on this dataset has a time: {assumed}.")
    if len(times) < FEWEST_TIMED_VOTES:
        has = "has" if len(times) == 1 else "have"
        return UsualTime(USUAL_SECONDS, f"Only {counted(len(times), noun)} on this dataset {has} a time: {assumed}.")
    seconds = median(times)
    if seconds < QUICK_SECONDS:
        quick = f"The median of {counted(len(times), noun)} on this dataset is under {QUICK_SECONDS} s"
        return UsualTime(USUAL_SECONDS, f"{quick}: {assumed}.")
    shown = round(seconds) if seconds >= 10 else round(seconds, 1)
    return UsualTime(shown, f"Time: median of {counted(len(times), noun)} on this dataset.")


def _latest_times(dataset: Dataset, campaign: Campaign) -> list[float]:
    """Return the times of the latest votes or ratings, in seconds. Votes that check annotators are left out."""
    if campaign.is_of_ratings:
        rated = Assignment.objects.filter(visible_milliseconds__gt=0, rating__attribute__dataset=dataset)
        times = rated.order_by("-pk").values_list("visible_milliseconds", flat=True)[:MOST_TIMED_VOTES]
        return [time / 1000 for time in times]
    timed = Vote.objects.filter(seconds__gt=0, attribute__dataset=dataset).exclude(purpose__in=CHECK_PURPOSES)
    latest = timed.order_by("-pk").values_list("seconds", flat=True)[:MOST_TIMED_VOTES]
    return [one for one in latest if one is not None]
