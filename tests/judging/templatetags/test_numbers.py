"""Numbers as templates show them."""

import pytest

from judging.templatetags.numbers import decimals, significant


@pytest.mark.parametrize(
    ("value", "text"), [(0.7125, "0.713"), (-0.25, "−0.250"), (-0.0001, "0.000"), (float("-inf"), "−∞")]
)
def test_decimals_gives_three_digits_and_a_minus_sign(value, text):
    assert decimals(value) == text


@pytest.mark.parametrize(("value", "text"), [(5.0, "5"), (4.3333333, "4.333"), (-0.25, "−0.25"), (1e-5, "1e−05")])
def test_significant_gives_four_digits_and_a_minus_sign(value, text):
    assert significant(value) == text
