"""Frozen reports: tables of a study as they were on one day, which later changes do not alter."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from judging.models.runs import Run
from judging.models.studies import Study

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
