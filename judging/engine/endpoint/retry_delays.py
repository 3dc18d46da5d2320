"""How long to wait before an endpoint is asked again, for all threads that ask it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from threading import Event

LONGEST_BACKOFF = 30.0
_PERIOD = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_UNITS = (3600.0, 60.0, 1.0, 0.001)


class Stopped(Exception):
    """Nobody wants the answers any more that were being waited for."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, as an argument. `sleep` is told the seconds, and the event that ends the wait early."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float, Event], object] = lambda seconds, stopped: stopped.wait(seconds)


class Patience:
    """Where one thread is told to wait, all do: a rate limit is the endpoint's, not a question's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open_at = clock.monotonic()
        self.stopped = Event()

    def hold_all(self, seconds: float) -> None:
        """Nothing is asked for so long."""
        self._open_at = max(self._open_at, self._clock.monotonic() + seconds)

    def wait_until_open(self) -> None:
        """Raises Stopped."""
        while (left := self._open_at - self._clock.monotonic()) > 0:
            self.wait(left)
        self.wait(0)

    def wait(self, seconds: float) -> None:
        """Only this thread. Raises Stopped."""
        if seconds > 0:
            self._clock.sleep(seconds, self.stopped)
        if self.stopped.is_set():
            raise Stopped


def backoff(attempt: int) -> float:
    """Seconds to wait after the so-many-th attempt, from 1, where the endpoint names no time."""
    return min(2.0 ** (attempt - 1), LONGEST_BACKOFF)


def told_wait(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds for which the endpoint wants to be left alone; None where it says nothing that can be read.

    now: seconds since 1970, for a Retry-After that is a date. Where a limit has nothing left, the time until it is
    filled again counts (`x-ratelimit-remaining-requests: 0`, `x-ratelimit-reset-requests: 1m30s`).
    """
    if "retry-after" in headers:
        return _retry_after(headers["retry-after"].strip(), now)
    waits = [
        _period(headers.get(f"x-ratelimit-reset-{kind}", ""))
        for kind in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _retry_after(value: str, now: float) -> float | None:
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _period(text: str) -> float | None:
    """`6m0s`, `1.5s`, `20ms` or plain seconds."""
    text = text.strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    match = _PERIOD.fullmatch(text)
    if not text or match is None:
        return None
    return sum(float(number or 0) * unit for number, unit in zip(match.groups(), _UNITS, strict=True))
