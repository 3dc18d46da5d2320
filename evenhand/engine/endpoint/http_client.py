"""HTTP requests to an OpenAI-compatible endpoint, and what each failure means.

retries.py decides whether a failed request is sent again, and how long to wait first.
"""

import json
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from typing import Any
from weakref import WeakSet

import httpx

from evenhand.engine.endpoint.forbidden_addresses import ForbiddenAddress, refuse_connection
from evenhand.engine.endpoint.retries import (
    LONGEST_WAIT,
    RETRIED_STATUSES,
    Clock,
    RequestFailed,
    RequestRefused,
    RetryPolicy,
    TransientFailure,
    requested_wait,
)
from evenhand.engine.exceptions import EngineError, LoadFailed, Unavailable
from evenhand.engine.interruption import wakes
from evenhand.engine.replies.endpoint_reply import (
    REASONING_FIELDS,
    BrokenReply,
    EndpointReply,
    MalformedReply,
    error_message,
    error_parameter,
    read_reply,
)
from evenhand.engine.settings import EngineSettings

CONCURRENCY = 8
TIMEOUT_SECONDS = 120.0  # without a byte; a text of 512 tokens from a busy endpoint takes long
MODEL_LIST_SECONDS = 5.0
LARGEST_REPLY = 8 * 2**20  # bytes

QUESTION_STATUSES = frozenset({400, 413, 422})
"""Statuses that reject one question, not the endpoint's settings."""

STATUS_REASONS = {
    401: "it refuses the key; check the variable that the judge names, on the machine that judges",
    402: "it requires payment first",
    403: "it does not allow this key to use the model",
    404: "it has no such model, or the base URL is not that of its API (most end with /v1)",
    410: "it no longer has this model or this address",
}


@cache
def _trusted() -> ssl.SSLContext:
    """Read the certificates that this machine trusts. Each client would take 25 ms to read them again."""
    return httpx.create_ssl_context()


class EndpointClient:
    """A client of one address with one key, shared by several threads. No error message contains the key."""

    def __init__(
        self,
        settings: EngineSettings,
        *,
        timeout: float = TIMEOUT_SECONDS,
        clock: Clock | None = None,
        attempts: int | None = None,
    ) -> None:
        self._clock = clock or Clock()
        self.retries = RetryPolicy(self._clock, attempts=attempts)
        self._key = _checked_key(settings.api_key)
        self._base_url = settings.base_url.rstrip("/")
        self._url = f"{self._base_url}/chat/completions"
        self._client = httpx.Client(
            headers={"User-Agent": "evenhand"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            timeout=timeout,
            limits=httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY),
            verify=_trusted(),
        )
        self._sockets: WeakSet[socket.socket] = WeakSet()
        wakes(self)

    def close(self) -> None:
        self._client.close()

    def interrupt(self) -> None:
        """End requests that wait for a reply, and pauses."""
        self.retries.pause.cancelled.set()
        for one in tuple(self._sockets):
            with suppress(OSError):  # closed already
                one.shutdown(socket.SHUT_RDWR)

    def allow(self) -> None:
        self.retries.pause.cancelled.clear()

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Refuse a connection to a forbidden address, and keep the socket of any other. An extension of httpx."""
        refuse_connection(event, info)
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.add(info["return_value"].get_extra_info("socket"))

    def ask(self, body: Mapping[str, object], reasoning_fields: Sequence[str] = REASONING_FIELDS) -> EndpointReply:
        """Send a request and read its reply.

        Raises RequestFailed and MalformedReply for this one request, EngineError where further requests would fail.
        """
        try:
            reply = self.retries.send(lambda: self._attempt_to_ask(body, reasoning_fields))
        except MalformedReply as fault:
            raise MalformedReply(self._safe(fault)) from None
        if reply.empty_reason and reply.is_cut and not reply.has_thought:
            self.retries.count_failure(MalformedReply(reply.empty_reason))
        else:
            self.retries.count_success()
        return reply

    def _attempt_to_ask(self, body: Mapping[str, object], reasoning_fields: Sequence[str]) -> EndpointReply:
        content = self._attempt_to_post("/chat/completions", body)
        try:
            return read_reply(content, reasoning_fields)
        except BrokenReply as fault:
            raise TransientFailure(self._safe(fault), gives=BrokenReply) from None

    def post(self, body: Mapping[str, object]) -> bytes:
        """Return the body of the reply, after retries. Raises RequestFailed and EngineError as in `ask`."""
        return self.post_to("/chat/completions", body)

    def post_to(self, path: str, body: Mapping[str, object]) -> bytes:
        """Return the body of the reply to JSON that is sent to a path of the API. Raises as `post` does."""
        return self.retries.send(lambda: self._attempt_to_post(path, body))

    def post_from_root(self, path: str, body: Mapping[str, object]) -> bytes:
        """Return the body of the reply to JSON that is sent to a path beside the API's `/v1`. Raises as `post` does."""
        root = self._base_url.removesuffix("/v1")
        return self.retries.send(lambda: self._attempt_to_post(path, body, root=root))

    def _attempt_to_post(self, path: str, body: Mapping[str, object], *, root: str = "") -> bytes:
        content, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        return self._attempt("POST", path, root=root, content=content, headers=headers)

    def upload(self, name: str, content: bytes) -> bytes:
        """Return the body of the reply to a file that is uploaded for a batch. Raises as `post` does."""
        form: dict[str, Any] = {"data": {"purpose": "batch"}, "files": {"file": (name, content, "application/jsonl")}}
        return self.retries.send(lambda: self._attempt("POST", "/files", **form))

    def get(self, path: str, *, largest: int = LARGEST_REPLY) -> bytes:
        """Return the body of the reply to a GET request. largest: in bytes. Raises as `post` does."""
        return self.retries.send(lambda: self._attempt("GET", path, largest=largest))

    def list_models(self) -> object:
        """Return the endpoint's list of models; None if it gives none within MODEL_LIST_SECONDS. Raises EngineError."""
        url = f"{self._base_url}/models"
        request = self._client.build_request("GET", url, timeout=MODEL_LIST_SECONDS, extensions={"trace": self._trace})
        try:
            response = self._client.send(request, stream=True)
            with closing(response):
                return json.loads(self._read_body(response)) if response.is_success else None
        except ForbiddenAddress as address:
            raise self._forbidden(address) from None
        except (httpx.HTTPError, RequestFailed, TransientFailure, ValueError, RecursionError):
            return None

    def _attempt(
        self,
        method: str,
        path: str,
        *,
        root: str = "",
        largest: int = LARGEST_REPLY,
        **content: Any,  # noqa: ANN401 - httpx's
    ) -> bytes:
        url = (root or self._base_url) + path
        request = self._client.build_request(method, url, extensions={"trace": self._trace}, **content)
        try:
            response = self._client.send(request, stream=True)
        except ForbiddenAddress as address:
            raise self._forbidden(address) from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            self._require_tls(error)
            reason = f"the endpoint {self._url} cannot be reached ({self._safe(error)})"
            raise TransientFailure(reason, is_endpoint_down=True, advice="check its address and server") from None
        except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError) as error:
            raise TransientFailure(
                f"the endpoint closed the connection before it answered ({self._safe(error)})"
            ) from None
        except httpx.TimeoutException:
            raise RequestFailed("the endpoint timed out") from None
        except httpx.HTTPError as error:
            raise EngineError(f"the endpoint {self._url} cannot be used: {self._safe(error)}") from None
        try:
            return self._read(response, largest)
        finally:
            response.close()

    def _forbidden(self, address: ForbiddenAddress) -> EngineError:
        return EngineError(
            f"the endpoint {self._url} has the link-local or metadata address {address}, which is not allowed"
        )

    def _require_tls(self, error: Exception) -> None:
        """Raise EngineError if the connection failed over TLS: another attempt would not change that."""
        reason = _tls_reason(error)
        if reason == "CERTIFICATE_VERIFY_FAILED":
            raise EngineError(
                f"the certificate of the endpoint {self._url} is not trusted ({self._safe(error)}); "
                "set SSL_CERT_FILE to a file with the certificate of its authority, on the machine that judges"
            ) from None
        if reason == "WRONG_VERSION_NUMBER":
            raise EngineError(
                f"the endpoint {self._url} does not speak https; does its base URL begin with http?"
            ) from None

    def _read(self, response: httpx.Response, largest: int) -> bytes:
        body = self._read_body(response, largest)
        self._require_success(response, body)
        return body

    def _read_body(self, response: httpx.Response, largest: int = LARGEST_REPLY) -> bytes:
        body = bytearray()
        try:
            for part in response.iter_bytes():
                body += part
                if len(body) > largest:
                    raise RequestFailed(f"the endpoint's reply is longer than {largest} bytes")
        except httpx.TimeoutException:
            raise RequestFailed("the endpoint timed out in the middle of its reply") from None
        except httpx.HTTPError as error:
            raise TransientFailure(f"the connection broke in the middle of the reply ({self._safe(error)})") from None
        return bytes(body)

    def _require_success(self, response: httpx.Response, body: bytes) -> None:
        status = response.status_code
        wait = requested_wait(response.headers, now=self._clock.wall())
        if response.is_success:
            self.retries.pause.pause_all(min(wait or 0.0, LONGEST_WAIT))
            return
        message = self._safe(error_message(body))
        reason = f"the endpoint answered {status}{f': {message}' if message else ''}"
        if status == 429 and "insufficient_quota" in body.decode(errors="replace"):
            raise Unavailable(f"{reason}; {self.retries.again} when there is quota again")
        if status == 500 and "validation error" in message:  # of pydantic, in llama.cpp's Python server
            raise RequestRefused(reason, parameter=error_parameter(body))
        if status in RETRIED_STATUSES:
            raise TransientFailure.from_status(status, reason, wait=wait)
        if status in QUESTION_STATUSES or (status == 403 and "logprobs" in message):
            raise RequestRefused(reason, parameter=error_parameter(body))
        if status >= 500:
            raise RequestFailed(reason)
        if response.has_redirect_location:
            message = f"it redirects to {self._safe(response.headers['location'].partition('?')[0])}"
        raise EngineError(self._status_error(status, message))

    def _status_error(self, status: int, message: str) -> str:
        """Some endpoints quote a part of the key that they refuse, so 401 and 403 leave out their message."""
        words = f": {message}" if message and status not in (401, 403) else ""
        reason = STATUS_REASONS.get(status, "an OpenAI-compatible endpoint does not answer so; check the base URL")
        return f"the endpoint {self._url} answered {status}{words} — {reason}"

    def _safe(self, words: object) -> str:
        """Return the words without the key, at most 300 characters of them."""
        text = str(words).replace(self._key, "[the key]") if self._key else str(words)
        return text if len(text) <= 300 else f"{text[:300]}…"


def _tls_reason(error: BaseException | None) -> str:
    """Return OpenSSL's reason from the causes of an error; empty if TLS did not fail."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error.reason or "" if error is not None else ""


def _checked_key(key: str) -> str:
    """Raise LoadFailed for a key that no HTTP header can hold. The library's own error would quote the key."""
    if not re.fullmatch(r"[!-~]*", key):
        raise LoadFailed("the endpoint's key contains a space, a line break or another invalid character; set it again")
    return key
