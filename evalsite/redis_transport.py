"""Redis as message broker: a message that is none of ours is put aside, and a lost Redis ends no worker."""

from __future__ import annotations

import json
import logging
from base64 import b64decode
from typing import Any

from kombu.transport import redis

logger = logging.getLogger(__name__)

PUT_ASIDE = "refused-messages"
MOST_KEPT = 100


class QoS(redis.QoS):
    def restore_unacked(self, client: object = None) -> None:
        """Restore messages; drop them where Redis is gone, because the sweeper sends lost work again.

        kombu 5.7 closes a lost connection twice. The second time it has no client left, and would end the worker.
        """
        if self.channel.connection.client is None:
            self._delivered.clear()
        else:
            super().restore_unacked(client)


class Channel(redis.Channel):
    QoS = QoS

    def _has_queue(self, queue: str, **kwargs: object) -> bool:
        # kombu 5.7 asks for the key without its prefix
        return bool(self._size(queue))

    def _brpop_read(self, **options: Any) -> bool | None:  # noqa: ANN401 - kombu's signature
        try:
            found: bool | None = super()._brpop_read(**options)
        except ValueError as error:  # neither UTF-8 nor JSON
            self.connection.put_aside(getattr(error, "doc", None) or getattr(error, "object", b""))
            return True
        return found


class RedisTransport(redis.Transport):
    Channel = Channel

    def _deliver(self, message: Any, queue: str) -> None:  # noqa: ANN401 - whatever lay in the queue
        if is_ours(message):
            super()._deliver(message, queue)
        else:
            self.put_aside(json.dumps(message))

    def put_aside(self, message: str | bytes) -> None:
        """Keep a message that no worker can read, for an admin to look at."""
        with self.channels[0].conn_or_acquire() as client:  # the channel's own waits for the next message
            kept = client.lpush(PUT_ASIDE, message)
            if kept > MOST_KEPT:
                client.rpop(PUT_ASIDE)
        logger.error("put aside a message that is none of ours; %s lists %d: %.200r", PUT_ASIDE, kept, message)


def is_ours(message: Any) -> bool:  # noqa: ANN401 - whatever lay in the queue
    """Return True for a message that a worker can read: a task with a list of numbers, or a question to workers."""
    try:
        headers, properties = message["headers"], message["properties"]
        body = json.loads(b64decode(message["body"]))
        if "method" in body:
            return True
        args, options, _ = body
        names = (headers["id"], headers["task"], properties["delivery_tag"])
        plain = [headers.get(name) in (None, [], {}) for name in ("group", "stamps", "stamped_headers")]
        return (
            all(isinstance(name, str) for name in names)
            and all(isinstance(one, int) for one in args)
            and options == {}
            and all(plain)
            and properties["body_encoding"] == "base64"
            and headers["timelimit"] == [None, None]
            and headers.get("expires") is None
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return False
