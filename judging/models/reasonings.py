"""Texts that a judge writes before its answers: reasoning about candidates, pairs or the task, and criteria."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.db import models
from django.db.models import Q

from judging.models.datasets import Candidate, Context
from judging.models.judges import Judge

if TYPE_CHECKING:
    from judging.models.runs import Run

REMOVED_AFTER = "[removed after "
"""How the note begins that stands in place of a text that was removed because of its age."""

WRITTEN_ONCE_BY = ("judge", "revision", "question_sha256", "temperature", "seed")


class WrittenByJudgeQuerySet(models.QuerySet[Any]):
    def of_run(self, run: "Run") -> Self:
        """Texts that the run can use, also those that other runs had written; none if its method has none.

        A run without an environment has not begun and can use texts of any revision.
        """
        question_sha256 = getattr(run, self.model.RUN_HASH)
        if not question_sha256:
            return self.none()
        rows = self.filter(judge=run.judge_id, question_sha256=question_sha256, **run.decoding)
        return rows.filter(revision__in=("", run.revision)) if run.environment else rows


class WrittenByJudge(models.Model):
    """A text that a judge wrote before its answers. It is stored once and shared by all runs that request the same."""

    RUN_HASH: ClassVar[str]
    """Field of Run that holds the hash of its request."""

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="+")
    revision = models.TextField(
        default="", blank=True, help_text="Revision of the model that wrote it; empty if unknown."
    )
    question_sha256 = models.CharField(max_length=64, help_text="SHA-256 of the request without the dataset's texts.")
    temperature = models.FloatField(default=0, help_text="Sampling temperature; 0 is greedy.")
    seed = models.BigIntegerField(default=0, help_text="Seed of the run that sampled it; 0 if greedy.")
    text = models.TextField(blank=True)
    thinking = models.TextField(blank=True, help_text="The judge's thinking before the text; empty without.")
    error = models.TextField(blank=True)
    generated_tokens = models.PositiveIntegerField(default=0)
    complete = models.BooleanField(default=True, help_text="False if the limit cut it off.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WrittenByJudgeQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def is_removed(self) -> bool:
        return self.text.startswith(REMOVED_AFTER)


class Reasoning(WrittenByJudge):
    """A judge's reasoning about one candidate, an ordered pair, or the task."""

    RUN_HASH = "reasoning_sha256"

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
    max_new_tokens = models.PositiveIntegerField(help_text="Limit on generated tokens.")

    class Meta(WrittenByJudge.Meta):
        indexes = [models.Index(fields=["judge", "question_sha256"], name="reasoning_by_question")]
        constraints = [
            models.UniqueConstraint(
                fields=[*WRITTEN_ONCE_BY, "candidate"], condition=Q(second=None), name="reasoning_once_per_candidate"
            ),
            models.UniqueConstraint(  # the one above takes two NULL candidates as different
                fields=[*WRITTEN_ONCE_BY], condition=Q(candidate=None), name="reasoning_once_beforehand"
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

    @property
    def candidate_ids(self) -> tuple[int, ...]:
        """Ids of the candidates that it is about: none, one, or an ordered pair."""
        return tuple(one for one in (self.candidate_id, self.second_id) if one is not None)


class Criteria(WrittenByJudge):
    """Criteria that a judge wrote for one context, before it saw any candidate."""

    RUN_HASH = "criteria_sha256"

    context = models.ForeignKey(Context, models.CASCADE, related_name="+")

    class Meta(WrittenByJudge.Meta):
        verbose_name_plural = "criteria"
        constraints = [models.UniqueConstraint(fields=[*WRITTEN_ONCE_BY, "context"], name="criteria_once_per_context")]
