"""Spans of time in words."""

import pytest

from judging.durations import duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (8.4, "8 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s"), (12_000, "3 h 20 min"), (-3, "0 s")],
)
def test_duration_is_told_in_its_two_largest_units(seconds, said):
    assert duration(seconds) == said
