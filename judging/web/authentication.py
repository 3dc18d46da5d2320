"""Sign-in by token, and the time of each person's last request, for the list of accounts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token

from judging.models import User

Handler: TypeAlias = Callable[[HttpRequest], HttpResponseBase]

PRECISION = timedelta(minutes=5)


def note_last_seen(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: note the request of a person who is signed in."""

    def noted(request: HttpRequest) -> HttpResponseBase:
        if isinstance(request.user, User):
            note_seen(request.user)
        return get_response(request)

    return noted


class SeenTokenAuthentication(TokenAuthentication):
    """Sign-in by token, which notes the request too."""

    def authenticate_credentials(self, key: str) -> tuple[User, Token]:
        user, token = super().authenticate_credentials(key)
        note_seen(user)
        return user, token


def note_seen(user: User) -> None:
    """Store the time, at most once in five minutes."""
    now = timezone.now()
    if user.last_seen is None or now - user.last_seen > PRECISION:
        User.objects.filter(pk=user.pk).update(last_seen=now)
