"""Judges and prompts. Neither is edited once it is used; a judge can get another name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.urls import reverse

from evenhand.engine import DEMO_MODEL
from evenhand.engine.metrics import METRICS, metric_name
from evenhand.engine.questions.pair_questions import ANSWER_TOKENS
from evenhand.engine.questions.reply_questions import REPLY_TOKENS
from evenhand.engine.questions.verdict_patterns import SCORE, SCORE_A, Place
from evenhand.prompting.methods import PROMPTED, Method, asked_method
from judging.models.name_constraints import one_name_per_owner

if TYPE_CHECKING:
    from judging.models.users import User


class JudgeQuerySet(models.QuerySet["Judge"]):
    def in_use(self) -> Self:
        """Judges that can be asked: neither retired, nor only recorded, nor juries."""
        return self.exclude(backend__in=Judge.UNASKED_BACKENDS).filter(retired_at=None)

    def visible_to(self, user: User) -> Self:
        """Judges for researchers; recorded ones and juries only to who added them or sees a run of theirs."""
        if user.is_admin:
            return self
        if not user.is_researcher:
            return self.none()
        seen = Judge._meta.get_field("runs").related_model.objects.visible_to(user)  # type: ignore[attr-defined]
        hidden = Q(backend__in=Judge.UNASKED_BACKENDS) & ~Q(owner=user) & ~Q(pk__in=seen.values("judge"))
        return self.exclude(pk__in=Judge.objects.filter(hidden).values("pk"))


class Judge(models.Model):
    """An LLM with its settings, or the name under which recorded judgments came in."""

    class Backend(models.TextChoices):
        TRANSFORMERS = "transformers", "a model run here"
        OPENAI = "openai", "an OpenAI-compatible endpoint"
        METRIC = "metric", "a metric"
        RECORDED = "recorded", "judgments made elsewhere"
        JURY = "jury", "a jury of other runs"

    class Dtype(models.TextChoices):
        FLOAT32 = "float32"
        BFLOAT16 = "bfloat16"
        FLOAT16 = "float16"

    UNASKED_BACKENDS = (Backend.RECORDED, Backend.JURY)

    OWNER = "owner"
    name = models.CharField(max_length=200)
    backend = models.CharField(max_length=20, choices=Backend)
    model = models.CharField(max_length=500, blank=True, help_text="A hub id, a folder with a model, or a metric.")
    revision = models.CharField(max_length=200, blank=True, help_text="Commit, tag or branch of a hub model.")
    dtype = models.CharField(max_length=20, choices=Dtype, default=Dtype.FLOAT32)
    device = models.CharField(max_length=20, default="auto", help_text="cpu, cuda, cuda:1 … or auto.")
    pickled_weights = models.BooleanField(default=False, help_text="Its weights may be pickles, as an admin allowed.")
    base_url = models.CharField(max_length=500, blank=True, help_text="Address of the endpoint.")
    api_key_env = models.CharField(max_length=200, blank=True, help_text="Variable that holds the key; never the key.")
    price_input = models.FloatField(
        null=True, blank=True, help_text="Price of a million input tokens, in any currency."
    )
    price_output = models.FloatField(
        null=True, blank=True, help_text="Price of a million output tokens, in the same currency."
    )
    dialect = models.CharField(
        max_length=40, blank=True, help_text="Names of the endpoint's request fields; empty to recognise them."
    )
    ask_by = models.CharField(
        max_length=20, blank=True, help_text="How the endpoint is asked for a label word; empty to find what suits it."
    )
    probes = models.JSONField(
        default=dict,
        blank=True,
        help_text="The last probes of the endpoint, without thinking (off) and with (on): its dialect, the parameters "
        "that it refused, and its words.",
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="judges",
        help_text="The person who added it; empty for judges that came with Evenhand or from the command line.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="It takes no new runs since; empty if in use.")

    objects = JudgeQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(backend__in=["recorded", "jury"]) | ~Q(model=""), name="judge_that_is_asked_has_a_model"
            ),
            *one_name_per_owner("judge", "owner"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("judge", args=[self.pk])

    @property
    def is_demo(self) -> bool:
        """True for the demo judge, which is trained for the sample data only."""
        return self.model == DEMO_MODEL

    @property
    def added_by(self) -> User | None:
        """Who added it; None for recorded judgments and juries, whose name several people may use."""
        return self.owner if self.can_be_asked else None

    @property
    def is_retired(self) -> bool:
        return self.retired_at is not None

    @property
    def can_be_asked(self) -> bool:
        """False for recorded judgments and for juries, which get no new answers."""
        return self.backend not in self.UNASKED_BACKENDS

    @property
    def is_recorded(self) -> bool:
        """True for judgments that were made elsewhere."""
        return self.backend == self.Backend.RECORDED

    @property
    def is_jury(self) -> bool:
        """True if its answers are combined from those of other runs."""
        return self.backend == self.Backend.JURY

    @property
    def is_endpoint(self) -> bool:
        """True if an endpoint answers over the network."""
        return self.backend == self.Backend.OPENAI

    def last_probe(self, *, thinks: bool) -> dict[str, Any]:
        """Return what the last probe of the endpoint found, as in `probes`; empty before it."""
        probe: dict[str, Any] = self.probes.get("on" if thinks else "off", {})
        return probe

    @property
    def runs_here(self) -> bool:
        """True if our workers load a model for it, with a precision and a device."""
        return self.has_weights or (self.is_metric and metric_name(self.model).loads_model)

    @property
    def has_weights(self) -> bool:
        """True for a language model that our own workers load."""
        return self.backend == self.Backend.TRANSFORMERS

    @property
    def is_metric(self) -> bool:
        """True for a metric, which scores texts without a prompt."""
        return self.backend == self.Backend.METRIC

    @property
    def has_prices(self) -> bool:
        return self.price_input is not None and self.price_output is not None

    def cost_of(self, *, asked: float, written: float) -> float:
        """Return the cost of prompt tokens and generated tokens; 0 without prices."""
        return (asked * (self.price_input or 0) + written * (self.price_output or 0)) / 1_000_000

    @property
    def measures(self) -> str:
        """Description of a metric's scores; empty for any other judge."""
        return METRICS[metric_name(self.model).kind].gives if self.is_metric else ""


AFTER_SHIPPED = 1_000
"""Position of prompts that people add, so that the first prompt of a method is a shipped one."""


def prompt_label(name: str, version: int) -> str:
    """Return the name of a prompt's version in runs, commands and URLs: `name`, or `name@2` from version 2."""
    return name if version == 1 else f"{name}@{version}"


def method_choices() -> list[tuple[str, str]]:
    """Return the methods that have prompts, with their titles. A function, so a new method needs no migration."""
    return [(method.name, method.title) for method in PROMPTED.values()]


class PromptQuerySet(models.QuerySet["Prompt"]):
    def newest(self) -> Self:
        """The latest version of each name."""
        same_name = Prompt.objects.filter(name=OuterRef("name")).order_by("-version")
        return self.filter(version=Subquery(same_name.values("version")[:1]))


class Prompt(models.Model):
    """A named, versioned template. A new wording is a new version; rows never change."""

    name = models.CharField(max_length=200)
    version = models.PositiveIntegerField(default=1)
    method = models.CharField(max_length=30, choices=method_choices)
    system = models.TextField(blank=True, help_text="System message; empty where there is none.")
    template = models.TextField(help_text="The question, with placeholders (docs/how-to/prompts.md).")
    reasoning_template = models.TextField(
        blank=True, help_text="The request for reasoning about each candidate, about the pair, or about the task."
    )
    answer_prefix = models.CharField(
        max_length=200, blank=True, help_text="Start of the reply, before the label words."
    )
    label_first = models.CharField(
        max_length=50, blank=True, help_text="Label word of the first candidate; for scores, the lowest number."
    )
    label_second = models.CharField(
        max_length=50, blank=True, help_text="Label word of the second candidate; for scores, the highest number."
    )
    label_tie = models.CharField(
        max_length=50, blank=True, help_text="Label word of a tie; empty if the judge must choose."
    )
    verdict = models.TextField(
        blank=True, help_text="Forms of the verdict in a reply, one a line; empty if the answer is a label word alone."
    )
    verdict_place = models.CharField(
        max_length=20, default=Place.ANYWHERE.value, help_text="The verdict of a reply that counts."
    )
    reply_tokens = models.PositiveIntegerField(default=REPLY_TOKENS, help_text="Limit on the tokens of a reply.")
    source = models.TextField(blank=True, help_text="Source of the wording.")
    position = models.PositiveIntegerField(default=0, help_text="Position among the prompts of its method, from 0.")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="prompts",
        help_text="User who may add versions; empty for prompts shipped with Evenhand or from the command line.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PromptQuerySet.as_manager()

    class Meta:
        ordering = ["method", "position", "name", "-version"]
        constraints = [models.UniqueConstraint(fields=["name", "version"], name="prompt_version_once_per_name")]

    def __str__(self) -> str:
        return self.label

    def get_absolute_url(self) -> str:
        return reverse("prompt", args=[self.pk])

    @property
    def label(self) -> str:
        """Its name in runs, commands and URLs: with the version from version 2."""
        return prompt_label(self.name, self.version)

    @property
    def method_record(self) -> Method:
        """Its method, as this prompt asks it."""
        return asked_method(self.method, one_reply=bool(self.verdict))

    @property
    def offers_tie(self) -> bool:
        """True if the judge may answer with a tie: by a third label word, or by two equal scores."""
        return bool(self.label_tie) or SCORE_A in self.verdict

    @property
    def asks_score(self) -> bool:
        """True if a verdict in the reply is the score of one text."""
        return SCORE in self.verdict and not self.offers_tie

    @property
    def most_answer_tokens(self) -> int:
        """Limit on the new tokens of one answer that is written as text."""
        return self.reply_tokens if self.verdict else ANSWER_TOKENS

    @property
    def is_shipped(self) -> bool:
        """True for prompts shipped with Evenhand."""
        return self.position < AFTER_SHIPPED
