"""The changes of a campaign while it ran, and the history of its annotators' answers as rows of an exported file."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from evenhand.units import counted
from judging.models import AnswerEvent, Assignment, Campaign, Dataset, VoteExclusion
from judging.models.users import RATER_PREFIX


@dataclass(frozen=True, slots=True)
class CampaignChange:
    """A change of a campaign. said: in words, with the day. reason: why answers were left out; else empty."""

    at: datetime
    said: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.said} – {self.reason}" if self.reason else self.said


def campaign_history(campaign: Campaign) -> list[CampaignChange]:
    """Return the changes of a campaign in their order: its growth, exclusions of people, and their ends."""
    exclusions = list(campaign.dataset.vote_exclusions.filter(Q(campaign=campaign) | Q(campaign=None)))
    changes = [
        *_growths(campaign),
        *(change for one in exclusions for change in _changes_of(one, exclusions, campaign)),
    ]
    return sorted(changes, key=lambda one: one.at)


def describe_growth(campaign: Campaign) -> list[str]:
    """Return a sentence for each time the campaign grew: "2027-05-01, after 120 votes: 5 votes per pair, before 3"."""
    return [one.said for one in _growths(campaign)]


def _growths(campaign: Campaign) -> Iterator[CampaignChange]:
    for one in campaign.growth:
        yield CampaignChange(datetime.fromisoformat(one["at"]), _describe_growth(one, campaign))


def _describe_growth(one: Mapping[str, Any], campaign: Campaign) -> str:
    names = {
        "votes_per_pair": f"{campaign.answer_noun}s per {campaign.shown_noun}",
        "pairs": f"{campaign.counted_noun}s",
        "contexts": "contexts",
    }
    before, after = one["before"], one["after"]
    grown = [(noun, before[name], after[name]) for name, noun in names.items() if after.get(name) != before.get(name)]
    sizes = [f"{now:,} {noun}, before {then:,}" for noun, then, now in grown]
    return f"{one['at'][:10]}, after {counted(one['votes'], campaign.answer_noun)}: {'; '.join(sizes)}"


def _changes_of(
    exclusion: VoteExclusion, exclusions: Iterable[VoteExclusion], campaign: Campaign
) -> Iterator[CampaignChange]:
    """Yield the begin and the end of an exclusion, where the campaign had answers of the person that no other leaves
    out at that time. exclusions: all that reach the campaign."""
    others = [one for one in exclusions if one.rater == exclusion.rater and one.pk != exclusion.pk]
    for at, done, reason in (
        (exclusion.excluded_at, "left out, with their places open for others", exclusion.reason),
        (exclusion.restored_at, "taken back in", ""),
    ):
        if at is None or any(_is_active(one, at) for one in others):
            continue
        if given := _answers_until(at, exclusion.rater, campaign):
            answers = counted(given, campaign.answer_noun)
            yield CampaignChange(at, f"{at:%Y-%m-%d}: {answers} of {exclusion.rater} {done}", reason)


def _is_active(exclusion: VoteExclusion, at: datetime) -> bool:
    return exclusion.excluded_at < at and (exclusion.restored_at is None or exclusion.restored_at > at)


def _answers_until(at: datetime, rater: str, campaign: Campaign) -> int:
    """Count the answers that a person gave until a time, checks included, without those withdrawn since."""
    own = Assignment.objects.filter(campaign=campaign, annotator__rater_code=rater.removeprefix(RATER_PREFIX))
    return own.filter(status=Assignment.Status.VOTED, answered_at__lte=at).count()


EVENTS_PER_FETCH = 2_000
HISTORY_COLUMNS: tuple[str, ...] = (
    *("campaign", "context", "attribute", "first", "second", "rater"),
    *("action", "choice", "strength", "confidence", "comment", "skip_reason", "seconds", "shown_at", "happened_at"),
    *("guidelines", "excluded"),
)
HISTORY_NUMBERS: tuple[str, ...] = ("strength", "confidence", "seconds")


def history_rows(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Yield one row for each action of an annotator on a dataset's pairs, in the order in which they happened.

    first, second: the pair as shown. seconds: visible time of the pair until then. Times are in ISO 8601, UTC.
    guidelines: the version that the annotator had read. excluded: True if their vote on the pair is excluded now.
    """
    of_pairs = AnswerEvent.objects.exclude(assignment__pair__other=None)
    events = of_pairs.filter(assignment__campaign__dataset=dataset).order_by("pk")
    related = ("campaign", "pair__attribute", "pair__one__context", "pair__other", "annotator", "vote")
    events = events.select_related("guidelines", *(f"assignment__{name}" for name in related))
    texts = ("pair__one__text", "pair__other__text", "pair__one__context__text", "pair__one__context__reference")
    for event in events.defer(*(f"assignment__{name}" for name in texts)).iterator(EVENTS_PER_FETCH):
        yield dict(zip(HISTORY_COLUMNS, _values(event), strict=True))


def _values(event: AnswerEvent) -> tuple[object, ...]:
    shown = event.assignment
    vote = getattr(event.assignment, "vote", None)
    return (
        *(shown.campaign.name, shown.pair.one.context.key, shown.pair.attribute.name),
        *(shown.first.key, shown.second.key, shown.annotator.rater_name),
        *(event.action, event.choice or None, event.strength, event.confidence, event.comment or None),
        event.skip_reason or None,
        *(
            event.visible_milliseconds / 1000,
            shown.shown_at and shown.shown_at.isoformat(),
            event.happened_at.isoformat(),
        ),
        event.guidelines.digest or None if event.guidelines else None,
        (vote is not None and vote.excluded),
    )
