"""Studies: named sets of runs that one table of a paper shows; and frozen reports: their tables as of one day."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from evenhand.units import counted
from judging.models.comparisons import Comparison, Score
from judging.models.datasets import DEVELOPMENT, PART_FIELD, TEST, Context
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


def part_warnings(study: Study, runs: Sequence[Run]) -> list[str]:
    """Return warnings about figures of a study on contexts on which something was chosen. runs: of the study."""
    return [*_of_split(study, runs), *_of_juries(study, runs), *_of_development(study)]


def shared_contexts(study: Study, other: Study) -> int:
    """Count the contexts on which both studies report."""
    return _contexts_of(study).filter(pk__in=_contexts_of(other).order_by().values("pk")).count()


def reads_part(study: Study, runs: Sequence[Run]) -> bool:
    """Return True if the study reports on one part, and the datasets of all its runs are split."""
    return bool(study.part) and bool(runs) and all(run.dataset.split for run in runs)


def part_of_runs(study: Study, runs: Sequence[Run]) -> str:
    """Return the part on which the study reports; "" for all contexts, also where a dataset is not split."""
    return study.part if reads_part(study, runs) else ""


def _of_split(study: Study, runs: Sequence[Run]) -> Iterator[str]:
    unsplit = dict.fromkeys(run.dataset.name for run in runs if not run.dataset.split)
    if study.part and unsplit:
        yield (
            f"This study reports on the {study.part} part, but {', '.join(unsplit)} "
            f"{'is' if len(unsplit) == 1 else 'are'} not split: figures cover all contexts"
        )
    if study.part == DEVELOPMENT:
        yield "This study reports on the development part: choose here, and report in a study of the test part"


def _of_juries(study: Study, runs: Sequence[Run]) -> Iterator[str]:
    if reads_part(study, runs) and study.part == TEST:
        return
    for run in runs:
        if run.chosen_on:
            yield (
                f"The weights of {run.judge.name} (run {run.pk}) were learned on the {run.chosen_on} part, which these "
                "figures include: let the study report on the test part"
            )


def _of_development(study: Study) -> Iterator[str]:
    if study.chosen_in and (number := shared_contexts(study, study.chosen_in)):
        yield (
            f"{counted(number, 'context')} of these figures {'is' if number == 1 else 'are'} also in study "
            f"{study.chosen_in_id}, in which its prompts and judges were chosen"
        )


def _contexts_of(study: Study) -> QuerySet[Context]:
    """Return the contexts with a record of the study's runs, in its part where the dataset is split."""
    runs = Run.objects.filter(memberships__study=study).order_by().values("pk")
    compared, scored = (kind.objects.filter(context=OuterRef("pk"), run__in=runs) for kind in (Comparison, Score))
    contexts = Context.objects.filter(Exists(compared) | Exists(scored))
    if not study.part:
        return contexts
    return contexts.filter(Q(dataset__split={}) | Q(**{f"fields__{PART_FIELD}": study.part}))


if TYPE_CHECKING:
    from judging.models.users import User


def new_key() -> str:
    """Draw the part of a link that nobody can guess, 128 bits."""
    return secrets.token_urlsafe(16)


class FrozenReportQuerySet(models.QuerySet["FrozenReport"]):
    def open(self) -> Self:
        """Reports that are not withdrawn."""
        return self.filter(withdrawn_at=None)

    def visible_to(self, user: User) -> Self:
        """A researcher's own reports, and those of studies that they may see; all for an admin."""
        if user.is_admin:
            return self
        if not user.is_researcher:
            return self.none()
        return self.filter(Q(owner=user) | Q(study__in=Study.objects.visible_to(user)))

    def changeable_by(self, user: User) -> Self:
        """A person's own reports; all for an admin."""
        return self if user.is_admin else self.filter(owner=user)


class FrozenReport(models.Model):
    """Tables of a study with their methods and certificate, written once as one HTML file."""

    key = models.CharField(max_length=40, unique=True, default=new_key, help_text="Anyone with it may read the report.")
    name = models.CharField(max_length=200)
    study = models.ForeignKey(
        Study,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="frozen_reports",
        help_text="Empty if the study was deleted.",
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="frozen_reports"
    )
    runs = models.ManyToManyField(Run, related_name="+", help_text="The runs that it shows. It is deleted with any.")
    html = models.TextField(help_text="The whole report as one HTML file, with its data as JSON.")
    created_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="Empty while its link works.")

    objects = FrozenReportQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("frozen-report", args=[self.key])

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the file."""
        return sha256(self.html.encode()).hexdigest()
