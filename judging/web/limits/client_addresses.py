"""Clients by their address: behind proxies, trying many names, and how many requests they may send."""

from __future__ import annotations

from ipaddress import ip_address

from axes.helpers import get_cool_off
from axes.models import AccessFailureLog
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle, UserRateThrottle

TRIED_NAMES = 50
"""Names that may fail to sign in from one address within the time of a lock."""


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
    return failures.values("username").distinct().count() >= TRIED_NAMES


class RequestRate(UserRateThrottle):
    """Limits the requests of a person to the API, and those of an address without a person."""

    def get_ident(self, request: Request) -> str:
        return address_of(request._request) or ""


class SignInRate(RequestRate):
    """Limits sign-in attempts from one address. Wrong passwords also lock the account for a while."""

    scope, rate = "sign-in", "20/min"

    def get_cache_key(self, request: Request, view: object) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}
