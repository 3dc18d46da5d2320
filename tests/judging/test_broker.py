"""Redis as broker: a worker outlives its loss, and puts aside what it cannot read."""

import json
from base64 import b64encode
from contextlib import suppress

import pytest
import redis
from kombu import Connection, Consumer, Exchange, Queue

from evalsite.celery import app
from evalsite.redis_transport import PUT_ASIDE, RedisTransport
from tests.servers import running_redis

WORK = "work"


@pytest.fixture(scope="module")
def redis_url():
    with running_redis() as url:
        yield url


def connected(url):
    return Connection(url, transport=RedisTransport)


def take(connection, *, within=0.2):
    """Return the arguments of the tasks that wait, each acknowledged, until there is none for a while."""
    taken = []

    def note(body, message):
        taken.append(body[0])
        message.ack()

    queue = Queue(WORK, Exchange(""), WORK)
    with Consumer(connection.default_channel, [queue], callbacks=[note], accept=["json"]), suppress(TimeoutError):
        while True:
            connection.drain_events(timeout=within)
    return taken


def send(connection, number):
    app.send_task("judging.judge_chunk", [number], connection=connection, queue=WORK)


def changed(good, part, name, value):
    """Return a message with one value changed. value: None to leave it out."""
    message = json.loads(good)
    place = message[part] if part else message
    place.pop(name) if value is None else place.update({name: value})
    return json.dumps(message)


def encoded(body):
    return b64encode(json.dumps(body).encode()).decode()


UNREADABLE = {
    "no JSON": lambda good: "garbage",
    "no UTF-8": lambda good: b"\xff\xfe",
    "a number": lambda good: "5",
    "a list": lambda good: "[]",
    "null": lambda good: "null",
    "without a body": lambda good: changed(good, "", "body", None),
    "without headers": lambda good: changed(good, "", "headers", None),
    "without an id": lambda good: changed(good, "headers", "id", None),
    "an id that is a list": lambda good: changed(good, "headers", "id", [1]),
    "a body that is not encoded": lambda good: changed(good, "", "body", "%%%"),
    "another encoding": lambda good: changed(good, "properties", "body_encoding", "rot13"),
    "a body that is a number": lambda good: changed(good, "", "body", encoded(5)),
    "arguments by name": lambda good: changed(good, "", "body", encoded([{"a": 1}, {}, {}])),
    "an argument that is a text": lambda good: changed(good, "", "body", encoded([["x"], {}, {}])),
    "two of three parts": lambda good: changed(good, "", "body", encoded([[1], {}])),
    "a limit that is a text": lambda good: changed(good, "headers", "timelimit", "x"),
    "an end that is an object": lambda good: changed(good, "headers", "expires", {}),
    "stamps": lambda good: changed(good, "headers", "stamps", 6),
    "a group": lambda good: changed(good, "headers", "group", 5),
}


@pytest.mark.parametrize("unreadable", UNREADABLE.values(), ids=UNREADABLE)
def test_message_that_no_worker_can_read_is_put_aside_and_the_next_is_read(redis_url, unreadable, caplog):
    with connected(redis_url) as connection, redis.Redis.from_url(redis_url) as client:
        client.flushdb()
        send(connection, 1)
        bad = unreadable(client.rpop(WORK))
        client.lpush(WORK, bad)
        send(connection, 2)

        assert take(connection) == [[2]]
        assert client.llen(PUT_ASIDE) == 1
        assert client.llen(WORK) == client.zcard("unacked_index") == 0
        assert "put aside a message that is none of ours; refused-messages lists 1" in caplog.text


def with_a_message_in_hand(url):
    """A connection that listens to other workers, has work, and waits for more, as a worker's does."""
    connection = connected(url)
    others = Queue("others", Exchange("all", type="fanout"), auto_delete=True)
    Consumer(connection.default_channel, [others]).consume()
    send(connection, 1)
    work = connection.SimpleQueue(WORK)
    work.get(timeout=60)
    with suppress(TimeoutError):
        connection.drain_events(timeout=0.01)
    return connection


def test_connection_to_a_redis_that_is_gone_is_closed_with_messages_in_hand():
    with running_redis() as url:
        connection = with_a_message_in_hand(url)

    connection.collect()  # as a worker does that has lost it
    connection.close()

    assert not connection.connected
