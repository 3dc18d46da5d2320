"""Assignments of pairs to annotators: shown, voted on, or skipped for one of some reasons."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac


class SkipReason(models.TextChoices):
    BROKEN = "broken", "A text is missing or broken"
    LANGUAGE = "language", "I do not read this language well enough"
    SUBJECT = "subject", "I do not know enough about the subject"
    UNDECIDED = "undecided", "I cannot decide"
    OTHER = "other", "Another reason"


if TYPE_CHECKING:
    from judging.models.datasets import Candidate
    from judging.models.labelling.campaigns import Campaign
    from judging.models.users import User


class Purpose(models.TextChoices):
    """Why annotators are asked about a pair.

    A rule chose the ordinary pairs; held-out pairs were drawn at random. Gold pairs have a known answer, and repeats
    show a person one of their pairs again. Both check the annotator and are left out of all figures of judges.
    Pairs of a second round were disputed in the first one.
    """

    ORDINARY = "ordinary"
    HELD_OUT = "held-out"
    GOLD = "gold"
    REPEAT = "repeat"
    SECOND_ROUND = "second-round"


CHECK_PURPOSES = (Purpose.GOLD, Purpose.REPEAT)
"""Purposes of pairs that check the annotator."""
IS_ANSWERABLE = Q(status="open") & (Q(has_place=True) | Q(pair__places__gt=0))


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def of(self, annotator: User, *, campaign: Campaign) -> Self:
        return self.filter(annotator=annotator, campaign=campaign)

    def answerable(self) -> Self:
        """Open assignments that are still reserved, or whose pair still needs votes; oldest first."""
        return self.filter(IS_ANSWERABLE).order_by("pk")

    def expired(self, held_until: datetime | None = None) -> Self:
        """Open assignments whose place is taken and whose reservation has ended. Checks take no place.

        held_until: the latest end of a reservation; None for now.
        """
        latest = held_until or timezone.now()
        ended = self.filter(status=Assignment.Status.OPEN, has_place=True, held_until__lt=latest)
        return ended.exclude(purpose__in=CHECK_PURPOSES)

    def answered(self) -> Self:
        """Assignments that were voted on or skipped, latest first."""
        return self.exclude(status=Assignment.Status.OPEN).order_by("-answered_at", "-pk")

    def counting(self) -> Self:
        """Votes and ratings that count towards the wanted number: not excluded, and no checks of the annotator."""
        voted = self.filter(status=Assignment.Status.VOTED, has_place=True)
        return voted.exclude(purpose__in=CHECK_PURPOSES)

    def with_texts(self) -> Self:
        pair = ("pair__campaign", "pair__attribute", "pair__one__context__dataset", "pair__other")
        return self.select_related(*pair, "vote", "rating")


class Assignment(models.Model):
    """A pair shown to an annotator, in a random order. All attributes of two texts are reserved at once.

    In a campaign of ratings it is a single text. "Voted" then means rated.

    An open assignment reserves one place of the pair until `held_until`. A vote takes a place while it is not
    excluded from figures; a skip takes none.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        VOTED = "voted"
        SKIPPED = "skipped"

    key = models.UUIDField(default=uuid4, unique=True, editable=False, help_text="Identifier in URLs and forms.")
    campaign = models.ForeignKey(
        "judging.Campaign",
        models.CASCADE,
        related_name="assignments",
        help_text="The pair's campaign, for the indexes.",
    )
    pair = models.ForeignKey("judging.CampaignPair", models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="assignments")
    swapped = models.BooleanField(help_text="True if `other` is shown first.")
    purpose = models.CharField(max_length=20, choices=Purpose, default=Purpose.ORDINARY)
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    has_place = models.BooleanField(
        default=True,
        help_text="True while it takes one of the pair's places: voted and not excluded, or open and reserved. A gold "
        "pair or a repeat has this too, but takes no place of the pair.",
    )
    held_until = models.DateTimeField(
        help_text="End of the reservation: afterwards another annotator may get the pair."
    )
    guidelines = models.ForeignKey(
        "judging.GuidelinesText",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="assignments",
        help_text="The version that the annotator had read when they answered; empty before.",
    )
    skip_reason = models.CharField(max_length=20, choices=SkipReason, blank=True)
    visible_milliseconds = models.PositiveBigIntegerField(
        default=0, help_text="Time for which the pair was visible, over all times it was shown; 0 if unknown."
    )
    has_impossible_time = models.BooleanField(
        default=False, help_text="True if the browser reported more time than passed since the pair was shown."
    )
    reading_aids = models.CharField(
        max_length=40, blank=True, help_text="Aids that the annotator used on the pair, separated by spaces."
    )
    shown_at = models.DateTimeField(
        null=True, blank=True, help_text="When the pair was first shown; empty while an earlier attribute is asked."
    )
    answered_at = models.DateTimeField(null=True, blank=True, help_text="When the annotator voted or skipped.")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["pair", "annotator", "purpose"], name="pair_once_per_annotator"),
            models.CheckConstraint(
                condition=Q(status="open") | Q(answered_at__isnull=False), name="assignment_answered_at_some_time"
            ),
            models.CheckConstraint(
                condition=Q(status="skipped", skip_reason__gt="") | (~Q(status="skipped") & Q(skip_reason="")),
                name="assignment_skipped_for_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(status="skipped", has_place=True), name="assignment_without_place_if_skipped"
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "annotator", "status"], name="assignments_of_annotator"),
            models.Index(fields=["annotator", "-answered_at"], name="answers_by_time"),
            models.Index(fields=["held_until"], condition=Q(status="open", has_place=True), name="reservations_by_end"),
        ]

    def __str__(self) -> str:
        return f"{self.pair_id} for {self.annotator_id}: {self.status}"

    @property
    def is_check(self) -> bool:
        """True if it checks the annotator: a gold pair or a repeat. It takes no place of its pair."""
        return self.purpose in CHECK_PURPOSES

    @property
    def asked_question(self) -> str:
        return self.pair.campaign.asked_about(self.pair.attribute_id).asked_question

    @property
    def first(self) -> Candidate:
        """The candidate shown first."""
        return self.pair.compared_with if self.swapped else self.pair.one

    @property
    def second(self) -> Candidate:
        return self.pair.one if self.swapped else self.pair.compared_with

    @property
    def first_name(self) -> str:
        """An opaque name for the text shown first, different in every assignment."""
        return self._name_of(self.first)

    @property
    def second_name(self) -> str:
        return self._name_of(self.second)

    def _name_of(self, candidate: Candidate) -> str:
        return salted_hmac("judging.assignment", f"{self.key}:{candidate.pk}", algorithm="sha256").hexdigest()[:16]
