"""Invitations to campaigns, and how each annotator came in."""

import secrets
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from judging.models.labelling.campaigns import Campaign
from judging.models.row_counts import count_rows


def new_invitation_code() -> str:
    """Return a random code of 128 bits, for a link that nobody can guess."""
    return secrets.token_urlsafe(16)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def with_counts(self) -> Self:
        """Annotate `people_count`: people who came in by the invitation."""
        people = Enrolment.objects.filter(invitation=OuterRef("pk"))
        return self.annotate(people_count=count_rows(people, by="invitation"))

    def open(self) -> Self:
        """Keep invitations by which people can still come in."""
        usable = self.filter(withdrawn_at=None, expires_at__gt=timezone.now()).with_counts()
        return usable.filter(people_count__lt=F("most_people"))


class Invitation(models.Model):
    """A link by which people come into a campaign, limited in number and time."""

    class Admission(models.TextChoices):
        ACCOUNT = "account", "people who have an account"
        REGISTRATION = "registration", "anyone with the link; they make an account"
        PLATFORM = "platform", "participants of a recruiting platform, such as Prolific; without a password"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    code = models.CharField(max_length=43, unique=True, editable=False, default=new_invitation_code)
    admission = models.CharField(max_length=20, choices=Admission)
    signed_only = models.BooleanField(default=False, help_text="True if Prolific must have signed the link.")
    person = models.CharField(
        max_length=403, blank=True, help_text="Name and e-mail address of one invited person; empty for several people."
    )
    most_people = models.PositiveIntegerField(help_text="Number of people who may come in.")
    most_pairs = models.PositiveIntegerField(
        null=True, blank=True, help_text="Number of pairs that each person votes on; empty for all."
    )
    expires_at = models.DateTimeField(help_text="From then on, nobody can come in.")
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="When a researcher withdrew the link.")
    completion_code = models.CharField(
        max_length=100, blank=True, help_text="Shown to annotators at the end; empty for none."
    )
    screening_code = models.CharField(
        max_length=100, blank=True, help_text="Shown to annotators below a pass mark; empty for none."
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(most_people__gte=1), name="invitation_for_a_person"),
            models.CheckConstraint(condition=Q(most_pairs=None) | Q(most_pairs__gte=1), name="invitation_to_a_pair"),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to campaign {self.campaign_id}"

    def get_absolute_url(self) -> str:
        return reverse("join", args=[self.code])

    @property
    def state(self) -> str:
        """One of open, campaign closed, withdrawn, expired and used up.

        Reads `people_count`, where with_counts() annotated it.
        """
        if self.campaign.is_closed:
            return "campaign closed"
        if self.withdrawn_at:
            return "withdrawn"
        if self.expires_at <= timezone.now():
            return "expired"
        people = self.people_count if hasattr(self, "people_count") else self.enrolments.count()
        return "used up" if people >= self.most_people else "open"


class EnrolmentQuerySet(models.QuerySet["Enrolment"]):
    def shown_their_code(self) -> Self:
        """Enrolments of people who have read their completion code."""
        return self.exclude(completed_at=None).filter(invitation__completion_code__gt="")


class Enrolment(models.Model):
    """How an annotator came into a campaign by an invitation. It stays when the annotator is removed."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="enrolments")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="enrolments")
    invitation = models.ForeignKey(Invitation, models.SET_NULL, null=True, related_name="enrolments")
    registered = models.BooleanField(default=False, help_text="True if the account was created by this invitation.")
    platform = models.CharField(max_length=20, blank=True, help_text="prolific, mturk or sona; empty for others.")
    platform_person = models.CharField(max_length=200, blank=True, help_text="PROLIFIC_PID, workerId or survey_code.")
    platform_study = models.CharField(max_length=200, blank=True, help_text="STUDY_ID or hitId; empty without one.")
    platform_session = models.CharField(
        max_length=200, blank=True, help_text="SESSION_ID or assignmentId; empty without one."
    )
    enrolled_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the annotator first had no pair left after answering."
    )

    objects = EnrolmentQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="enrolment_once_per_annotator"),
            models.UniqueConstraint(
                fields=["campaign", "platform_person"],
                condition=~Q(platform_person=""),
                name="enrolment_once_per_platform_person",
            ),
        ]
        indexes = [models.Index(fields=["platform_person"], name="enrolment_platform_person")]

    def __str__(self) -> str:
        return f"{self.annotator_id} in campaign {self.campaign_id}"
