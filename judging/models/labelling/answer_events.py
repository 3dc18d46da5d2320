"""The history of answers: each vote, change, skip and undo of an annotator. Events are added, never changed."""

from django.db import models
from django.utils import timezone

from judging.models.labelling.assignments import Assignment, SkipReason
from judging.models.labelling.guidelines import GuidelinesText
from judging.models.labelling.votes import EVERY_CHOICE


class AnswerEvent(models.Model):
    """One action of the annotator of an assignment: who, when and what."""

    class Action(models.TextChoices):
        VOTED = "voted"
        RATED = "rated"
        CHANGED = "changed", "changed the answer"
        SKIPPED = "skipped"
        REOPENED = "reopened", "took the answer back"

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="events")
    action = models.CharField(max_length=10, choices=Action)
    choice = models.CharField(max_length=20, choices=EVERY_CHOICE, blank=True, help_text="Of a vote or a change.")
    rating = models.SmallIntegerField(null=True, blank=True, help_text="Of a rating or its change.")
    strength = models.FloatField(null=True, blank=True)
    confidence = models.FloatField(null=True, blank=True)
    comment = models.TextField(blank=True)
    guidelines = models.ForeignKey(
        GuidelinesText, models.SET_NULL, null=True, blank=True, related_name="+", help_text="As read at that time."
    )
    skip_reason = models.CharField(max_length=20, choices=SkipReason, blank=True)
    visible_milliseconds = models.PositiveBigIntegerField(help_text="Visible time of the pair until then.")
    happened_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        answer = self.choice or self.skip_reason if self.rating is None else self.rating
        return f"{self.action} {answer}".strip()
