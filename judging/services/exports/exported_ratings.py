"""Every rating of a dataset as a row of an exported file, with skipped texts on request."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from judging.models import Assignment, Campaign, Dataset, HumanScore

RATINGS_PER_FETCH = 2_000
RATING_COLUMNS: tuple[str, ...] = (
    *("context", "candidate", "system", "attribute", "rater", "score", "lowest", "highest"),
    *("seconds", "shown_at", "answered_at", "guidelines", "excluded", "exclude_reason", "campaign", "skip_reason"),
)
"""`import_ratings` reads them with a mapping, which ignores the columns that it does not name."""
RATING_NUMBERS: tuple[str, ...] = ("score", "lowest", "highest", "seconds")
Scales = Mapping[tuple[int, int], tuple[int | None, int | None]]
_EMPTY: dict[str, Any] = dict.fromkeys(RATING_COLUMNS)
_TEXTS = ("text", "context__text", "context__reference")


def every_rating(
    dataset: Dataset, *, campaign: Campaign | None = None, skips: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield one row for each rating, imported or given here, and then for each skipped text if `skips`.

    campaign: only its ratings and skips. lowest, highest: the scale of the campaign; empty for imported ratings. Times
    are in ISO 8601, UTC. excluded: True for ratings that figures leave out.
    """
    ratings = HumanScore.objects.filter(attribute__dataset=dataset).exclude(rater="").order_by("pk")
    skipped = Assignment.objects.filter(campaign__dataset=dataset, status=Assignment.Status.SKIPPED, pair__other=None)
    if campaign is not None:
        ratings, skipped = ratings.filter(assignment__campaign=campaign), skipped.filter(campaign=campaign)
    shown = skipped if skips else skipped.none()
    scales = _scales(dataset)
    return chain(
        (_rating_row(one, scales) for one in _with_names(ratings)),
        (_skip_row(one, scales) for one in _with_texts(shown)),
    )


def _with_names(ratings: QuerySet[HumanScore]) -> Iterator[HumanScore]:
    related = ("candidate__context", "attribute", "exclusion", "assignment__campaign", "assignment__guidelines")
    texts = (f"candidate__{name}" for name in _TEXTS)
    return ratings.select_related(*related).defer(*texts).iterator(RATINGS_PER_FETCH)


def _with_texts(skipped: QuerySet[Assignment]) -> Iterator[Assignment]:
    related = ("campaign", "pair__attribute", "pair__one__context", "annotator", "guidelines")
    texts = (f"pair__one__{name}" for name in _TEXTS)
    return skipped.select_related(*related).defer(*texts).order_by("pk").iterator(RATINGS_PER_FETCH)


def _scales(dataset: Dataset) -> Scales:
    """Return (campaign, attribute) -> the lowest and the highest rating."""
    campaigns = dataset.campaigns.prefetch_related("asked_attributes")
    return {
        (campaign.pk, one.attribute_id): (one.lowest, one.highest)
        for campaign in campaigns
        for one in campaign.asked_attributes.all()
    }


def _rating_row(rating: HumanScore, scales: Scales) -> dict[str, Any]:
    shown, candidate = rating.assignment, rating.candidate
    return (
        _EMPTY
        | {
            "context": candidate.context.key,
            "candidate": candidate.key,
            "system": candidate.system or None,
            "attribute": rating.attribute.name,
            "rater": rating.rater,
            "score": rating.value,
            "excluded": rating.excluded,
            "exclude_reason": rating.exclusion.reason if rating.exclusion else None,
        }
        | (_shown_columns(shown, scales, rating.attribute_id) if shown else {})
    )


def _skip_row(shown: Assignment, scales: Scales) -> dict[str, Any]:
    candidate = shown.pair.one
    return (
        _EMPTY
        | {
            "context": candidate.context.key,
            "candidate": candidate.key,
            "system": candidate.system or None,
            "attribute": shown.pair.attribute.name,
            "rater": shown.annotator.rater_name,
            "excluded": False,
            "skip_reason": shown.skip_reason,
        }
        | _shown_columns(shown, scales, shown.pair.attribute_id)
    )


def _shown_columns(shown: Assignment, scales: Scales, attribute_id: int) -> dict[str, Any]:
    lowest, highest = scales.get((shown.campaign_id, attribute_id), (None, None))
    return {
        "lowest": lowest,
        "highest": highest,
        "seconds": shown.visible_milliseconds / 1000 or None,
        "shown_at": shown.shown_at and shown.shown_at.isoformat(),
        "answered_at": shown.answered_at and shown.answered_at.isoformat(),
        "guidelines": shown.guidelines.digest or None if shown.guidelines else None,
        "campaign": shown.campaign.name,
    }
