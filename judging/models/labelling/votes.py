"""Votes of people, from a campaign or imported with a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from judging.models.datasets import Attribute, Candidate, Context, Dataset
from judging.models.labelling.assignments import CHECK_PURPOSES, Assignment, Purpose
from judging.models.labelling.campaign_pairs import PairAnswer
from judging.models.labelling.vote_exclusions import VoteExclusion

if TYPE_CHECKING:
    from judging.models.users import User


class Choice(models.TextChoices):
    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


class ReadingAid(models.TextChoices):
    """Aids for reading a pair. Their use is stored with the vote."""

    DIFFERENCES = "differences"
    SCROLLING = "scrolling"


class Undecided(models.TextChoices):
    """Answers to a pair that are counted, but excluded from figures."""

    BOTH_BAD = "both-bad", "Both bad"
    CANNOT_JUDGE = "cannot-judge", "Cannot judge"


EVERY_CHOICE = [*Choice.choices, *Undecided.choices]


def answer_of_choice(choice: str, *, is_swapped: bool) -> PairAnswer | None:
    """Return the answer to a pair that a choice gives; None for an undecided one. is_swapped: `other` stood first."""
    if choice == Choice.TIE:
        return PairAnswer.TIE
    if choice not in Choice.values:
        return None
    return PairAnswer.ONE if (choice == Choice.FIRST) != is_swapped else PairAnswer.OTHER


def choice_of_answer(answer: str, *, is_swapped: bool) -> str:
    """Return the choice that gives this answer to a pair; empty for no answer. is_swapped: `other` stood first."""
    return next((one for one in Choice.values if answer_of_choice(one, is_swapped=is_swapped) == answer), "")


class VoteQuerySet(models.QuerySet["Vote"]):
    def in_figures(self) -> Self:
        """Votes that count in figures: those that prefer a candidate or call a tie, and are not excluded.

        Votes on gold pairs and repeats check annotators, and are left out of all figures of judges.
        """
        return self.filter(choice__in=Choice.values, excluded=False).exclude(purpose__in=CHECK_PURPOSES)

    def visible_to(self, user: User) -> Self:
        """For researchers, all votes on datasets they may see; for others, their own votes."""
        if not user.is_researcher:
            return self.filter(user=user)
        return self.filter(attribute__dataset__in=Dataset.objects.visible_to(user))


class Vote(models.Model):
    """A person's choice between two candidates of an ordered pair."""

    context = models.ForeignKey(Context, models.CASCADE, related_name="votes")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="votes")
    first = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    second = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    choice = models.CharField(max_length=20, choices=EVERY_CHOICE)
    rater = models.CharField(max_length=200)
    occurrence = models.PositiveIntegerField(
        default=0, help_text="0 for a rater's first vote on this ordered pair, 1 for the second …"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="votes")
    assignment = models.OneToOneField(Assignment, models.SET_NULL, null=True, blank=True, related_name="vote")
    purpose = models.CharField(
        max_length=20, choices=Purpose, default=Purpose.ORDINARY, help_text="Why the pair was shown."
    )
    seconds = models.FloatField(null=True, blank=True, help_text="Time on the pair; empty if unknown.")
    strength = models.FloatField(null=True, blank=True, help_text="Strength of the preference; empty if unknown.")
    confidence = models.FloatField(null=True, blank=True, help_text="The rater's confidence; empty if unknown.")
    comment = models.TextField(blank=True)
    reading_aids = models.CharField(
        max_length=40, blank=True, help_text="Aids that the annotator used on the pair, separated by spaces."
    )
    excluded = models.BooleanField(default=False, help_text="True for a vote that is excluded from figures.")
    exclusion = models.ForeignKey(
        VoteExclusion,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="votes",
        help_text="Who excluded it, and why; empty for a vote that came in as excluded.",
    )
    exclude_reason = models.TextField(blank=True, help_text="Why a vote came in as excluded; empty if unknown.")
    campaign_name = models.CharField(
        max_length=200, blank=True, help_text="Campaign of an imported vote. Other votes have an assignment."
    )
    guidelines = models.TextField(blank=True, help_text="Guidelines of an imported vote: their text or version.")
    gold_answer = models.CharField(
        max_length=10, choices=Choice, blank=True, help_text="Known answer of an imported vote on a gold pair."
    )
    voted_at = models.DateTimeField(null=True, blank=True, help_text="Empty if unknown, as in most imported votes.")
    changed_at = models.DateTimeField(null=True, blank=True, help_text="When the annotator last changed the vote.")

    objects = VoteQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["attribute", "first", "second", "rater", "occurrence"], name="vote_once_per_rater_and_pair"
            ),
            models.CheckConstraint(condition=~Q(first=F("second")), name="vote_on_two_candidates"),
            models.CheckConstraint(
                condition=Q(choice__in=[*Choice.values, *Undecided.values]), name="vote_has_a_known_choice"
            ),
            models.CheckConstraint(condition=~Q(rater=""), name="vote_has_a_rater"),
        ]

    def __str__(self) -> str:
        return f"{self.rater}: {self.choice}"

    @property
    def known_answer(self) -> str:
        """The known answer of a gold pair, as a choice in the order shown. Empty for other pairs."""
        if self.assignment is None:
            return self.gold_answer
        return choice_of_answer(self.assignment.pair.gold_answer, is_swapped=self.assignment.swapped)

    @property
    def why_excluded(self) -> str:
        """The reason of an excluded vote; empty for one in figures, and where it is unknown."""
        return self.exclusion.reason if self.exclusion else self.exclude_reason

    @property
    def guidelines_name(self) -> str:
        """The guidelines under which a campaign's vote was given, by their digest; those of an imported vote as given.

        Empty if there were none.
        """
        if self.assignment is None:
            return self.guidelines
        return self.assignment.guidelines.digest if self.assignment.guidelines else ""
