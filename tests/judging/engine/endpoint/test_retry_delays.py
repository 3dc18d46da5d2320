import pytest

from judging.engine.endpoint.retry_delays import Clock, Patience, Stopped, backoff, told_wait
from tests.judging.engine.endpoint.misbehaving_server import InstantClock

NEW_YEAR = 1_767_225_600  # 2026-01-01 00:00:00 UTC


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 00:02:00 GMT"}, 120.0),
        ({"retry-after": "Wed, 31 Dec 2025 23:59:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h2m3.5s"}, 3723.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12"}, 12.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "later"}, None),
        ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "9s"}, None),
    ],
)
def test_told_wait_reads_what_the_endpoint_says(headers, seconds):
    assert told_wait(headers, now=NEW_YEAR) == seconds


def test_backoff_doubles_up_to_half_a_minute():
    assert [backoff(attempt) for attempt in range(1, 8)] == [1, 2, 4, 8, 16, 30, 30]


def test_longest_hold_counts_for_everybody():
    clock = InstantClock()
    patience = Patience(Clock(monotonic=clock.monotonic, sleep=clock.sleep))

    patience.hold_all(9)
    patience.hold_all(2)
    patience.wait_until_open()

    assert clock.slept == [9.0]


def test_stop_ends_the_waiting():
    patience = Patience(Clock())
    patience.stopped.set()

    with pytest.raises(Stopped):
        patience.wait(1000)
