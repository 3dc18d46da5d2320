"""Asking an OpenAI-compatible endpoint over HTTP: what is tried again, what fails a question, what fails the run."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Mapping
from threading import Lock

import httpx

from judging.engine.endpoint.retry_delays import Clock, Patience, backoff, told_wait
from judging.engine.exceptions import EngineError, LoadFailed, Unavailable
from judging.engine.replies.endpoint_reply import Malformed, Reply, error_message, read_reply
from judging.engine.settings import EngineSettings

CONCURRENCY = 8
TIMEOUT_SECONDS = 120.0  # between two signs of life; a text of 512 tokens from a busy endpoint takes a while
ATTEMPTS = 5
LIMITED_ATTEMPTS = 20  # under a rate limit several threads compete for little, so one of them may lose often
LONGEST_WAIT = 300.0
SHORTEST_BELIEVED = 1.0  # twice in a row: where "Retry-After: 0" comes again and again, all attempts were over at once
MOST_FAILURES_IN_A_ROW = 16
LARGEST_REPLY = 8 * 2**20

TRANSIENT = frozenset({408, 429, 500, 502, 503, 504})
ABOUT_THE_QUESTION = frozenset({400, 413, 422})
EXPLAINED = {
    401: "it refuses the key; check the variable that the judge names, where the judge runs",
    402: "it wants to be paid first",
    403: "it does not let this key use the model",
    404: "it knows no such model, or the address is not that of its API (most end with /v1)",
    410: "it no longer has this model, or this address",
}


class RequestFailed(Exception):
    """There is no reply to this one request; the message says why."""


class RequestRefused(RequestFailed):
    """The endpoint finds fault with this very request."""


class Transient(Exception):
    """Worth another attempt.

    wait: seconds that the endpoint asked for. lasting: it says nothing about the question. attempts: the most in all.
    """

    def __init__(
        self, reason: str, *, wait: float | None = None, lasting: bool = False, attempts: int = ATTEMPTS
    ) -> None:
        super().__init__(reason)
        self.wait, self.lasting, self.attempts = wait, lasting, attempts


class Endpoint:
    """One address, one key, used by several threads. No message holds the key, whatever the endpoint sends back."""

    def __init__(
        self, settings: EngineSettings, *, timeout: float = TIMEOUT_SECONDS, clock: Clock | None = None
    ) -> None:
        self._clock = clock or Clock()
        self.patience = Patience(self._clock)
        self._key = _sendable(settings.api_key)
        self._url = f"{settings.base_url.rstrip('/')}/chat/completions"
        self._failures_in_a_row = 0
        self._lock = Lock()
        self._client = httpx.Client(
            headers={"Content-Type": "application/json", "User-Agent": "evenhand"}
            | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            timeout=timeout,
            limits=httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY),
        )

    def close(self) -> None:
        self._client.close()

    def ask(self, body: Mapping[str, object]) -> Reply:
        """Raises RequestFailed and Malformed for this one request, EngineError where asking on is of no use."""
        try:
            reply = read_reply(self.post(body))
        except Malformed as fault:
            self._count_failure(told := Malformed(self._told(fault)))
            raise told from None
        if reply.nothing_written and reply.is_cut:
            self._count_failure(Malformed(reply.nothing_written))
        else:
            self._failures_in_a_row = 0
        return reply

    def post(self, body: Mapping[str, object]) -> bytes:
        """The reply's body. Raises RequestFailed for this one request, EngineError where asking on is of no use."""
        content = json.dumps(body).encode()
        attempt = 0
        while True:
            self.patience.wait_until_open()
            attempt += 1
            try:
                return self._attempt(content)
            except Transient as trouble:
                self._wait_or_give_up(trouble, attempt)
            except RequestRefused:
                raise
            except RequestFailed as failure:
                self._count_failure(failure)
                raise

    def _wait_or_give_up(self, trouble: Transient, attempt: int) -> None:
        if trouble.wait is not None and trouble.wait > LONGEST_WAIT:
            raise Unavailable(f"{trouble} and wants to be left alone for {trouble.wait:.0f} seconds; go on after that")
        if attempt >= trouble.attempts:
            self._give_up(trouble, attempt)
        if trouble.wait is None:
            self.patience.wait(backoff(attempt))
        elif trouble.wait < SHORTEST_BELIEVED and attempt > 1:
            self.patience.hold_all(backoff(attempt - 1))
        else:
            self.patience.hold_all(trouble.wait)

    def _give_up(self, trouble: Transient, attempts: int) -> None:
        reason = f"{trouble}, {attempts} times"
        if trouble.lasting:
            raise Unavailable(f"{reason}; see to the endpoint, then go on")
        failure = RequestFailed(reason)
        self._count_failure(failure)
        raise failure

    def _count_failure(self, failure: RequestFailed | Malformed) -> None:
        """Raises Unavailable where so much failed in a row that it cannot be the questions."""
        with self._lock:
            self._failures_in_a_row += 1
            if self._failures_in_a_row < MOST_FAILURES_IN_A_ROW:
                return
            self._failures_in_a_row = 0
        raise Unavailable(
            f"{MOST_FAILURES_IN_A_ROW} requests failed one after the other, the last because {failure}; "
            "see to the endpoint, then go on"
        )

    def _attempt(self, content: bytes) -> bytes:
        request = self._client.build_request("POST", self._url, content=content)
        try:
            response = self._client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            self._require_trust(error)
            raise Transient(f"the endpoint {self._url} cannot be reached ({self._told(error)})", lasting=True) from None
        except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError) as error:
            raise Transient(f"the endpoint hung up before it answered ({self._told(error)})") from None
        except httpx.TimeoutException:
            raise RequestFailed("the endpoint did not answer in time") from None
        except httpx.HTTPError as error:
            raise EngineError(f"the endpoint {self._url} cannot be asked: {self._told(error)}") from None
        try:
            return self._read(response)
        finally:
            response.close()

    def _require_trust(self, error: Exception) -> None:
        """Raises EngineError if a connection failed for a reason that another attempt does not change."""
        reason = _tls_reason(error)
        if reason == "CERTIFICATE_VERIFY_FAILED":
            raise EngineError(
                f"the certificate of the endpoint {self._url} is not trusted ({self._told(error)}); "
                "let the variable SSL_CERT_FILE name a file with that of its authority, where the judge runs"
            ) from None
        if reason == "WRONG_VERSION_NUMBER":
            raise EngineError(f"the endpoint {self._url} does not speak https; is its address one with http?") from None

    def _read(self, response: httpx.Response) -> bytes:
        body = bytearray()
        try:
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST_REPLY:
                    raise RequestFailed(f"the endpoint's reply is longer than {LARGEST_REPLY} bytes")
        except httpx.TimeoutException:
            raise RequestFailed("the endpoint did not finish its reply in time") from None
        except httpx.HTTPError as error:
            raise RequestFailed(f"the endpoint's reply was cut off ({self._told(error)})") from None
        self._require_success(response, bytes(body))
        return bytes(body)

    def _require_success(self, response: httpx.Response, body: bytes) -> None:
        status = response.status_code
        wait = told_wait(response.headers, now=self._clock.wall())
        if response.is_success:
            self.patience.hold_all(min(wait or 0.0, LONGEST_WAIT))
            return
        told = self._told(error_message(body))
        reason = f"the endpoint answered {status}{f': {told}' if told else ''}"
        if status == 429 and "insufficient_quota" in body.decode(errors="replace"):
            raise Unavailable(f"{reason}; go on once there is quota again")
        if status in TRANSIENT:
            attempts = LIMITED_ATTEMPTS if status == 429 else ATTEMPTS
            raise Transient(reason, wait=wait, lasting=status in (429, 503), attempts=attempts)
        if status in ABOUT_THE_QUESTION:
            raise RequestRefused(reason)
        if status >= 500:
            raise RequestFailed(reason)
        if response.has_redirect_location:
            told = f"it sends on to {self._told(response.headers['location'].partition('?')[0])}"
        raise EngineError(self._hopeless(status, told))

    def _hopeless(self, status: int, told: str) -> str:
        """Some endpoints quote the key where they refuse it, in part or whole: then their words are left out."""
        words = f": {told}" if told and status not in (401, 403) else ""
        explained = EXPLAINED.get(status, "this is not how an OpenAI-compatible endpoint answers; check its address")
        return f"the endpoint {self._url} answered {status}{words} — {explained}"

    def _told(self, words: object) -> str:
        text = str(words).replace(self._key, "[the key]") if self._key else str(words)
        return text if len(text) <= 300 else f"{text[:300]}…"


def _tls_reason(error: BaseException | None) -> str:
    """OpenSSL's reason for a failed connection, from the causes of an error; empty if TLS did not fail."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error.reason or "" if error is not None else ""


def _sendable(key: str) -> str:
    """Raises LoadFailed for a key that no header takes; the library's own complaint would quote it."""
    if not re.fullmatch(r"[!-~]*", key):
        raise LoadFailed(
            "the endpoint's key holds a space, a line break or another character that no key has; set it anew"
        )
    return key
