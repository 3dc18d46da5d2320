"""Retries at an endpoint: whether to send a failed request again, and how long to wait first.

The waits are shared by all threads that ask one endpoint, because a rate limit applies to all of them.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import ceil
from threading import Event, Lock
from typing import TypeVar

from evenhand.engine.exceptions import Unavailable
from evenhand.engine.interruption import require_use
from evenhand.engine.replies.endpoint_reply import MalformedReply
from evenhand.units import counted

ATTEMPTS = 5
RATE_LIMITED_ATTEMPTS = 20  # threads compete for a small rate limit, so one thread may lose often
RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
LONGEST_BACKOFF = 30.0  # seconds
LONGEST_TRIAL_WAIT = 5.0  # seconds; a trial, on which somebody waits, waits once so long if the endpoint asks for it
LONGEST_WAIT = 300.0  # seconds; an endpoint that asks for more fails the run
SHORTEST_TRUSTED_WAIT = 1.0  # seconds; repeated "Retry-After: 0" would use up all attempts at once
MOST_FAILURES_IN_A_ROW = 16  # then the endpoint as a whole is failing, whatever the questions
LONGEST_OUTAGE = 300.0  # seconds of failures alone; then the run fails
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 60.0  # seconds between the attempts of an endpoint that is failing

_PERIOD = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_UNITS = (3600.0, 60.0, 1.0, 0.001)

SentT = TypeVar("SentT")


class RequestFailed(Exception):
    """One request has no reply; the message gives the reason."""


class RequestRefused(RequestFailed):
    """The endpoint rejects the content of this request. It does not count as a failure of the endpoint.

    parameter: the field of the request that it names as the cause; empty if it names none.
    """

    def __init__(self, reason: str, *, parameter: str = "") -> None:
        super().__init__(reason)
        self.parameter = parameter


class TransientFailure(Exception):
    """A failure that another attempt may overcome.

    wait: seconds that the endpoint asked for; None if it named no time.
    advice: what to do about an endpoint that is down.
    is_endpoint_down: True if the failure has nothing to do with the question, so that giving up fails the run.
    attempts: the most attempts, the first included.
    gives: the exception after the last attempt, which its catcher counts if it is no RequestFailed.
    """

    def __init__(
        self,
        reason: str,
        *,
        wait: float | None = None,
        is_endpoint_down: bool = False,
        attempts: int = ATTEMPTS,
        advice: str = "check the endpoint",
        gives: type[Exception] = RequestFailed,
    ) -> None:
        super().__init__(reason)
        self.wait, self.is_endpoint_down, self.attempts = wait, is_endpoint_down, attempts
        self.advice, self.gives = advice, gives

    @classmethod
    def from_status(cls, status: int, reason: str, *, wait: float | None) -> "TransientFailure":
        """Return the failure for an HTTP status in RETRIED_STATUSES."""
        attempts = RATE_LIMITED_ATTEMPTS if status == 429 else ATTEMPTS
        return cls(reason, wait=wait, is_endpoint_down=status in (429, 503), attempts=attempts)


class WaitCancelled(Exception):
    """Raised when the run failed or was cancelled while a request was waiting."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, as an argument. `sleep` takes the seconds, and an event that ends the wait early."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float, Event], object] = lambda seconds, cancelled: cancelled.wait(seconds)


class SharedPause:
    """A pause before the next request, shared by all threads of one endpoint."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ends_at = clock.monotonic()
        self.cancelled = Event()

    def pause_all(self, seconds: float) -> None:
        """Let no thread send a request for this many seconds. A shorter pause does not end a longer one."""
        self._ends_at = max(self._ends_at, self._clock.monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        return self._clock.monotonic() >= self._ends_at

    def wait_until_over(self) -> None:
        """Wait until the shared pause is over. Raises WaitCancelled."""
        while (left := self._ends_at - self._clock.monotonic()) > 0:
            self.wait(left)
        self.wait(0)

    def wait(self, seconds: float) -> None:
        """Pause the calling thread only. Raises WaitCancelled and Interrupted."""
        if seconds > 0:
            self._clock.sleep(seconds, self.cancelled)
        require_use()
        if self.cancelled.is_set():
            raise WaitCancelled


class RetryPolicy:
    """The retry rules of one endpoint, and its count of failures in a row. Several threads share it.

    attempts: the most attempts of a request; None for as many as its failure calls for.
    """

    def __init__(self, clock: Clock, *, attempts: int | None = None) -> None:
        self.pause = SharedPause(clock)
        self._clock = clock
        self._attempts = attempts
        self._failures_in_a_row = 0
        self._failing_since = 0.0
        self._outage_pauses = 0
        self._lock = Lock()

    def send(self, attempt: Callable[[], SentT]) -> SentT:
        """Call `attempt` until it succeeds or another attempt is of no use. While all requests fail, go on for minutes.

        Raises RequestFailed and MalformedReply for this one request, and EngineError where further ones would fail too.
        """
        while True:
            try:
                return self._send(attempt)
            except RequestRefused:
                raise
            except (RequestFailed, MalformedReply) as failure:
                if not self.count_failure(failure):
                    raise

    def _send(self, attempt: Callable[[], SentT]) -> SentT:
        """Call `attempt` as often as its failures call for. Raises as `send` does."""
        attempts = 0
        while True:
            self.pause.wait_until_over()
            attempts += 1
            try:
                return attempt()
            except TransientFailure as failure:
                self._wait_or_give_up(failure, attempts)

    @property
    def again(self) -> str:
        """Return what to do once the endpoint answers again."""
        return "try again" if self._attempts else "resume the run"

    def count_success(self) -> None:
        """Start the count of failures in a row again."""
        self._failures_in_a_row = self._outage_pauses = 0

    def count_failure(self, failure: Exception) -> bool:
        """Count a failed request, and return True if it shall be sent again, because the endpoint fails as a whole.

        All requests then pause, for longer each time. Raises Unavailable after LONGEST_OUTAGE.
        """
        with self._lock:
            now = self._clock.monotonic()
            if not self._failures_in_a_row:
                self._failing_since = now
            self._failures_in_a_row += 1
            failures, lasted = self._failures_in_a_row, now - self._failing_since
            if failures < MOST_FAILURES_IN_A_ROW or self._attempts:
                return False
            if lasted < LONGEST_OUTAGE:
                self._pause_in_outage()
                return True
            self.count_success()
        within = counted(round(lasted), "second")
        raise Unavailable(
            f"{failures} requests in a row failed within {within}, the last because {failure}; "
            "check the endpoint, then resume the run"
        )

    def _pause_in_outage(self) -> None:
        """Let all requests pause. Those that fail together make one pause."""
        if self.pause.is_over:
            self.pause.pause_all(min(FIRST_PAUSE * 2**self._outage_pauses, LONGEST_PAUSE))
            self._outage_pauses += 1

    def _wait_or_give_up(self, failure: TransientFailure, attempts: int) -> None:
        if failure.wait is not None and failure.wait > LONGEST_WAIT:
            raise Unavailable(f"{self._waiting(failure)}; {self.again} after that")
        if attempts >= (self._attempts or failure.attempts) and not self._waits_briefly(failure, attempts):
            self._give_up(failure, attempts)
        if failure.wait is None:
            self.pause.wait(backoff(attempts))
        elif failure.wait < SHORTEST_TRUSTED_WAIT and attempts > 1:
            self.pause.pause_all(backoff(attempts - 1))
        else:
            self.pause.pause_all(failure.wait)

    def _give_up(self, failure: TransientFailure, attempts: int) -> None:
        if failure.gives is not RequestFailed:
            raise failure.gives(f"{failure}, in {attempts} attempts" if attempts > 1 else str(failure))
        if self._attempts:
            if failure.wait:
                raise Unavailable(f"{self._waiting(failure)}; {self.again} after that")
            raise Unavailable(f"{failure}; {failure.advice}" if failure.is_endpoint_down else str(failure))
        reason = f"{failure}, in {attempts} attempts"
        if failure.is_endpoint_down:
            raise Unavailable(f"{reason}; {failure.advice}, then resume the run")
        raise RequestFailed(reason)

    def _waits_briefly(self, failure: TransientFailure, attempts: int) -> bool:
        """Return True for the first short wait of a trial."""
        wait = failure.wait
        return attempts == self._attempts and wait is not None and 0 < wait <= LONGEST_TRIAL_WAIT

    @staticmethod
    def _waiting(failure: TransientFailure) -> str:
        return f"{failure}; it asks to wait {counted(ceil(failure.wait or 0), 'second')}"


def backoff(attempt: int) -> float:
    """Return the seconds to wait after an attempt, numbered from 1, where the endpoint names no time."""
    return min(2.0 ** (attempt - 1), LONGEST_BACKOFF)


def requested_wait(headers: Mapping[str, str], *, now: float) -> float | None:
    """Return the seconds that the endpoint's headers ask to wait; None if they name no readable time.

    Retry-After counts first. Else a rate limit with nothing left counts until it is filled again
    (`x-ratelimit-remaining-requests: 0`, `x-ratelimit-reset-requests: 1m30s`).
    now: seconds since 1970, for a Retry-After that is a date.
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
    """Read `6m0s`, `1.5s`, `20ms` or plain seconds as seconds."""
    text = text.strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    match = _PERIOD.fullmatch(text)
    if not text or match is None:
        return None
    return sum(float(number or 0) * unit for number, unit in zip(match.groups(), _UNITS, strict=True))
