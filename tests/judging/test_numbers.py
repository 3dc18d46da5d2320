"""Numbers as pages show them."""

import pytest

from judging.prices import price
from judging.templatetags.numbers import decimals, significant


@pytest.mark.parametrize(
    ("value", "shown"), [(0.7125, "0.713"), (-0.25, "−0.250"), (-0.0001, "0.000"), (float("-inf"), "−∞")]
)
def test_decimals_are_three_with_a_minus_sign(value, shown):
    assert decimals(value) == shown


@pytest.mark.parametrize(("value", "shown"), [(5.0, "5"), (4.3333333, "4.333"), (-0.25, "−0.25"), (1e-5, "1e−05")])
def test_significant_digits_are_four_with_a_minus_sign(value, shown):
    assert significant(value) == shown


@pytest.mark.parametrize(("value", "shown"), [(1234.5, "1,234.50"), (0.00243, "0.0024"), (0.0, "0")])
def test_prices_are_whole_cents_or_two_digits(value, shown):
    assert price(value) == shown
