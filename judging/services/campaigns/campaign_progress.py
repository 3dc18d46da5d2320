"""How far a campaign is: for those who run it, and for an annotator about the own part only."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import comb
from statistics import median

from django.db.models import Count, Max, Q
from django.utils import timezone

from judging.models import Assignment, Campaign, Choice, User, Vote

QUICK_MILLISECONDS = 2_000
A_BREAK = timedelta(minutes=10)
LONGEST_ROW = 200


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """pairs: of the campaign; complete: pairs with all their votes; done, planned: votes; skips: pairs given back."""

    pairs: int
    complete: int
    done: int
    planned: int
    skips: int


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """votes, skips: answers; quick: votes within two seconds; median_seconds: None without a known time on task."""

    annotator: User
    takes_part: bool
    votes: int
    skips: int
    quick: int
    median_seconds: float | None
    last_vote: datetime | None


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """Two votes of different people on the same pair agree if they name the same candidate, or both say tie.

    agreeing, compared: pairs of votes; pairs: pairs of candidates with two votes or more.
    """

    agreeing: int
    compared: int
    pairs: int

    @property
    def percent(self) -> float | None:
        """None where no pair has two votes."""
        return 100 * self.agreeing / self.compared if self.compared else None


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """done: own votes; skipped: own skips; total: own votes, and pairs that still have a place for this annotator."""

    done: int
    skipped: int
    total: int


def campaign_progress(campaign: Campaign) -> CampaignProgress:
    answers = Assignment.objects.filter(pair__campaign=campaign).aggregate(**_COUNTS)
    voted = Count("assignments", filter=Q(assignments__status=Assignment.Status.VOTED))
    pairs = campaign.pairs.count()
    complete = campaign.pairs.annotate(voted=voted).filter(voted__gte=campaign.votes_per_pair).count()
    return CampaignProgress(pairs, complete, answers["votes"], pairs * campaign.votes_per_pair, answers["skips"])


_COUNTS = {
    "votes": Count("pk", filter=Q(status=Assignment.Status.VOTED)),
    "skips": Count("pk", filter=Q(status=Assignment.Status.SKIPPED)),
}


def own_progress(campaign: Campaign, *, annotator: User) -> OwnProgress:
    own = Campaign.objects.with_own_progress(annotator)
    fields = ("own_votes", "own_skips", "own_total")
    return OwnProgress(*own.values_list(*fields).get(pk=campaign.pk))


def answers_in_a_row(annotator: User) -> int:
    """How many pairs were answered since the last break of ten minutes, in all campaigns; 200 stands for more."""
    answered = Assignment.objects.filter(annotator=annotator).answered().values_list("answered_at", flat=True)
    later, in_a_row = timezone.now(), 0
    for earlier in answered[:LONGEST_ROW]:
        if earlier is None or later - earlier > A_BREAK:
            break
        later, in_a_row = earlier, in_a_row + 1
    return in_a_row


def annotator_progress(campaign: Campaign) -> list[AnnotatorProgress]:
    """Everybody who takes part or has answered, by name."""
    shown = Q(assignments__pair__campaign=campaign)
    people = (
        User.objects.filter(Q(participations__campaign=campaign) | shown)
        .annotate(
            takes_part=Count("participations", filter=Q(participations__campaign=campaign)),
            votes_given=Count(
                "assignments", filter=shown & Q(assignments__status=Assignment.Status.VOTED), distinct=True
            ),
            skips=Count("assignments", filter=shown & Q(assignments__status=Assignment.Status.SKIPPED), distinct=True),
            last_vote=Max("assignments__vote__voted_at", filter=shown),
        )
        .order_by("username")
    )
    times = _times_on_task(campaign)
    return [
        AnnotatorProgress(
            annotator=person,
            takes_part=bool(person.takes_part),
            votes=person.votes_given,
            skips=person.skips,
            quick=sum(time < QUICK_MILLISECONDS for time in times[person.pk]),
            median_seconds=median(times[person.pk]) / 1000 if times[person.pk] else None,
            last_vote=person.last_vote,
        )
        for person in people
    ]


def _times_on_task(campaign: Campaign) -> dict[int, list[int]]:
    """Milliseconds of each annotator's votes, where they are known."""
    times: dict[int, list[int]] = defaultdict(list)
    votes = Vote.objects.filter(assignment__pair__campaign=campaign)
    for annotator, milliseconds in votes.values_list("assignment__annotator", "milliseconds"):
        if milliseconds is not None:
            times[annotator].append(milliseconds)
    return times


def agreement_so_far(campaign: Campaign) -> VoteAgreement:
    """Over all pairs of votes of this campaign on the same pair of candidates."""
    outcomes: dict[int, Counter[int | None]] = defaultdict(Counter)
    votes = Vote.objects.filter(assignment__pair__campaign=campaign)
    for pair, choice, first, second in votes.values_list("assignment__pair", "choice", "first", "second"):
        preferred: dict[str, int] = {Choice.FIRST: first, Choice.SECOND: second}
        outcomes[pair][preferred.get(choice)] += 1
    totals = [count.total() for count in outcomes.values()]
    return VoteAgreement(
        agreeing=sum(comb(n, 2) for count in outcomes.values() for n in count.values()),
        compared=sum(comb(n, 2) for n in totals),
        pairs=sum(n > 1 for n in totals),
    )
