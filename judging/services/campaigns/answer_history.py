"""The history of annotators' answers, as rows of an exported file: votes, changes, skips and undos."""

from collections.abc import Iterator
from typing import Any

from judging.models import AnswerEvent, Dataset

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
