"""Requests to an endpoint that are answered at once, several at the same time."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Protocol, TypeVar

from evenhand.engine.endpoint.http_client import CONCURRENCY, EndpointClient
from evenhand.engine.endpoint.request_form import RequestBody
from evenhand.engine.endpoint.retries import RequestFailed, RetryPolicy, WaitCancelled
from evenhand.engine.interruption import require_use
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply

Exchange = EndpointReply | RequestFailed | MalformedReply
"""The reply to one request, or the reason why there is none."""


PutT = TypeVar("PutT")
GivenT = TypeVar("GivenT")


class Transport(Protocol):
    """A way to send requests."""

    def send(
        self, bodies: Sequence[RequestBody], reasoning_fields: Sequence[str], check: Callable[[EndpointReply], None]
    ) -> list[Exchange]:
        """Return the replies in the order of the requests. Raises EngineError where further requests would fail.

        check: called with each reply; raises EngineError.
        """


class DirectRequests:
    """Sends requests at once, up to `concurrency` at the same time."""

    def __init__(self, client: EndpointClient, *, concurrency: int = CONCURRENCY) -> None:
        self._client = client
        self._concurrency = concurrency

    def send(
        self, bodies: Sequence[RequestBody], reasoning_fields: Sequence[str], check: Callable[[EndpointReply], None]
    ) -> list[Exchange]:
        def ask(body: RequestBody) -> Exchange:
            try:
                reply = self._client.ask(body, reasoning_fields)
            except (RequestFailed, MalformedReply) as failure:
                return failure
            check(reply)
            return reply

        return self.map(ask, bodies)

    def map(self, ask: Callable[[PutT], GivenT], bodies: Sequence[PutT]) -> list[GivenT]:
        """Ask several at once, and return the replies in order. The first exception cancels all other requests."""
        pause = self._client.retries.pause

        def ask_unless_cancelled(body: PutT) -> GivenT:
            try:
                pause.wait(0)
                return ask(body)
            except BaseException:
                pause.cancelled.set()
                raise

        pool = ThreadPoolExecutor(self._concurrency)
        try:
            futures = [pool.submit(ask_unless_cancelled, body) for body in bodies]
            wait(futures, return_when=FIRST_EXCEPTION)
            require_use()
            if pause.cancelled.is_set():
                raise _first_cause(pool, futures)
            return [future.result() for future in futures]
        except BaseException:
            pause.cancelled.set()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            pause.cancelled.clear()


@contextmanager
def counting_faults(retries: RetryPolicy) -> Iterator[None]:
    """Count a reply that cannot be read among the failures in a row, and any other as a success."""
    try:
        yield
    except MalformedReply as fault:
        retries.count_failure(fault)
        raise
    retries.count_success()


def _first_cause(pool: ThreadPoolExecutor, futures: Sequence[Future[GivenT]]) -> BaseException:
    """Return the first error that is not a cancelled wait."""
    pool.shutdown(cancel_futures=True)
    errors = [future.exception() for future in futures if not future.cancelled()]
    return next(error for error in errors if error is not None and not isinstance(error, WaitCancelled))
