"""Requests to an endpoint as a batch: a file is uploaded, its results are downloaded later, at half the price.

Sending raises BatchPending until the results are there. The caller sends the same requests again later; their hash
finds the batch that was started for them. So nothing is lost with a worker.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evenhand.engine.endpoint.batch_ledger import BatchLedger, BatchState
from evenhand.engine.endpoint.direct_requests import Exchange
from evenhand.engine.endpoint.http_client import EndpointClient
from evenhand.engine.endpoint.request_form import RequestBody
from evenhand.engine.endpoint.retries import RequestFailed
from evenhand.engine.exceptions import BatchPending, EngineError
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply, json_object, reply_of

BATCHED_PATH = "/v1/chat/completions"
LARGEST_RESULT = 512 * 2**20  # bytes
ENDED_BATCHES = frozenset({"completed", "expired", "cancelled"})


class BatchRequests:
    """Sends requests as batches."""

    def __init__(self, client: EndpointClient, ledger: BatchLedger) -> None:
        self._client = client
        self._ledger = ledger

    def send(
        self, bodies: Sequence[RequestBody], reasoning_fields: Sequence[str], check: Callable[[EndpointReply], None]
    ) -> list[Exchange]:
        """Return the replies in the order of the requests. A failed line is a RequestFailed.

        Requests that a batch left out, because it was cancelled or expired, are sent in a further batch.
        Raises BatchPending until all results are there, and EngineError.
        """
        if not bodies:
            return []
        results = self._results(bodies)
        left = [number for number in range(len(bodies)) if number not in results]
        further = self.send([bodies[number] for number in left], reasoning_fields, check)
        exchanges = {number: _exchange(line, reasoning_fields) for number, line in results.items()}
        exchanges |= dict(zip(left, further, strict=True))
        for exchange in exchanges.values():
            if isinstance(exchange, EndpointReply):
                check(exchange)
        return [exchanges[number] for number in range(len(bodies))]

    def _results(self, bodies: Sequence[RequestBody]) -> dict[int, dict[str, Any]]:
        """Return number of the request -> line of the result. Raises BatchPending."""
        content = _to_lines(bodies)
        key = hashlib.sha256(self._ledger.salt().encode() + content).hexdigest()
        batch_id = self._ledger.find(key) or self._start(key, content, len(bodies))
        if not self._ledger.is_due(key):
            raise BatchPending(f"the batch {batch_id} is not finished")
        state = read_state(self._client.get(f"/batches/{batch_id}"))
        self._ledger.update(key, state)
        if state.status == "failed":
            raise EngineError(f"the endpoint refused the batch: {state.reason or 'no reason given'}")
        if state.status not in ENDED_BATCHES:
            raise BatchPending(f"the batch {batch_id} is {state.status}: {state.completed} of {len(bodies)} answered")
        results = self._download(state.output_file) | self._download(state.error_file)
        if not results:
            self._ledger.forget(key)
            if state.status == "cancelled":  # with the run, which goes on now
                raise BatchPending(f"the batch {batch_id} was cancelled, and is sent again")
            raise EngineError(
                f"the batch {batch_id} is {state.status} without an answer; resume the run to send it again"
            )
        return results

    def _start(self, key: str, content: bytes, requests: int) -> str:
        """Upload the requests and start a batch; or find one that was started before this process ended."""
        try:
            batch_id = self._lost_batch(key) or self._create(key, content)
        except RequestFailed as failure:
            raise EngineError(f"the endpoint takes no batch: {failure}") from None
        self._ledger.add(key, batch_id, requests=requests)
        return batch_id

    def _create(self, key: str, content: bytes) -> str:
        file_id = _field(self._client.upload(f"evenhand-{key[:12]}.jsonl", content), "id")
        body = {
            "input_file_id": file_id,
            "endpoint": BATCHED_PATH,
            "completion_window": "24h",
            "metadata": {"evenhand": key},
        }
        return _field(self._client.post_to("/batches", body), "id")

    def _lost_batch(self, key: str) -> str:
        """Return a batch that the endpoint has and the ledger lacks, because a worker died; empty for none."""
        listed = _document(self._client.get("/batches?limit=100")).get("data")
        batches = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        own = (one for one in batches if (one.get("metadata") or {}).get("evenhand") == key)
        new = (str(one["id"]) for one in own if one.get("status") != "failed")
        return next((batch_id for batch_id in new if not self._ledger.knows(batch_id)), "")

    def _download(self, file_id: str) -> dict[int, dict[str, Any]]:
        if not file_id:
            return {}
        content = self._client.get(f"/files/{file_id}/content", largest=LARGEST_RESULT)
        lines = [_document(line) for line in content.splitlines() if line.strip()]
        return {int(line["custom_id"]): line for line in lines if str(line.get("custom_id", "")).isdigit()}


def cancel_batch(client: EndpointClient, batch_id: str) -> BatchState:
    """Cancel a batch at the endpoint, which may refuse because it has ended. Raises RequestFailed and EngineError."""
    try:
        return read_state(client.post_to(f"/batches/{batch_id}/cancel", {}))
    except (RequestFailed, EngineError):
        return read_state(client.get(f"/batches/{batch_id}"))


def read_state(content: bytes) -> BatchState:
    """Read the endpoint's description of a batch. Raises EngineError."""
    document = _document(content)
    counts = document.get("request_counts") or {}
    errors = (document.get("errors") or {}).get("data") or []
    return BatchState(
        status=_field(content, "status"),
        completed=int(counts.get("completed") or 0),
        failed=int(counts.get("failed") or 0),
        output_file=str(document.get("output_file_id") or ""),
        error_file=str(document.get("error_file_id") or ""),
        reason="; ".join(str(one.get("message")) for one in errors[:3] if isinstance(one, dict)),
    )


def _exchange(line: Mapping[str, Any], reasoning_fields: Sequence[str]) -> Exchange:
    """Read one line of a result."""
    response, error = line.get("response") or {}, line.get("error") or {}
    body = response.get("body") or {}
    if error or response.get("status_code", 200) != 200:
        words = error.get("message") or (body.get("error") or {}).get("message") or "no reason given"
        return RequestFailed(f"the endpoint failed on this line of the batch: {words}")
    try:
        return reply_of(body, reasoning_fields)
    except MalformedReply as fault:
        return fault


def _to_lines(bodies: Sequence[RequestBody]) -> bytes:
    lines = [
        {"custom_id": str(number), "method": "POST", "url": BATCHED_PATH, "body": body}
        for number, body in enumerate(bodies)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _document(content: bytes) -> dict[str, Any]:
    try:
        return json_object(content)
    except MalformedReply:
        raise EngineError("the endpoint answered about a batch with something that is no JSON object") from None


def _field(content: bytes, name: str) -> str:
    value = _document(content).get(name)
    if not isinstance(value, str) or not value:
        raise EngineError(f'the endpoint answered about a batch without "{name}"')
    return value
