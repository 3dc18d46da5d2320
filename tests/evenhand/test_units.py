"""Durations, limits and prices as text."""

import pytest

from evenhand.units import format_duration, format_limit, format_price


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (8.4, "8 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s"), (12_000, "3 h 20 min"), (-3, "0 s")],
)
def test_format_duration_gives_the_two_largest_units(seconds, text):
    assert format_duration(seconds) == text


@pytest.mark.parametrize(("value", "text"), [(1234.5, "1,234.50"), (0.00243, "0.0024"), (0.0, "0")])
def test_format_price_gives_cents_or_two_digits(value, text):
    assert format_price(value) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1_000 * 2**20, "1 GB"),
        (1_536 * 2**20, "1.53 GB"),
        (25 * 2**20, "25 MB"),
        (999 * 2**20, "999 MB"),
        (500, "500 bytes"),
    ],
)
def test_format_limit_counts_megabytes_as_the_settings_do(size, text):
    assert format_limit(size) == text
