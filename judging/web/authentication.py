"""Signing in by password or token, how many may at once, and the time of each person's last request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from threading import BoundedSemaphore
from typing import TypeAlias

from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token

from judging.models import User
from judging.web.error_pages import too_busy

View: TypeAlias = Callable[..., HttpResponseBase]

PRECISION = timedelta(minutes=5)
SIGN_IN_PLACES = BoundedSemaphore(2)
"""People whose password is checked at once by a process. The other threads serve those who are in."""
LONGEST_SIGN_IN_WAIT = 2.0
"""Seconds until somebody who waits for a place is asked to try again."""


class Argon2(Argon2PasswordHasher):
    """Argon2id with 19 MiB, two rounds and one thread, the least that OWASP recommends: some 20 ms of processor."""

    time_cost, memory_cost, parallelism = 2, 19 * 1024, 1


def few_at_once(view: View) -> View:
    """Let a view check at most two passwords at once. Who waits longer than two seconds gets 503."""

    @wraps(view)
    def bounded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        if not SIGN_IN_PLACES.acquire(timeout=LONGEST_SIGN_IN_WAIT):
            return too_busy(request)
        try:
            return view(request, *args, **kwargs)
        finally:
            SIGN_IN_PLACES.release()

    return bounded


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
