"""Runs: one judge × method × prompt × attribute × dataset."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, OuterRef, Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now
from django.urls import reverse
from django.utils import timezone

from evenhand.engine.questions.pair_questions import ANSWER_TOKENS
from evenhand.engine.questions.thinking import Thinking
from evenhand.prompting.methods import METHODS, Method, asked_method
from judging.models.chunks_and_workers import Chunk
from judging.models.comparisons import Comparison, Outcome, Score
from judging.models.datasets import DEVELOPMENT, PART_FIELD, Attribute, Dataset
from judging.models.exclusions import Exclusion
from judging.models.judges import Judge, Prompt, prompt_label
from judging.models.row_counts import count_rows
from judging.models.run_events import RunEvent

if TYPE_CHECKING:
    from judging.models.users import User

NULL_PAIRS = "null-pairs"
"""The selection that compares each candidate with itself. A fair judge has no preference there."""


def count_rows_of_run(model: type[models.Model], **filters: object) -> Coalesce:
    """Count the rows of `model` that the outer run has."""
    return count_rows(model._default_manager.filter(run=OuterRef("pk"), **filters), by="run")


def count_questions_asked() -> CombinedExpression:
    """Count the outer run's comparisons and scores of any outcome."""
    return count_rows_of_run(Comparison) + count_rows_of_run(Score)


def count_outcome(outcome: str) -> CombinedExpression:
    """Count the outer run's comparisons and scores with an outcome other than `answered`.

    The conditions repeat those of the partial indexes, so that the database uses them.
    """
    comparisons = count_rows_of_run(Comparison, outcome=outcome, p_first=None)
    return comparisons + count_rows_of_run(Score, outcome=outcome, value=None)


def sha256_of(document: dict[str, Any]) -> str:
    """Return the SHA-256 of canonical JSON: sorted keys, no spaces, UTF-8."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class RunQuerySet(models.QuerySet["Run"]):
    def active(self) -> Self:
        """Runs that are pending or running."""
        return self.filter(status__in=ACTIVE_STATUSES)

    def begin(self, run_id: int) -> bool:
        """Set an active run to running; False if it was cancelled, failed or is done."""
        active = self.active().filter(pk=run_id)
        return active.update(status=Run.Status.RUNNING, started_at=Coalesce(F("started_at"), Now())) == 1

    def finish(self, run_id: int) -> bool:
        """Set an active run to done; False if a chunk is unfinished or the run is no longer active."""
        active = self.active().filter(pk=run_id)
        with transaction.atomic(savepoint=False):
            # Lock the run while its chunks are read: a chunk that is reopened just then would never be judged.
            if active.select_for_update().values_list("pk").first() is None:
                return False
            if Chunk.objects.unfinished().filter(run=run_id).exists():
                return False
            ended = {"finished_at": timezone.now(), "error": "", "asked_in_all": count_questions_asked()}
            is_done = active.update(status=Run.Status.DONE, **ended) == 1
            if is_done:
                RunEvent.objects.record(run_id, RunEvent.Kind.DONE)
            return is_done

    def stop(self, run_id: int, *, status: str, error: str = "") -> bool:
        """Cancel or fail an active run; False if it is no longer active."""
        active = self.active().filter(pk=run_id)
        is_stopped = active.update(status=status, error=error, finished_at=timezone.now()) == 1
        if is_stopped:
            RunEvent.objects.record(run_id, status, detail=error)
        return is_stopped

    def visible_to(self, user: User) -> Self:
        """A researcher's own runs and those of the command line, on datasets they may see; all for an admin."""
        if user.is_admin:
            return self
        return self.filter(Q(owner=user) | Q(owner=None), dataset__in=Dataset.objects.visible_to(user))

    def ordinary(self) -> Self:
        """Runs for reports: not those with an added sentence, and not those of candidates with themselves."""
        return self.filter(added_sentence="").exclude(selection=NULL_PAIRS)

    def for_lists(self) -> Self:
        """Annotate progress, and load the related rows that lists show."""
        return self.with_progress().select_related("dataset", "attribute", "judge", "owner")

    def with_progress(self) -> Self:
        """Annotate counts of comparisons (or scores): `asked` of any outcome, `unparsed`, and `errors`."""
        return self.annotate(
            asked=Coalesce(F("asked_in_all"), count_questions_asked()),
            unparsed=count_outcome(Outcome.UNPARSED),
            errors=count_outcome(Outcome.ERROR),
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
    prompt_name = models.CharField(max_length=200, help_text="The prompt's name; a recorded run has no prompt row.")
    added_sentence = models.CharField(
        max_length=50,
        blank=True,
        help_text="Name of the sentence that was added to one candidate of each pair; empty for an ordinary run.",
    )
    method = models.CharField(max_length=100)
    is_scoring = models.BooleanField(
        default=False, help_text="True if its answers are scores of single candidates, not comparisons."
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
    warning = models.TextField(
        blank=True, help_text="How many prompts are longer than its judge takes, counted at the start; empty for none."
    )
    selection = models.CharField(max_length=30, default="full", help_text="The rule that chooses pairs.")
    comparisons_per_context = models.PositiveIntegerField(
        null=True, blank=True, help_text="Comparisons per context; empty for every pair."
    )
    contexts = models.PositiveIntegerField(
        null=True, blank=True, help_text="Limit to the first contexts of the dataset; empty for all."
    )
    seed = models.BigIntegerField(default=0)
    planned = models.PositiveIntegerField(help_text="Planned comparisons (or scores).")
    reasonings_planned = models.PositiveIntegerField(
        default=0,
        help_text="Texts that the judge writes before its answers: reasoning about candidates, pairs or the task, and "
        "criteria for contexts.",
    )
    spec = models.JSONField(help_text="The full configuration: judge, prompt text, selection, seed, dataset hash.")
    spec_hash = models.CharField(max_length=64, db_index=True, help_text="SHA-256 of the spec.")
    reasoning_sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="SHA-256 of the request for reasoning without the dataset's texts; else empty.",
    )
    criteria_sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="SHA-256 of the request for criteria without the dataset's texts; else empty.",
    )
    in_batches = models.BooleanField(default=False, help_text="The endpoint answers in batches, at half the price.")
    environment = models.JSONField(
        default=dict, blank=True, help_text="The engine that answers: resolved revision, dtype, device, versions."
    )
    asked_in_all = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text="Its answers of any outcome when it was done: lists need not count them again. Empty before.",
    )
    answer_changes = models.PositiveIntegerField(
        default=0, editable=False, help_text="Number of changes to its answers since it was made; only grows."
    )
    prompt_tokens = models.PositiveBigIntegerField(default=0, help_text="Tokens of all prompts.")
    computed_tokens = models.PositiveBigIntegerField(default=0, help_text="Tokens that went through the model.")
    seconds = models.FloatField(default=0, help_text="Time spent judging, summed over all workers.")
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was queued for the workers; empty if another process judges it."
    )
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    texts_removed = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Texts of reasoning and thinking that were removed because of their age; empty before that.",
    )
    texts_removed_after = models.PositiveIntegerField(null=True, blank=True, help_text="Their age, in days.")

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"run {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.pk])

    @property
    def answers(self) -> models.QuerySet[Comparison] | models.QuerySet[Score]:
        """Its comparisons; for a scoring run, its scores."""
        return Score.objects.filter(run=self) if self.is_scoring else Comparison.objects.filter(run=self)

    @property
    def candidate_fields(self) -> tuple[str, ...]:
        """Fields of its answers that refer to candidates, in the order of a chunk's items."""
        return ("candidate",) if self.is_scoring else ("first", "second")

    @property
    def fingerprint(self) -> str:
        """SHA-256 of spec and environment, which make the run repeatable. Empty before the first answer."""
        if not self.environment:
            return ""
        return sha256_of({"spec": self.spec, "environment": self.environment})

    @property
    def revision(self) -> str:
        """Revision of the model that answers; empty before the first answer."""
        revision: str = self.environment.get("revision", "")
        return revision

    @property
    def hold_out(self) -> float | None:
        """Share of an adaptive run's comparisons that is drawn at random for evaluation; None if not adaptive."""
        share: float | None = self.spec.get("adaptive", {}).get("hold_out")
        return share

    @property
    def bound(self) -> float | None:
        """Expected share of reordered pairs at which a context is done; None unless the selection is until-sure."""
        share: float | None = self.spec.get("adaptive", {}).get("bound")
        return share

    @property
    def anchor(self) -> str:
        """The system that every candidate is compared with; empty unless the selection is anchor."""
        name: str = self.spec.get("anchor", "")
        return name

    @property
    def asks_null_pairs(self) -> bool:
        """True if it compares each candidate with itself; then no figure but `null_pairs` of diagnostics uses it."""
        return self.selection == NULL_PAIRS

    @property
    def selection_name(self) -> str:
        """The selection with its anchor, such as "anchor:M11"."""
        return f"{self.selection}:{self.anchor}" if self.anchor else self.selection

    def held_out_pairs(self) -> set[tuple[int, int]]:
        """Ordered pairs of candidate ids that an adaptive run holds out; empty if not adaptive."""
        if self.hold_out is None:
            return set()
        chunks = self.chunks.values_list("held_out", flat=True)
        return {(first, second) for pairs in chunks for first, second in pairs}

    @property
    def exclusion(self) -> Exclusion:
        """The systems and contexts that the run leaves out."""
        return Exclusion.in_spec(self.spec)

    @property
    def asks_test_alone(self) -> bool:
        """True if the run leaves out the whole development part of its dataset, so that all its figures are of test."""
        left_out = self.exclusion.contexts
        if not (self.dataset.split and left_out):
            return False
        development = self.dataset.contexts.filter(**{f"fields__{PART_FIELD}": DEVELOPMENT})
        return set(development.values_list("key", flat=True)).issubset(left_out)

    @property
    def samples(self) -> int | None:
        """Texts sampled per answer; None if probabilities are read or one text is written."""
        number: int | None = self.spec.get("writing", {}).get("samples")
        return number

    @property
    def temperature(self) -> float:
        """Sampling temperature of all generated text; 0 is greedy."""
        return float(self.spec.get("writing", {}).get("temperature", 0.0))

    @property
    def thinking(self) -> Thinking | None:
        """Settings of the judge's thinking; None if it answers without thinking."""
        return Thinking(**self.spec["thinking"]) if "thinking" in self.spec else None

    @property
    def criteria_name(self) -> str:
        """Label of the prompt by which the judge writes criteria; empty if it writes none."""
        prompt = self.spec.get("metrics")
        return prompt_label(prompt["name"], prompt["version"]) if prompt else ""

    @property
    def asks_one_reply(self) -> bool:
        """True if the judge writes its reasoning and its verdict in one reply. False for a recorded run."""
        return bool(self.spec["prompt"].get("verdict"))

    @property
    def asks_decisions(self) -> bool:
        """True if a decision model answers typed questions."""
        return self.method in METHODS and METHODS[self.method].reads_decision

    @property
    def asked_method(self) -> Method:
        """Its method, as its prompt asks it. Raises KeyError for a method that Evenhand does not know."""
        return asked_method(self.method, one_reply=self.asks_one_reply)

    @property
    def most_answer_tokens(self) -> int:
        """Limit on the new tokens of one answer that is written as text."""
        return int(self.spec["prompt"]["reply_tokens"]) if self.asks_one_reply else ANSWER_TOKENS

    @property
    def decoding(self) -> dict[str, float]:
        """The settings that sampled texts depend on. Without sampling the seed has no effect, so it is 0."""
        return {"temperature": self.temperature, "seed": self.seed if self.temperature > 0 else 0}

    @property
    def is_demo(self) -> bool:
        """True for the demo judge, and for a jury with it as a member."""
        members = self.spec.get("jury", {}).get("members", [])
        return self.judge.is_demo or any(member.get("demo", False) for member in members)

    @property
    def chosen_on(self) -> str:
        """The part of the contexts on which the weights of a jury were learned; "" for other runs."""
        return str(self.spec.get("jury", {}).get("chosen_on", ""))

    @property
    def has_learned_weights(self) -> bool:
        """True for a jury whose weights were learned from people."""
        return self.method == "jury" and self.prompt_name == "weighted"

    @property
    def calibrates(self) -> int | None:
        """The run whose probabilities this one calibrates: the only member of a jury; None for other runs."""
        members = self.spec.get("jury", {}).get("members", ())
        return int(members[0]["run"]) if len(members) == 1 else None

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE_STATUSES


ACTIVE_STATUSES = frozenset({Run.Status.PENDING, Run.Status.RUNNING})
