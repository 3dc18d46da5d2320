"""Tokens by which programs use the HTTP API for a person."""

from django.db import models
from knox.models import AbstractAuthToken


class ApiToken(AbstractAuthToken):
    """A token of a person. Only its hash is stored, and its first characters, by which people know it."""

    user = models.ForeignKey("judging.User", related_name="+", on_delete=models.CASCADE)
    objects = models.Manager["ApiToken"]()

    name = models.CharField(max_length=100, help_text="Where the token is used, in the person's words.")
    scopes = models.JSONField(default=list, help_text="What it may do; empty for all that the person may.")
    last_used = models.DateTimeField(null=True, help_text="Time of the last request, to five minutes.")

    def __str__(self) -> str:
        return f"{self.name} ({self.token_key}…)"
