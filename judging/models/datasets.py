"""Datasets: contexts, their candidates, attributes and human scores."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Count, Q
from django.urls import reverse

from evenhand.prompting.wording import comparative_of, default_adjective
from judging.models.name_constraints import one_name_per_owner

if TYPE_CHECKING:
    from judging.models.users import User


class Visibility(models.TextChoices):
    """Who may see a dataset. Admins see all datasets."""

    PRIVATE = "private", "Only its owner"
    SHARED = "shared", "People its owner names"
    OPEN = "open", "All researchers"


def choice_of_part_problems(dataset: Dataset, part: str) -> list[str]:
    """Return the problems of choosing something on this part of the dataset."""
    if part != DEVELOPMENT:
        return [f'choose_on: "{part}" — choose on {DEVELOPMENT}, and report on {TEST}']
    if not dataset.split:
        return [f'choose_on: "{dataset.name}" is not split; split it first: evenhand split_dataset "{dataset.name}"']
    return []


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def visible_to(self, user: User) -> Self:
        """A researcher's own, shared and open datasets; all for admins; none for annotators."""
        if user.is_admin:
            return self
        if not user.is_researcher:
            return self.none()
        shared = Dataset.shared_with.through.objects.filter(user=user).values("dataset")
        return self.filter(
            Q(visibility=Visibility.OPEN) | Q(owner=user) | Q(visibility=Visibility.SHARED, pk__in=shared)
        )

    def changeable_by(self, user: User) -> Self:
        """A researcher's own datasets; all datasets for an admin."""
        if user.is_admin:
            return self
        return self.filter(owner=user) if user.is_researcher else self.none()

    def with_counts(self) -> Self:
        return self.annotate(
            context_count=Count("contexts", distinct=True), candidate_count=Count("contexts__candidates", distinct=True)
        )


DEVELOPMENT, TEST = "development", "test"
PART_FIELD = "part"
"""Name of the field of a context that holds its part of a split."""


class Dataset(models.Model):
    """A named set of contexts. It never changes after import, but may be split once into two parts."""

    OWNER = "owner"
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    licence = models.TextField(blank=True)
    context_noun = models.CharField(max_length=100, blank=True, help_text='What a context is, e.g. "article".')
    candidate_noun = models.CharField(max_length=100, blank=True, help_text='What a candidate is, e.g. "summary".')
    source_format = models.CharField(max_length=30, help_text="Format of the imported file.")
    sha256 = models.CharField(max_length=64, help_text="SHA-256 of the imported files, concatenated.")
    size = models.PositiveBigIntegerField(default=0, help_text="Bytes of the imported files.")
    mapping = models.JSONField(
        null=True,
        blank=True,
        help_text="Mapping of the imported table, as options of `import_dataset`; null for a known format.",
    )
    judgment_mappings = models.JSONField(
        default=dict,
        blank=True,
        help_text="Latest mapping of a table of recorded judgments, by their kind, such as votes.",
    )
    context_fields = models.JSONField(
        default=list, blank=True, help_text="Names of the further fields of its contexts, such as turn."
    )
    split = models.JSONField(
        default=dict,
        blank=True,
        help_text='{"seed", "test_share", "development", "test": numbers of contexts}; empty if it is not split.',
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="datasets",
        help_text="The person who uploaded it; empty for datasets of the command line.",
    )
    visibility = models.CharField(
        "who may see it", max_length=10, choices=Visibility, default=Visibility.OPEN, help_text="Admins see all."
    )
    shared_with = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="shared_datasets",
        help_text="People who may see it if it is shared.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DatasetQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = one_name_per_owner("dataset", "owner")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("dataset", args=[self.pk])

    def has_texts(self) -> bool:
        """Return False for a dataset whose candidates all have an empty text, such as battles without texts."""
        candidates = Candidate.objects.filter(context__dataset=self).order_by()
        return candidates.exclude(text="").exists() or not candidates.exists()

    def end_of_first_contexts(self, count: int, *, left_out: Q | None = None) -> int:
        """Return the position after the first contexts with a candidate that is not left out.

        count: of these contexts. left_out: filter for candidates that are left out.
        """
        if left_out is None:
            return count
        remaining = Candidate.objects.filter(context__dataset=self).exclude(left_out)
        positions = remaining.order_by("context__position").values_list("context__position", flat=True).distinct()
        return max(positions[:count], default=-1) + 1

    def candidates_by_context(
        self, *, limit: int | None = None, left_out: Q | None = None
    ) -> dict[int, tuple[int, ...]]:
        """Load context position -> candidate ids, all in order; contexts without candidates are left out.

        limit: only the first N contexts that remain; None for all. left_out: filter for candidates that are left out.
        """
        candidates = Candidate.objects.filter(context__dataset=self)
        if left_out is not None:
            candidates = candidates.exclude(left_out)
        if limit is not None:
            candidates = candidates.filter(context__position__lt=self.end_of_first_contexts(limit, left_out=left_out))
        rows = candidates.order_by("context__position", "position").values_list("context__position", "pk")
        return {position: tuple(pk for _, pk in group) for position, group in groupby(rows, key=itemgetter(0))}


class Attribute(models.Model):
    """The quality that is judged, e.g. coherence."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="attributes")
    name = models.CharField(max_length=200)
    adjective = models.CharField(max_length=200, blank=True, help_text='As in "which is more coherent".')
    definition = models.TextField(blank=True)
    minimum = models.FloatField(null=True, blank=True, help_text="Lowest human score; empty if not declared.")
    maximum = models.FloatField(null=True, blank=True, help_text="Highest human score; empty if not declared.")
    position = models.PositiveIntegerField(help_text="Position among the dataset's attributes, from 0.")
    vote_changes = models.PositiveIntegerField(
        default=0, editable=False, help_text="Number of changes to votes and ratings; only grows."
    )

    class Meta:
        ordering = ["dataset_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "name"], name="attribute_once_per_dataset"),
            models.UniqueConstraint(fields=["dataset", "position"], name="attribute_position_once_per_dataset"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def asked_as(self) -> str:
        """Comparative form, as in judges' prompts: "more coherent", "better"."""
        return comparative_of(self.rated_as)

    @property
    def rated_as(self) -> str:
        """The adjective in "How … is this text?": "coherent", "good"."""
        return self.adjective or default_adjective(self.name)


class Context(models.Model):
    """An article, a dialogue or an instruction to which candidates respond."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="contexts")
    key = models.CharField(max_length=500, help_text="Identifier in the dataset's file.")
    text = models.TextField(blank=True)
    subset = models.CharField(max_length=200, blank=True)
    fields = models.JSONField(
        default=dict, blank=True, help_text="Name -> value of what else is known of it, such as its turn."
    )
    reference = models.TextField(blank=True)
    position = models.PositiveIntegerField(help_text="Position in the dataset, from 0.")

    class Meta:
        ordering = ["dataset_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "key"], name="context_once_per_dataset"),
            models.UniqueConstraint(fields=["dataset", "position"], name="context_position_once_per_dataset"),
            models.CheckConstraint(condition=~Q(subset="all"), name="context_subset_is_not_all"),
        ]

    def __str__(self) -> str:
        return self.key


class Candidate(models.Model):
    """One text that responds to one context."""

    context = models.ForeignKey(Context, models.CASCADE, related_name="candidates")
    key = models.CharField(max_length=500, help_text="Identifier within the context.")
    system = models.CharField(
        max_length=500, blank=True, help_text="The model or person that wrote it; never the judge."
    )
    text = models.TextField(blank=True)
    position = models.PositiveIntegerField(help_text="Position in the context, from 0.")

    class Meta:
        ordering = ["context_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["context", "key"], name="candidate_once_per_context"),
            models.UniqueConstraint(fields=["context", "position"], name="candidate_position_once_per_context"),
        ]

    def __str__(self) -> str:
        return self.key

    def scores_by_attribute(self) -> dict[int, float]:
        """Return the human score by attribute: the dataset's own, else the mean of the ratings."""
        own: dict[int, float] = {}
        ratings: dict[int, list[float]] = defaultdict(list)
        for score in self.human_scores.all():
            if score.rater and not score.excluded:
                ratings[score.attribute_id].append(score.value)
            elif not score.rater:
                own[score.attribute_id] = score.value
        return {attribute: fmean(values) for attribute, values in ratings.items()} | own


class HumanScoreQuerySet(models.QuerySet["HumanScore"]):
    def in_figures(self) -> Self:
        """Scores and ratings that count in figures: those that nobody excluded."""
        return self.filter(excluded=False)


class HumanScore(models.Model):
    """A number that people gave a candidate: one rater's rating, or the human score itself (empty rater).

    Correlations use the row without a rater; if there is none, the mean of the ratings that are not excluded.
    """

    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="human_scores")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="human_scores")
    rater = models.CharField(max_length=200, blank=True, help_text="The rater; empty for the dataset's own score.")
    value = models.FloatField()
    assignment = models.OneToOneField(
        "judging.Assignment",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="rating",
        help_text="Of a campaign's rating; empty for others.",
    )
    excluded = models.BooleanField(default=False, help_text="True for a rating that is excluded from figures.")
    exclusion = models.ForeignKey(
        "judging.VoteExclusion",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="ratings",
        help_text="Who excluded it, and why.",
    )

    objects = HumanScoreQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["candidate", "attribute", "rater"], name="human_score_once_per_rater")
        ]

    def __str__(self) -> str:
        return f"{self.value:g}"
