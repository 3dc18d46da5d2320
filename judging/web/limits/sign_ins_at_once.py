"""How many people may sign in at once: each costs processor time, and those who are in go on meanwhile."""

from collections.abc import Callable
from functools import wraps
from threading import BoundedSemaphore
from typing import TypeAlias

from django.http import HttpRequest, HttpResponseBase

from judging.web.error_pages import locked, too_busy
from judging.web.limits.client_addresses import tries_many_names

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
