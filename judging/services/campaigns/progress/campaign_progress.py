"""Progress of a campaign, its annotators and its days. Checks are left out, except where a count names them."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import date, datetime
from itertools import accumulate
from math import comb
from statistics import median

import numpy as np
from django.db.models import Count, Max, OuterRef, Q
from django.db.models.functions import TruncDate

from evenhand.numerics import Figure
from evenhand.numerics.intervals import share_figure
from evenhand.report_json import Unwritten, Written
from judging.models import CHECK_PURPOSES, Assignment, Attribute, Campaign, Choice, SkipReason, Undecided, User, Vote
from judging.models.labelling.assignments import AssignmentQuerySet
from judging.models.row_counts import count_rows


@dataclass(frozen=True, slots=True)
class LabellingDay:
    """Votes of one day, in UTC. people: annotators who voted. total: all votes up to the end of the day."""

    day: date
    votes: int
    people: int
    total: int


@dataclass(frozen=True, slots=True)
class SkipCount:
    """Skipped pairs with one reason. text: the reason in the words that annotators read."""

    reason: str
    text: str
    skips: int


def labelled_by_people(campaign: Campaign) -> AssignmentQuerySet:
    """Return the pairs that were voted on, or the texts that were rated, without excluded answers and checks."""
    return Assignment.objects.counting().filter(campaign=campaign)


def labelling_days(campaign: Campaign) -> list[LabellingDay]:
    """Return the days with votes or ratings, the earliest first. A changed one stays on the day of the first answer."""
    by_day = labelled_by_people(campaign).annotate(day=TruncDate("answered_at")).order_by("day").values_list("day")
    counts = list(by_day.annotate(votes=Count("pk"), people=Count("annotator", distinct=True)))
    totals = accumulate(number for _, number, _ in counts)
    return [
        LabellingDay(day, votes=number, people=people, total=total)
        for (day, number, people), total in zip(counts, totals, strict=True)
    ]


def skip_counts(campaign: Campaign) -> list[SkipCount]:
    """Count the skipped pairs by reason, the most frequent first. Reasons that nobody gave are left out."""
    skipped = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.SKIPPED)
    by_reason = skipped.exclude(purpose__in=CHECK_PURPOSES).order_by().values_list("skip_reason")
    counts = by_reason.annotate(number=Count("pk")).order_by("-number", "skip_reason")
    return [SkipCount(reason, text=SkipReason(reason).label, skips=number) for reason, number in counts]


QUICK_SECONDS = 2
_IS_ORDINARY = ~Q(assignments__purpose__in=CHECK_PURPOSES)


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """Progress of a campaign. complete: pairs with all their votes. done, planned: votes. skips: skipped pairs.

    Excluded votes are left out. A restored vote may be one more than its pair needs.

    both_bad, cannot_judge: votes of these kinds, which are in `done`, and excluded from figures.
    """

    pairs: int
    complete: int
    done: int
    planned: int
    skips: int
    both_bad: int
    cannot_judge: int


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """Progress of one annotator, without excluded votes.

    checks: votes on gold pairs and repeats, which no other number but impossible_times includes.
    quick: votes within two seconds. median_seconds: None if no time is known.
    impossible_times: pairs on which the browser reported more time than passed. Their time is cut to what passed.
    """

    annotator: Unwritten[User]
    takes_part: bool
    votes: int
    checks: int
    skips: int
    quick: int
    median_seconds: float | None
    impossible_times: int
    last_vote: datetime | None

    @property
    def answered(self) -> Unwritten[int]:
        """Votes and checks."""
        return self.votes + self.checks

    @property
    def rater(self) -> Written[str]:
        """The pseudonym of the votes."""
        return self.annotator.rater_name


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """Agreement between votes of different people on the same pair.

    Two votes agree if they choose the same candidate, or are both ties.
    agreeing, compared: pairs of votes. pairs: pairs of candidates with at least two votes.
    disputed: those of them with two different votes.
    low, high: 95 % interval of the percent agreement over contexts; None with a single context.
    """

    agreeing: int
    compared: int
    pairs: int
    disputed: int
    low: float | None = None
    high: float | None = None

    @property
    def percent(self) -> Written[float | None]:
        """Percent agreement; None if no pair has two votes."""
        return 100 * self.agreeing / self.compared if self.compared else None

    @property
    def width(self) -> Written[float | None]:
        """Width of the interval of the agreement as a share from 0 to 1; None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 100


def campaign_progress(campaign: Campaign) -> CampaignProgress:
    own = Assignment.objects.filter(campaign=campaign)
    skipped = own.filter(status=Assignment.Status.SKIPPED).exclude(purpose__in=CHECK_PURPOSES)
    voted = count_rows(labelled_by_people(campaign).filter(pair=OuterRef("pk")), by="pair")
    pairs = max(campaign.pairs.asked().count(), campaign.pairs_planned or 0)
    votes = Vote.objects.filter(assignment__campaign=campaign, choice__in=Undecided.values, excluded=False)
    undecided = Counter(votes.exclude(purpose__in=CHECK_PURPOSES).values_list("choice", flat=True))
    return CampaignProgress(
        pairs=pairs,
        complete=campaign.pairs.asked().annotate(voted=voted).filter(voted__gte=campaign.votes_per_pair).count(),
        done=labelled_by_people(campaign).count(),
        planned=pairs * campaign.votes_per_pair,
        skips=skipped.count(),
        both_bad=undecided[Undecided.BOTH_BAD],
        cannot_judge=undecided[Undecided.CANNOT_JUDGE],
    )


def annotator_progress(campaign: Campaign) -> list[AnnotatorProgress]:
    """Return everybody who takes part or has answered, by pseudonym: the order gives no name away."""
    answered = Q(assignments__campaign=campaign) & _IS_ORDINARY
    voted = answered & Q(assignments__status=Assignment.Status.VOTED, assignments__has_place=True)
    checked = Q(assignments__campaign=campaign, assignments__vote__excluded=False) & ~_IS_ORDINARY
    impossible = Q(assignments__campaign=campaign, assignments__has_impossible_time=True)
    people = (
        User.objects.filter(Q(participations__campaign=campaign) | answered)
        .annotate(
            takes_part=Count("participations", filter=Q(participations__campaign=campaign)),
            votes_given=Count("assignments", filter=voted, distinct=True),
            checks_given=Count("assignments", filter=checked, distinct=True),
            skips=Count("assignments", filter=answered & Q(assignments__status="skipped"), distinct=True),
            impossible_times=Count("assignments", filter=impossible, distinct=True),
            last_vote=Max("assignments__answered_at", filter=voted),
        )
        .order_by("rater_code")
    )
    times = _times_on_task(campaign)
    return [
        AnnotatorProgress(
            annotator=person,
            takes_part=bool(person.takes_part),
            votes=person.votes_given,
            checks=person.checks_given,
            skips=person.skips,
            quick=sum(time < QUICK_SECONDS for time in times[person.pk]),
            median_seconds=median(times[person.pk]) if times[person.pk] else None,
            impossible_times=person.impossible_times,
            last_vote=person.last_vote,
        )
        for person in people
    ]


def _times_on_task(campaign: Campaign) -> dict[int, list[float]]:
    """Return the known times of each annotator's votes or ratings, in seconds."""
    times: dict[int, list[float]] = defaultdict(list)
    timed = labelled_by_people(campaign).filter(visible_milliseconds__gt=0)
    for annotator, milliseconds in timed.values_list("annotator", "visible_milliseconds"):
        times[annotator].append(milliseconds / 1000)
    return times


def agreement_so_far(campaign: Campaign, *, attribute: Attribute) -> VoteAgreement:
    """Compare the votes on the same pair and attribute with each other. Only votes that count in figures."""
    outcomes: dict[tuple[int, int], Counter[int | None]] = defaultdict(Counter)
    votes = Vote.objects.in_figures().filter(assignment__campaign=campaign, attribute=attribute)
    columns = ("context__position", "assignment__pair", "choice", "first", "second")
    for context, pair, choice, first, second in votes.values_list(*columns):
        preferred: dict[str, int] = {Choice.FIRST: first, Choice.SECOND: second}
        outcomes[context, pair][preferred.get(choice)] += 1
    agreeing, compared = Counter[int](), Counter[int]()
    for (context, _), count in outcomes.items():
        agreeing[context] += sum(comb(n, 2) for n in count.values())
        compared[context] += comb(count.total(), 2)
    figure = _agreement_over_contexts(agreeing, compared)
    return VoteAgreement(
        agreeing=agreeing.total(),
        compared=compared.total(),
        pairs=sum(count.total() > 1 for count in outcomes.values()),
        disputed=sum(len(count) > 1 for count in outcomes.values()),
        low=None if figure.low is None else 100 * figure.low,
        high=None if figure.high is None else 100 * figure.high,
    )


def _agreement_over_contexts(agreeing: Counter[int], compared: Counter[int]) -> Figure:
    """Return the share of agreeing votes, with its interval over contexts in the dataset's order."""
    contexts = sorted(compared)
    above = np.array([agreeing[context] for context in contexts], dtype=np.float64)
    below = np.array([compared[context] for context in contexts], dtype=np.float64)
    return share_figure(above, below, if_empty="no pair has two votes")
