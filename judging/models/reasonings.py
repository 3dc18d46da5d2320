"""Texts that a judge writes before its answers: reasoning about candidates, pairs or the task, and criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q

from judging.models.datasets import Candidate, Context
from judging.models.judges import Judge

if TYPE_CHECKING:
    from judging.models.runs import Run

WRITTEN_ONCE_BY = ("judge", "revision", "question_sha256", "temperature", "seed")
REVISION_HELP = "Revision of the model that wrote it; empty if unknown."
QUESTION_HELP = "SHA-256 of the request without the dataset's texts."


def _writer_filters(run: Run) -> dict[str, object]:
    """Filters for texts by the run's judge and decoding; any revision while the run has no environment."""
    filters: dict[str, object] = {"judge": run.judge_id, **run.decoding}
    if run.environment:
        filters["revision__in"] = ("", run.revision)
    return filters


class ReasoningQuerySet(models.QuerySet["Reasoning"]):
    def of_run(self, run: Run) -> Self:
        """Reasonings that the run can use, also those that other runs had written; none if its method has none."""
        if not run.reasoning_sha256:
            return self.none()
        return self.filter(question_sha256=run.reasoning_sha256, **_writer_filters(run))


class Reasoning(models.Model):
    """A text that a judge wrote before its answer, about one candidate, an ordered pair, or the task.

    It is stored once and shared by all runs that request the same.
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
        help_text="Empty if the text is about the task.",
    )
    second = models.ForeignKey(
        Candidate,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text="The second candidate of a pair; empty for one candidate alone.",
    )
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    generated_tokens = models.PositiveIntegerField(default=0)
    max_new_tokens = models.PositiveIntegerField(help_text="Limit on generated tokens.")
    temperature = models.FloatField(default=0, help_text="Sampling temperature; 0 is greedy.")
    seed = models.BigIntegerField(default=0, help_text="Seed of the run that sampled it; 0 if greedy.")
    complete = models.BooleanField(default=True, help_text="False if the limit cut it off.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ReasoningQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["judge", "question_sha256"], name="reasoning_by_question")]
        constraints = [
            models.UniqueConstraint(
                fields=[*WRITTEN_ONCE_BY, "candidate"],
                condition=Q(second=None),
                name="reasoning_once_per_candidate",
            ),
            models.UniqueConstraint(  # the one above takes two NULL candidates as different
                fields=[*WRITTEN_ONCE_BY],
                condition=Q(candidate=None),
                name="reasoning_once_beforehand",
            ),
            models.CheckConstraint(
                condition=Q(candidate__isnull=False) | Q(second=None), name="reasoning_about_a_pair_has_both"
            ),
            models.UniqueConstraint(
                fields=[*WRITTEN_ONCE_BY, "candidate", "second"],
                condition=Q(second__isnull=False),
                name="reasoning_once_per_pair",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def candidate_ids(self) -> tuple[int, ...]:
        """Ids of the candidates that it is about: none, one, or an ordered pair."""
        return tuple(one for one in (self.candidate_id, self.second_id) if one is not None)


class CriteriaQuerySet(models.QuerySet["Criteria"]):
    def of_run(self, run: Run) -> Self:
        """Criteria that the run can use, also those that other runs had written; none if it uses none."""
        if not run.criteria_sha256:
            return self.none()
        return self.filter(question_sha256=run.criteria_sha256, **_writer_filters(run))


class Criteria(models.Model):
    """Criteria that a judge wrote for one context, before it saw any candidate.

    They are stored once and shared by all runs that request the same.
    """

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="+")
    context = models.ForeignKey(Context, models.CASCADE, related_name="+")
    revision = models.TextField(default="", blank=True, help_text=REVISION_HELP)
    question_sha256 = models.CharField(max_length=64, help_text=QUESTION_HELP)
    temperature = models.FloatField(default=0, help_text="Sampling temperature; 0 is greedy.")
    seed = models.BigIntegerField(default=0, help_text="Seed of the run that sampled it; 0 if greedy.")
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    generated_tokens = models.PositiveIntegerField(default=0)
    complete = models.BooleanField(default=True, help_text="False if the limit cut it off.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CriteriaQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "criteria"
        constraints = [
            models.UniqueConstraint(fields=[*WRITTEN_ONCE_BY, "context"], name="criteria_once_per_context"),
        ]

    def __str__(self) -> str:
        return self.text[:80]
