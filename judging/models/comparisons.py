"""Comparisons and scores: the answers of judges, and people's marks on the reasoning behind them."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from evenhand.engine.questions.thinking import ReadingProblem
from evenhand.engine.replies.sampled_answers import read_samples
from judging.models.datasets import Candidate, Context
from judging.models.labelling.votes import Choice

P_FIRST_OF_CHOICE = {Choice.FIRST.value: 1.0, Choice.SECOND.value: 0.0, Choice.TIE.value: 0.5}
"""p_first of an answer that has a choice but no probability."""


def choices_of_samples(text: str) -> list[float | None]:
    """Return 1, 1/2 or 0 for each sample in the text of a sampled answer; None for an unparsed sample."""
    reads = [sample.read for sample in read_samples(text)]
    return [P_FIRST_OF_CHOICE.get(read) if isinstance(read, str) else None for read in reads]


class Outcome(models.TextChoices):
    """The outcome of one question. Figures use answers only; the others are counted and shown."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    ERROR = "error"


class AnswerProblem(models.TextChoices):
    """The kind of an unparsed answer. The first two also mark answers that were read after such thinking."""

    EMPTY_REASONING = ReadingProblem.EMPTY_REASONING.value, "empty reasoning"
    CUT_REASONING = ReadingProblem.CUT_REASONING.value, "reasoning cut at its limit"
    VERDICT_IN_REASONING = ReadingProblem.VERDICT_IN_REASONING.value, "verdict only in the reasoning"
    TWO_VERDICTS = ReadingProblem.TWO_VERDICTS.value, "two verdicts"
    REFUSAL = ReadingProblem.REFUSAL.value, "refusal"
    NO_VERDICT = ReadingProblem.NO_VERDICT.value, "no verdict"
    IGNORED_PARAMETER = ReadingProblem.IGNORED_PARAMETER.value, "the endpoint ignored a parameter"
    UNKNOWN_PROBABILITY = ReadingProblem.UNKNOWN_PROBABILITY.value, "a verdict without known probability"
    OTHER_MODEL = ReadingProblem.OTHER_MODEL.value, "answered by another model"


PROBLEM_FITS_OUTCOME = (
    Q(outcome="unparsed") | Q(problem="") | Q(outcome="answered", problem__in=["empty-reasoning", "cut-reasoning"])
)


class Comparison(models.Model):
    """An ordered pair shown to a judge, with its answer. Bulk inserts: services/execution/bulk_insert.py.

    The unique constraint serves as the index of `run`. The other foreign keys have their own indexes, because
    the database looks up comparisons when a context or a candidate is deleted.
    """

    run = models.ForeignKey("judging.Run", models.CASCADE, related_name="comparisons", db_index=False)
    context = models.ForeignKey(Context, models.CASCADE, related_name="+")
    first = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    second = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    outcome = models.CharField(max_length=10, choices=Outcome)
    p_first = models.FloatField(
        null=True,
        blank=True,
        help_text="Probability in [0, 1] that `first` is better; empty if only a choice is known.",
    )
    choice = models.CharField(
        max_length=10,
        choices=Choice,
        blank=True,
        help_text="The choice of a recorded comparison or of a prompt with ties; p_first overrides it.",
    )
    raw_first = models.FloatField(null=True, blank=True, help_text="Log-probability of the first label, in nats.")
    raw_second = models.FloatField(null=True, blank=True, help_text="Log-probability of the second label, in nats.")
    raw_tie = models.FloatField(
        null=True, blank=True, help_text="Log-probability of the tie label, in nats; empty if the prompt has none."
    )
    text = models.TextField(blank=True, help_text="Text that the judge wrote; empty if only probabilities were read.")
    error = models.TextField(blank=True)
    thinking = models.TextField(blank=True, help_text="The judge's thinking before its answer; empty without.")
    thinking_tokens = models.PositiveIntegerField(default=0, help_text="Tokens of the thinking.")
    p_first_before = models.FloatField(
        null=True, blank=True, help_text="p_first of the same question without thinking; empty if not known."
    )
    problem = models.CharField(max_length=30, choices=AnswerProblem, blank=True)
    is_null_pair = models.BooleanField(
        default=False, help_text="True if its run compares each candidate with itself; only then are both the same."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["run", "outcome"], condition=Q(p_first=None), name="comparison_without_p_first"),
            models.Index(fields=["run"], condition=Q(p_first_before__isnull=False), name="comparison_before_thinking"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["run", "first", "second"], name="comparison_once_per_run"),
            models.CheckConstraint(
                condition=Q(is_null_pair=True, first=F("second")) | (Q(is_null_pair=False) & ~Q(first=F("second"))),
                name="comparison_of_two_candidates",
            ),
            models.CheckConstraint(
                condition=Q(p_first=None) | Q(p_first__gte=0, p_first__lte=1),
                name="comparison_p_first_is_a_probability",
            ),
            models.CheckConstraint(
                condition=(Q(outcome="answered") & (Q(p_first__isnull=False) | ~Q(choice="")))
                | (~Q(outcome="answered") & Q(p_first=None) & Q(choice="")),
                name="comparison_has_an_answer_or_none",
            ),
            models.CheckConstraint(condition=PROBLEM_FITS_OUTCOME, name="comparison_problem_fits_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} against {self.second_id}: {self.outcome}"

    @property
    def candidate_ids(self) -> tuple[int, ...]:
        return (self.first_id, self.second_id)

    @property
    def decision(self) -> str:
        """`first`, `second` or `tie`: by p_first if there is one, else by the choice. Empty without an answer."""
        if self.outcome != Outcome.ANSWERED:
            return ""
        if self.p_first is None:
            return self.choice
        return "tie" if self.p_first == 0.5 else "first" if self.p_first > 0.5 else "second"


BOUNDED = Q(p_first=None, raw_tie=None, outcome=Outcome.ANSWERED) & (
    Q(raw_first__isnull=False, raw_second=None) | Q(raw_first=None, raw_second__isnull=False)
)
"""Decisions between two label words. The probability of one is not known, but is certainly the smaller one."""

_DECISIONS = {
    Choice.FIRST: Q(p_first__gt=0.5) | Q(p_first=None, choice=Choice.FIRST),
    Choice.SECOND: Q(p_first__lt=0.5) | Q(p_first=None, choice=Choice.SECOND),
    Choice.TIE: Q(p_first=0.5) | Q(p_first=None, choice=Choice.TIE),
}


def decided(choice: Choice) -> Q:
    """Return the filter for comparisons whose `decision` is this choice."""
    return Q(outcome=Outcome.ANSWERED) & _DECISIONS[choice]


class Score(models.Model):
    """A number that a judge or metric gave one candidate. Inserted and indexed like comparisons."""

    run = models.ForeignKey("judging.Run", models.CASCADE, related_name="scores", db_index=False)
    context = models.ForeignKey(Context, models.CASCADE, related_name="+")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    outcome = models.CharField(max_length=10, choices=Outcome)
    value = models.FloatField(null=True, blank=True)
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    thinking = models.TextField(blank=True, help_text="The judge's thinking before its answer; empty without.")
    thinking_tokens = models.PositiveIntegerField(default=0, help_text="Tokens of the thinking.")
    value_before = models.FloatField(
        null=True, blank=True, help_text="Value of the same question without thinking; empty if not known."
    )
    problem = models.CharField(max_length=30, choices=AnswerProblem, blank=True)
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
            models.CheckConstraint(condition=PROBLEM_FITS_OUTCOME, name="score_problem_fits_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id}: {self.value}"

    @property
    def candidate_ids(self) -> tuple[int, ...]:
        return (self.candidate_id,)


class AuditMark(models.Model):
    """One person's mark on a wrong decision: does the reasoning name the preferred text's flaw [Jeong2024, 3.2]?"""

    class Mark(models.TextChoices):
        NAMED = "named", "Identifies the flaw"
        MISSED = "missed", "Misses the flaw"
        UNSURE = "unsure", "Can't tell"

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="marks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="marks")
    mark = models.CharField(max_length=10, choices=Mark)
    marked_at = models.DateTimeField(auto_now=True, help_text="When the mark was set or last changed.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["comparison", "user"], name="mark_once_per_person"),
            models.CheckConstraint(condition=Q(mark__in=["named", "missed", "unsure"]), name="mark_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.mark}"
