"""What a judge writes before it answers: about candidates, pairs or the task; and its own metrics for a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q

from judging.models.datasets import Candidate, Context
from judging.models.judges import Judge

if TYPE_CHECKING:
    from judging.models.runs import Run

WRITTEN_ONCE = ("judge", "revision", "question_sha256", "temperature", "seed")
REVISION_HELP = "Of the model that wrote it, as a run's environment has it; empty for what older versions kept."
QUESTION_HELP = "SHA-256 of what it was asked, but for the texts that it was shown."


def _written_as_for(run: Run) -> dict[str, object]:
    """By what the run's judge writes; of a run that nobody has begun, by whatever revision of its model."""
    found: dict[str, object] = {"judge": run.judge_id, **run.decoding}
    if run.environment:
        found["revision__in"] = ("", run.revision)
    return found


class ReasoningQuerySet(models.QuerySet["Reasoning"]):
    def of_run(self, run: Run) -> Self:
        """What the run's judge wrote for its question, whichever run asked for it, about whatever was shown; nothing
        for a method without a first step.
        """
        if not run.reasoning_sha256:
            return self.none()
        return self.filter(question_sha256=run.reasoning_sha256, **_written_as_for(run))


class Reasoning(models.Model):
    """What a judge wrote before it answered: about one candidate alone, about an ordered pair, or about the task before
    it was shown either. Once, whichever runs use it.
    """

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="reasonings")
    revision = models.TextField(default="", blank=True, help_text=REVISION_HELP)
    question_sha256 = models.CharField(max_length=64, help_text=QUESTION_HELP)
    candidate = models.ForeignKey(
        Candidate,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="reasonings",
        help_text="Empty where nothing was shown.",
    )
    second = models.ForeignKey(
        Candidate,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text="Shown after the candidate; empty where it was shown alone.",
    )
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    generated_tokens = models.PositiveIntegerField(default=0)
    max_new_tokens = models.PositiveIntegerField(help_text="Where the judge would have been cut off.")
    temperature = models.FloatField(
        default=0, help_text="At which it was sampled; 0 for the likeliest token each time."
    )
    seed = models.BigIntegerField(default=0, help_text="Of the run that sampled it; 0 where nothing was sampled.")
    complete = models.BooleanField(default=True, help_text="Whether it came to its own end.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ReasoningQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["judge", "question_sha256"], name="reasoning_by_question")]
        constraints = [
            models.UniqueConstraint(
                fields=[*WRITTEN_ONCE, "candidate"],
                condition=Q(second=None),
                name="reasoning_once_per_candidate",
            ),
            models.UniqueConstraint(  # to the one above, no two rows without a candidate are alike
                fields=[*WRITTEN_ONCE],
                condition=Q(candidate=None),
                name="reasoning_once_beforehand",
            ),
            models.CheckConstraint(
                condition=Q(candidate__isnull=False) | Q(second=None), name="reasoning_about_a_pair_has_both"
            ),
            models.UniqueConstraint(
                fields=[*WRITTEN_ONCE, "candidate", "second"],
                condition=Q(second__isnull=False),
                name="reasoning_once_per_pair",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def shown(self) -> tuple[int, ...]:
        """The candidates that it is about, as ids: none, one alone, or an ordered pair."""
        return tuple(one for one in (self.candidate_id, self.second_id) if one is not None)


class ContextMetricsQuerySet(models.QuerySet["ContextMetrics"]):
    def of_run(self, run: Run) -> Self:
        """What the run's judge wrote by the run's prompt for metrics, for whatever context; nothing where it has
        none.
        """
        if not run.metrics_sha256:
            return self.none()
        return self.filter(question_sha256=run.metrics_sha256, **_written_as_for(run))


class ContextMetrics(models.Model):
    """What a judge wrote for one context, before it was shown any candidate: what to look at. Once, whichever runs use
    it.
    """

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="+")
    context = models.ForeignKey(Context, models.CASCADE, related_name="+")
    revision = models.TextField(default="", blank=True, help_text=REVISION_HELP)
    question_sha256 = models.CharField(max_length=64, help_text=QUESTION_HELP)
    temperature = models.FloatField(
        default=0, help_text="At which it was sampled; 0 for the likeliest token each time."
    )
    seed = models.BigIntegerField(default=0, help_text="Of the run that sampled it; 0 where nothing was sampled.")
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    generated_tokens = models.PositiveIntegerField(default=0)
    complete = models.BooleanField(default=True, help_text="Whether it came to its own end.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ContextMetricsQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "context metrics"
        constraints = [
            models.UniqueConstraint(fields=[*WRITTEN_ONCE, "context"], name="metrics_once_per_context"),
        ]

    def __str__(self) -> str:
        return self.text[:80]
