import pytest

from evenhand.engine.endpoint.retries import Clock, SharedPause, WaitCancelled, backoff, requested_wait
from tests.evenhand.engine.endpoint.misbehaving_server import InstantClock

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
def test_requested_wait_reads_retry_after_and_rate_limit_headers(headers, seconds):
    assert requested_wait(headers, now=NEW_YEAR) == seconds


def test_backoff_doubles_up_to_half_a_minute():
    assert [backoff(attempt) for attempt in range(1, 8)] == [1, 2, 4, 8, 16, 30, 30]


def test_longest_pause_applies_to_all_threads():
    clock = InstantClock()
    pause = SharedPause(Clock(monotonic=clock.monotonic, sleep=clock.sleep))

    pause.pause_all(9)
    pause.pause_all(2)
    pause.wait_until_over()

    assert clock.slept == [9.0]


def test_cancelling_ends_a_wait():
    pause = SharedPause(Clock())
    pause.cancelled.set()

    with pytest.raises(WaitCancelled):
        pause.wait(1000)
