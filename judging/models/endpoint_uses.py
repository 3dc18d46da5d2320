"""Uses of endpoints by people and API keys, which their limits of a day are compared with."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Sum
from django.db.models.functions import Now, TruncDay


class EndpointUseQuerySet(models.QuerySet["EndpointUse"]):
    def today(self) -> Self:
        """Uses since 00:00 UTC, by the clock of the database: those of workers may be wrong."""
        return self.filter(used_at__gte=TruncDay(Now()))

    def totals(self) -> dict[str, int]:
        """Return the sums of requests and of tokens."""
        sums = self.aggregate(requests=Sum("requests"), tokens=Sum("tokens"))
        return {name: number or 0 for name, number in sums.items()}


class EndpointUse(models.Model):
    """Requests and tokens of one slice, or requests of one batch. It stays when its run is deleted."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Owner of the run; empty for the command line.",
    )
    key = models.CharField(max_length=200, blank=True, help_text="Name of the variable of the API key.")
    requests = models.PositiveIntegerField()
    tokens = models.PositiveBigIntegerField(help_text="Tokens of prompts and replies.")
    used_at = models.DateTimeField(db_index=True, help_text="By the clock of the database.")

    objects = EndpointUseQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.requests} requests by {self.key or 'no key'}"
