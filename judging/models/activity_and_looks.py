"""Activity: who did what, on what, and when, for admins; and looks: figures of the test part that were shown."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.datasets import Dataset


class Act(models.TextChoices):
    """Kinds of activity. An import is one also where it came by a command."""

    IMPORT = "import"
    CREATE = "create"
    START = "start"
    SHARE = "share"
    CHANGE = "change"
    EXCLUDE = "exclude"
    RESTORE = "restore"
    CANCEL = "cancel"
    RESUME = "resume"
    DISCARD = "discard"
    DELETE = "delete"
    INVITE = "invite"
    WITHDRAW = "withdraw"
    DOWNLOAD = "download"
    IDENTIFY = "identify"
    SIGN_IN = "sign-in"


class ActivityQuerySet(models.QuerySet["Activity"]):
    def matching(self, text: str = "", *, action: str = "") -> Self:
        """Activity of this action that has each word in the name of the person or of the thing, latest first."""
        found = self.filter(action=action) if action else self.all()
        for word in text.split():
            found = found.filter(Q(who__username__icontains=word) | Q(on__icontains=word))
        return found.select_related("who").order_by("-pk")


class Activity(models.Model):
    """One action. Nothing changes it; it goes when it is old. It names accounts by number, so that names can go."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", help_text="Empty without an account."
    )
    by_command = models.BooleanField(default=False, help_text="True for a command, which has no account.")
    action = models.CharField(max_length=20, choices=Act)
    on = models.CharField(max_length=300, help_text="Kind, number and name of the thing, or name of the file.")

    objects = ActivityQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.who_name}: {self.action} {self.on}"

    @property
    def who_name(self) -> str:
        """The name of the account, or which door it was without one."""
        if self.who:
            return self.who.get_username()
        return "command line" if self.by_command else "visitor"


class Look(models.Model):
    """Figures of one run on the test part, shown once. It outlives the run, which it names by number."""

    class Door(models.TextChoices):
        PAGE = "page", "page"
        API = "API", "API"
        COMMAND = "command", "command"

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="looks")
    at = models.DateTimeField(auto_now_add=True)
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", help_text="Empty without an account."
    )
    door = models.CharField(max_length=10, choices=Door)
    run = models.PositiveBigIntegerField(help_text="Number of the run.")
    judge = models.CharField(max_length=500, help_text="Judge and prompt of the run.")
    figures = models.CharField(max_length=50, help_text="Which figures, such as report.")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"run {self.run}, {self.figures}, by {self.door}"
