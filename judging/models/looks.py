"""Looks: figures of the test part of a dataset that were shown to somebody."""

from django.conf import settings
from django.db import models

from judging.models.datasets import Dataset


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
