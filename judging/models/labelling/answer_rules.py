"""The answers that a campaign allows: choices, and what annotators may add to a vote."""

from django.db import models
from django.db.models import Q

FEWEST_LEVELS, MOST_LEVELS = 2, 10


class AnswerRules(models.Model):
    """The answers that a campaign allows. They are fixed once the first vote is in."""

    allow_ties = models.BooleanField(default=True, help_text="Fixed once the first vote is in.")
    allow_both_bad = models.BooleanField(
        default=False, help_text="Annotators may call both texts bad. Counted, but excluded from figures."
    )
    allow_cannot_judge = models.BooleanField(
        default=False, help_text="Annotators may say that they cannot judge a pair. Counted, but excluded from figures."
    )
    strength_levels = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Highest level of the strength of a preference, from 1; empty: not asked."
    )
    confidence_levels = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Highest level of the annotator's confidence, from 1; empty: not asked."
    )
    take_comments = models.BooleanField(default=False, help_text="Annotators may write a comment on each vote.")

    class Meta:
        abstract = True

    @property
    def choices(self) -> list[str]:
        """The choices that annotators have, in the words of `Vote.choice`."""
        undecided = [("tie", self.allow_ties), ("both-bad", self.allow_both_bad)]
        optional = [*undecided, ("cannot-judge", self.allow_cannot_judge)]
        return ["first", "second", *(choice for choice, is_allowed in optional if is_allowed)]

    @property
    def asks_details(self) -> bool:
        """True if annotators may add a strength, a confidence or a comment."""
        return bool(self.strength_levels or self.confidence_levels or self.take_comments)

    @property
    def strengths(self) -> range:
        """The levels of the strength; empty if it is not asked."""
        return range(1, (self.strength_levels or 0) + 1)

    @property
    def confidences(self) -> range:
        """The levels of the confidence; empty if it is not asked."""
        return range(1, (self.confidence_levels or 0) + 1)


ANSWER_RULES = tuple(field.name for field in AnswerRules._meta.fields)
"""Names of the rules, which are columns of a campaign."""


class AnswerLimits(models.Model):
    """Greatest shares among a person's answers with which they get a completion code."""

    most_skips = models.FloatField(
        null=True, blank=True, help_text="Greatest share of skips among a person's answers for a code; empty: no limit."
    )
    most_cannot_judge = models.FloatField(
        null=True, blank=True, help_text="The same of “cannot judge”, from 0 to 1; empty: no limit."
    )

    class Meta:
        abstract = True


ANSWER_LIMITS = tuple(field.name for field in AnswerLimits._meta.fields)
"""Names of the limits, which are columns of a campaign."""
LIMITS_ARE_SHARES = models.CheckConstraint(
    condition=(Q(most_skips=None) | Q(most_skips__gte=0, most_skips__lte=1))
    & (Q(most_cannot_judge=None) | Q(most_cannot_judge__gte=0, most_cannot_judge__lte=1)),
    name="campaign_limits_are_shares",
)
