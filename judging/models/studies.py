"""Studies: named sets of runs that one table of a paper shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.name_constraints import one_name_per_owner
from judging.models.row_counts import count_rows
from judging.models.runs import Run

if TYPE_CHECKING:
    from judging.models.users import User


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: User) -> Self:
        """A researcher's own studies, and studies whose runs they may all see; all for an admin.

        A study without runs is visible only to its owner and admins; one of the command line to all researchers.
        """
        if user.is_admin:
            return self
        if not user.is_researcher:
            return self.none()
        of_study = StudyRun.objects.filter(study=OuterRef("pk"))
        hidden = Exists(of_study.exclude(run__in=Run.objects.visible_to(user)))
        return self.filter(Q(owner=user) | (~hidden & (Q(owner=None) | Exists(of_study))))

    def changeable_by(self, user: User) -> Self:
        """A researcher's own studies and the visible ones of the command line; all studies for an admin."""
        visible = self.visible_to(user)
        return visible if user.is_admin else visible.filter(Q(owner=user) | Q(owner=None))

    def with_counts(self) -> Self:
        """Annotate `run_count`, and `active_count` of the runs that are queued or running."""
        rows = StudyRun.objects.filter(study=OuterRef("pk"))
        active = rows.filter(run__in=Run.objects.active())
        return self.annotate(run_count=count_rows(rows, by="study"), active_count=count_rows(active, by="study"))


class Study(models.Model):
    """A named set of runs."""

    OWNER = "owner"
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="studies",
        help_text="Empty for studies of the command line.",
    )
    groups = models.JSONField(
        default=list, blank=True, help_text="Named groups of subsets: a list of NAME=SUBSET,SUBSET."
    )
    baseline = models.ForeignKey(
        Run,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The run with which its table compares the others.",
    )
    part = models.CharField(
        max_length=11,
        blank=True,
        choices=[("", "all contexts"), (DEVELOPMENT, "development part"), (TEST, "test part")],
        help_text="The part of the contexts on which its table reports; empty for all.",
    )
    chosen_in = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The study in which its prompts and judges were chosen.",
    )
    runs = models.ManyToManyField(Run, through="judging.StudyRun", related_name="studies")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = one_name_per_owner("study", "owner")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("study", args=[self.pk])

    def visible_runs(self, user: User) -> models.QuerySet[Run]:
        """Return the runs that a person may see, in the study's order.

        An owner may see fewer than all: someone may have stopped sharing a dataset.
        """
        return Run.objects.visible_to(user).filter(memberships__study=self).order_by("memberships__position")


class StudyRun(models.Model):
    """A run in a study. A deleted run leaves its studies."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    run = models.ForeignKey(Run, models.CASCADE, related_name="memberships")
    position = models.PositiveIntegerField(help_text="Position among the study's runs, from 0.")

    class Meta:
        ordering = ["study_id", "position"]
        verbose_name_plural = "places in studies"
        constraints = [models.UniqueConstraint(fields=["study", "run"], name="run_once_per_study")]

    def __str__(self) -> str:
        return f"run {self.run_id} in study {self.study_id}"
