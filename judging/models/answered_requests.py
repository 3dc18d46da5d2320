"""Requests that may be sent again without a second effect."""

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models


class AnsweredRequest(models.Model):
    """A request with a key of its own, which a program or a preview chose, and its answer, for a day."""

    user = models.ForeignKey("judging.User", on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64, help_text="SHA-256 of method, address and body.")
    status = models.PositiveSmallIntegerField(default=0)
    answer = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="request_once_per_key")]

    def __str__(self) -> str:
        return self.key
