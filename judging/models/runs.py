"""Runs of a judge over a dataset, and what it answered."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now
from django.urls import reverse
from django.utils import timezone

from judging.models.chunks import Chunk
from judging.models.datasets import Attribute, Candidate, Context, Dataset
from judging.models.judges import Judge, Prompt, prompt_label
from judging.models.votes import Choice

if TYPE_CHECKING:
    from judging.models.users import User


def rows_of_run(model: type[models.Model], **such: object) -> Coalesce:
    """How many (such) rows of `model` the outer run has, as a subquery (a join would multiply the two)."""
    rows = model._default_manager.filter(run=OuterRef("pk"), **such).order_by().values("run")
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n"), output_field=models.IntegerField()), 0)


def without_answer(outcome: str) -> CombinedExpression:
    """How many comparisons and scores of the outer run ended so. In words that their partial indexes are found by."""
    return rows_of_run(Comparison, outcome=outcome, p_first=None) + rows_of_run(Score, outcome=outcome, value=None)


def sha256_of(document: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON: sorted keys, no spaces, UTF-8."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class RunQuerySet(models.QuerySet["Run"]):
    def active(self) -> Self:
        """Runs that are judged, or will be without anybody doing more."""
        return self.filter(status__in=ACTIVE)

    def begin(self, run_id: int) -> bool:
        """Note that a run is being judged; False if it was cancelled, failed or is done."""
        active = self.active().filter(pk=run_id)
        return active.update(status=Run.Status.RUNNING, started_at=Coalesce(F("started_at"), Now())) == 1

    def finish(self, run_id: int) -> bool:
        """Note that a run is done; False if a part of it is not, or somebody was faster."""
        active = self.active().filter(pk=run_id)
        with transaction.atomic(savepoint=False):
            # Held while its parts are looked at: else one that is opened again just then would never be judged.
            if active.select_for_update().values_list("pk").first() is None:
                return False
            if Chunk.objects.unfinished().filter(run=run_id).exists():
                return False
            return active.update(status=Run.Status.DONE, finished_at=timezone.now(), error="") == 1

    def stop(self, run_id: int, *, status: str, error: str = "") -> bool:
        """Cancel or fail a run that is active; False if it no longer is."""
        active = self.active().filter(pk=run_id)
        return active.update(status=status, error=error, finished_at=timezone.now()) == 1

    def visible_to(self, user: User) -> Self:
        """One's own runs and those of the command line; all of them for an admin."""
        if user.is_admin:
            return self
        return self.filter(Q(owner=user) | Q(owner=None)) if user.is_researcher else self.none()

    def with_progress(self) -> Self:
        """Adds `asked`: how many of the planned comparisons (or scores) have a row, whatever became of them; and how
        many of these are `unparsed`, and `errors`.
        """
        return self.annotate(
            asked=rows_of_run(Comparison) + rows_of_run(Score),
            unparsed=without_answer(Outcome.UNPARSED),
            errors=without_answer(Outcome.ERROR),
        )


class Run(models.Model):
    """One judge × method × prompt × attribute × dataset."""

    class Status(models.TextChoices):
        PENDING = "pending", "Queued"
        RUNNING = "running"
        CANCELLED = "cancelled"
        FAILED = "failed"
        DONE = "done"

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="runs")
    attribute = models.ForeignKey(Attribute, models.PROTECT, related_name="runs")
    judge = models.ForeignKey(Judge, models.PROTECT, related_name="runs")
    prompt = models.ForeignKey(Prompt, models.PROTECT, null=True, blank=True, related_name="runs")
    prompt_name = models.CharField(max_length=200, help_text="The prompt's name; recorded runs have no more than this.")
    method = models.CharField(max_length=100)
    is_scoring = models.BooleanField(
        default=False, help_text="Whether its answers are scores of single candidates, not comparisons."
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="runs",
        help_text="Empty for runs of the command line, which every researcher sees.",
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    error = models.TextField(blank=True, help_text="Why it failed.")
    selection = models.CharField(max_length=30, default="full", help_text="How pairs are chosen.")
    budget = models.PositiveIntegerField(null=True, blank=True, help_text="Comparisons per context; empty for all.")
    context_limit = models.PositiveIntegerField(null=True, blank=True, help_text="Contexts judged; empty for all.")
    seed = models.BigIntegerField(default=0)
    planned = models.PositiveIntegerField(help_text="Comparisons (or scores) asked for.")
    reasonings_planned = models.PositiveIntegerField(
        default=0,
        help_text="Texts that the method has the judge write first, about candidates alone, pairs or the task; 0 where "
        "it does not.",
    )
    spec = models.JSONField(help_text="Everything that was asked: judge, prompt text, selection, seed, dataset hash.")
    spec_hash = models.CharField(max_length=64, db_index=True, help_text="SHA-256 of the spec.")
    reasoning_sha256 = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of what is asked in a first step, but for the texts; else empty."
    )
    metrics_sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="The same of what is asked for its own metrics; else empty.",
    )
    environment = models.JSONField(
        default=dict, blank=True, help_text="What answered: resolved revision, dtype, device, versions."
    )
    prompt_tokens = models.PositiveBigIntegerField(default=0, help_text="Tokens of all prompts asked.")
    computed_tokens = models.PositiveBigIntegerField(default=0, help_text="Tokens that went through the model.")
    seconds = models.FloatField(default=0, help_text="Time spent judging, over all workers.")
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was handed to the workers; empty where another process judges it."
    )
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"run {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.pk])

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that makes the run repeatable: what was asked and what answered. Empty before that."""
        if not self.environment:
            return ""
        return sha256_of({"spec": self.spec, "environment": self.environment})

    @property
    def revision(self) -> str:
        """Of the model that answers, as its engine tells; empty before that."""
        found: str = self.environment.get("revision", "")
        return found

    @property
    def hold_out(self) -> float | None:
        """The share of an adaptive run's comparisons that is drawn at random; None for a run that is not adaptive."""
        share: float | None = self.spec.get("adaptive", {}).get("hold_out")
        return share

    def held_out_pairs(self) -> set[tuple[int, int]]:
        """The ordered pairs, as candidate ids, that an adaptive run holds out; empty for a run that is not adaptive."""
        if self.hold_out is None:
            return set()
        parts = self.chunks.values_list("held_out", flat=True)
        return {(first, second) for part in parts for first, second in part}

    @property
    def samples(self) -> int | None:
        """How many texts are sampled for each answer; None where answers are read off or written once."""
        number: int | None = self.spec.get("writing", {}).get("samples")
        return number

    @property
    def temperature(self) -> float:
        """At which everything is written; 0 takes the likeliest token each time."""
        return float(self.spec.get("writing", {}).get("temperature", 0.0))

    @property
    def metrics_name(self) -> str:
        """The prompt by which the judge writes its own metrics first; empty where it writes none."""
        metrics = self.spec.get("metrics")
        return prompt_label(metrics["name"], metrics["version"]) if metrics else ""

    @property
    def decoding(self) -> dict[str, float]:
        """What tells sampled texts apart from others. Without sampling the seed plays no part."""
        return {"temperature": self.temperature, "seed": self.seed if self.temperature > 0 else 0}

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE


ACTIVE = frozenset({Run.Status.PENDING, Run.Status.RUNNING})


class Outcome(models.TextChoices):
    """What became of a question. Only an answer counts in a figure; the rest is shown and counted."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    ERROR = "error"


class Comparison(models.Model):
    """An ordered pair shown to a judge, and its answer. Many at once are written by services.inserting.

    The unique constraint is the index of `run`. The other keys have indexes of their own: the database looks for
    comparisons whenever a context or a candidate is deleted.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="comparisons", db_index=False)
    context = models.ForeignKey(Context, models.CASCADE, related_name="+")
    first = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    second = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    outcome = models.CharField(max_length=10, choices=Outcome)
    p_first = models.FloatField(
        null=True,
        blank=True,
        help_text="Probability in [0, 1] that `first` is better; empty where only a choice is known.",
    )
    choice = models.CharField(
        max_length=10,
        choices=Choice,
        blank=True,
        help_text="The choice, recorded or of a judge that may call a tie; where p_first is there too, that counts.",
    )
    raw_first = models.FloatField(null=True, blank=True, help_text="Log-probability of the first label, in nats.")
    raw_second = models.FloatField(null=True, blank=True, help_text="Log-probability of the second label, in nats.")
    raw_tie = models.FloatField(null=True, blank=True, help_text="The same of the label of a tie, where there is one.")
    text = models.TextField(blank=True, help_text="What the judge wrote, where it wrote something.")
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["run", "outcome"], condition=Q(p_first=None), name="comparison_without_p_first"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["run", "first", "second"], name="comparison_once_per_run"),
            models.CheckConstraint(condition=~Q(first=F("second")), name="comparison_of_two_candidates"),
            models.CheckConstraint(
                condition=Q(p_first=None) | Q(p_first__gte=0, p_first__lte=1),
                name="comparison_p_first_is_a_probability",
            ),
            models.CheckConstraint(
                condition=(Q(outcome="answered") & (Q(p_first__isnull=False) | ~Q(choice="")))
                | (~Q(outcome="answered") & Q(p_first=None) & Q(choice="")),
                name="comparison_has_an_answer_or_none",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} against {self.second_id}: {self.outcome}"


class Score(models.Model):
    """A number that a judge or metric gave one candidate. Written and indexed as comparisons are."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="scores", db_index=False)
    context = models.ForeignKey(Context, models.CASCADE, related_name="+")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    outcome = models.CharField(max_length=10, choices=Outcome)
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["run", "outcome"], condition=Q(value=None), name="score_without_value")]
        constraints = [
            models.UniqueConstraint(fields=["run", "candidate"], name="score_once_per_run"),
            models.CheckConstraint(
                condition=Q(outcome="answered", value__isnull=False) | (~Q(outcome="answered") & Q(value=None)),
                name="score_has_a_value_or_none",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id}: {self.value}"
