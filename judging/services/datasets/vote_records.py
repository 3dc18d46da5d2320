"""The votes of a dataset as records."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast

from django.db.models import QuerySet

from evenhand.formats import RecordedVote, VoteChoice, VoteRecord
from judging.models import Dataset, Vote

VOTES_PER_FETCH = 2_000
VOTE_NUMBERS = ("strength", "confidence", "seconds", "occurrence")


def load_votes(dataset: Dataset) -> Iterator[RecordedVote]:
    """Yield every vote of a dataset, by campaigns and imported, in the order stored. Takes one query."""
    rows = Vote.objects.filter(attribute__dataset=dataset).order_by("pk")
    for row in _with_campaigns(rows).iterator(VOTES_PER_FETCH):
        yield RecordedVote("", 0, row.context.key, _make_record(row), row.occurrence)


def _with_campaigns(votes: QuerySet[Vote]) -> QuerySet[Vote]:
    related = ("context", "attribute", "first", "second", "exclusion")
    texts = ("context__text", "context__reference", "first__text", "second__text", "attribute__definition")
    return votes.select_related(*related, "assignment__pair__campaign", "assignment__guidelines").defer(*texts)


def _make_record(vote: Vote) -> VoteRecord:
    campaign = vote.assignment.pair.campaign if vote.assignment else None
    return VoteRecord(
        attribute=vote.attribute.name,
        first=vote.first.key,
        second=vote.second.key,
        choice=cast(VoteChoice, vote.choice),
        rater=vote.rater,
        strength=vote.strength,
        confidence=vote.confidence,
        comment=vote.comment,
        seconds=vote.seconds,
        campaign=campaign.name if campaign else vote.campaign_name,
        guidelines=vote.guidelines_name,
        excluded=vote.excluded,
        purpose=vote.purpose,
        reading_aids=vote.reading_aids,
        gold_answer=vote.known_answer,
        voted_at=vote.voted_at.isoformat() if vote.voted_at else "",
        exclude_reason=vote.why_excluded,
    )


def make_vote_columns(vote: VoteRecord) -> dict[str, Any]:
    """Return the columns of a vote's row that do not name other rows."""
    return {
        "choice": vote.choice,
        "rater": vote.rater,
        "strength": vote.strength,
        "confidence": vote.confidence,
        "comment": vote.comment,
        "seconds": vote.seconds,
        "campaign_name": vote.campaign,
        "guidelines": vote.guidelines,
        "excluded": vote.excluded,
        "purpose": vote.purpose,
        "reading_aids": vote.reading_aids,
        "gold_answer": vote.gold_answer,
        "voted_at": datetime.fromisoformat(vote.voted_at) if vote.voted_at else None,
        "exclude_reason": vote.exclude_reason,
    }
