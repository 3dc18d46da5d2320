"""Annotators who take part in a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.db.models.functions import Coalesce, Concat, Greatest

from judging.models.labelling.assignments import Assignment
from judging.models.labelling.own_progress import UNLIMITED_PAIRS, OwnProgress
from judging.models.labelling.vote_exclusions import VoteExclusion
from judging.models.row_counts import count_rows
from judging.models.users import RATER_PREFIX

if TYPE_CHECKING:
    from judging.models.users import User


class ParticipationQuerySet(models.QuerySet["Participation"]):
    def excluded(self) -> Self:
        """Parts of people whose votes are excluded, and who get no further pair."""
        return self.filter(_is_excluded())

    def with_exclusion(self) -> Self:
        """Annotate `is_excluded`: True for the people of `excluded()`."""
        return self.annotate(is_excluded=_is_excluded())

    def with_completeness(self) -> Self:
        """Annotate `gave_part`: True for people who gave the votes of their whole part, which only a limit makes."""
        own = Assignment.objects.filter(campaign=OuterRef("campaign"), annotator=OuterRef("annotator"))
        votes = count_rows(own.filter(status=Assignment.Status.VOTED), by="annotator")
        return self.annotate(gave_part=Case(When(most_pairs__lte=votes, then=True), default=False))

    def with_part(self) -> Self:
        """Annotate `own_part`: the number of votes that are this annotator's part; without a limit, a large one.

        Also `own_told` and `own_gone`.
        """
        part = Coalesce(F("most_pairs"), UNLIMITED_PAIRS)
        return self.annotate(
            own_part=Case(When(_is_excluded(), then=0), default=part, output_field=models.IntegerField()),
            own_told=F("pairs_told"),
            own_gone=F("pairs_gone"),
        )

    def keep_told(self, annotator: User, progress: Mapping[int, OwnProgress]) -> None:
        """Keep the numbers that a person reads: no later ones are smaller. progress: campaign -> their progress."""
        news = {campaign: own for campaign, own in progress.items() if own.is_news}
        if not news:
            return
        told = Case(*(When(campaign=campaign, then=own.total) for campaign, own in news.items()))
        gone = Case(*(When(campaign=campaign, then=own.gone) for campaign, own in news.items()))
        own = self.filter(annotator=annotator, campaign__in=news)
        own.update(pairs_told=Greatest("pairs_told", told), pairs_gone=Greatest("pairs_gone", gone))


def _is_excluded() -> Exists:
    here = Q(campaign=None) | Q(campaign=OuterRef("campaign"))
    rater = Concat(Value(RATER_PREFIX), OuterRef("annotator__rater_code"))
    held = VoteExclusion.objects.without_further_pairs().filter(here, dataset=OuterRef("campaign__dataset"))
    return Exists(held.filter(rater=rater))


class Participation(models.Model):
    """An annotator who takes part in a campaign."""

    campaign = models.ForeignKey("judging.Campaign", models.CASCADE, related_name="participations")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="participations")
    guidelines = models.ForeignKey(
        "judging.GuidelinesText",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="participations",
        help_text="The version that the annotator read last; empty before. Voting needs the current one.",
    )
    guidelines_read_at = models.DateTimeField(
        null=True, blank=True, help_text="When the annotator read them; empty before."
    )
    most_pairs = models.PositiveIntegerField(
        null=True, blank=True, help_text="Number of pairs that are this annotator's part; empty for all."
    )
    turn = models.BigIntegerField(
        default=0, help_text="Turn of the pair that was last reserved. The search for the next pair continues here."
    )

    pairs_told = models.PositiveIntegerField(default=0, help_text="Largest number of pairs in all that they have read.")
    pairs_gone = models.PositiveIntegerField(
        default=0, help_text="Those of them that were not needed any more, because others gave their votes."
    )

    objects = ParticipationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="participation_once_per_annotator")
        ]
        indexes = [models.Index(fields=["campaign", "turn"], name="participation_turn")]

    def __str__(self) -> str:
        return f"{self.annotator_id} in campaign {self.campaign_id}"

    def is_complete(self) -> bool:
        """Return True if the annotator gave the votes of their whole part, as counted now."""
        if self.most_pairs is None:
            return False
        own = Participation.objects.filter(pk=self.pk).with_completeness().first()
        return own is not None and bool(own.gave_part)  # type: ignore[attr-defined]  # annotated
