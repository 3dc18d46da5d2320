"""Clients by their address: behind proxies, trying many names, their requests, and how many sign in at once."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import wraps
from ipaddress import ip_address
from threading import BoundedSemaphore
from typing import TypeAlias

from axes.helpers import get_cool_off
from axes.models import AccessFailureLog
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle, UserRateThrottle

from judging.web.error_pages import locked, too_busy

TRIED_NAMES = 50
"""Names that may fail to sign in from one address within the time of a lock."""

UNSTORED: deque[tuple[datetime, str | None, str | None]] = deque(maxlen=10_000)
"""Time, address and name of failed sign-ins that the database could not store. They count in this process."""


def address_of(request: HttpRequest) -> str | None:
    """Return the address that the outermost of PROXY_COUNT proxies saw; without a proxy, that of the connection."""
    connected = request.META.get("REMOTE_ADDR") or None
    try:
        return str(ip_address(BaseThrottle().get_ident(request) or ""))  # type: ignore[arg-type]
    except ValueError:  # a socket, or a header that no proxy wrote
        return connected


def tries_many_names(request: HttpRequest) -> bool:
    """Return True for an address from which many names failed to sign in just now. All processes count together."""
    failures = AccessFailureLog.objects.filter(
        ip_address=address_of(request), attempt_time__gt=timezone.now() - get_cool_off()
    )
    stored = failures.order_by().values_list("username", flat=True).distinct()
    return len({*stored, *unstored_failures(request)}) >= TRIED_NAMES


def unstored_failures(request: HttpRequest) -> list[str | None]:
    """Return the name of each failed sign-in from this address that was not stored, within the time of a lock."""
    since, address = timezone.now() - get_cool_off(), address_of(request)
    return [name for at, where, name in list(UNSTORED) if at > since and where == address]


def forget_unstored(username: str) -> None:
    """Forget the failed sign-ins of a name that were not stored: its person signed in, or an admin unlocked it."""
    for failure in [one for one in list(UNSTORED) if one[2] == username]:
        with suppress(ValueError):  # newer ones pushed it out
            UNSTORED.remove(failure)


class RequestRate(UserRateThrottle):
    """Limits the requests of a person to the API, and those of an address without a person."""

    def get_ident(self, request: Request) -> str:
        return address_of(request._request) or ""


class SignInRate(RequestRate):
    """Limits sign-in attempts from one address. Wrong passwords also lock the account for a while."""

    scope, rate = "sign-in", "20/min"

    def get_cache_key(self, request: Request, view: object) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


View: TypeAlias = Callable[..., HttpResponseBase]

SIGN_IN_PLACES = BoundedSemaphore(2)
"""People whose password is checked at once by a process. The other threads serve those who are in."""
LONGEST_SIGN_IN_WAIT = 2.0
"""Seconds until somebody who waits for a place is asked to try again."""


def few_at_once(view: View) -> View:
    """Let a view check at most two passwords at once. Longer waits get 503, tried names 429."""

    @wraps(view)
    def bounded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        if tries_many_names(request):
            return locked(request)
        if not SIGN_IN_PLACES.acquire(timeout=LONGEST_SIGN_IN_WAIT):
            return too_busy(request)
        try:
            return view(request, *args, **kwargs)
        finally:
            SIGN_IN_PLACES.release()

    return bounded
