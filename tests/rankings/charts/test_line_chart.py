"""Names at the right edge of a chart of lines."""

import pytest

from rankings.charts.line_chart import spread_out


@pytest.mark.parametrize(("values", "apart"), [([0, 5], [0, 5]), ([0, 0, 0], [0, 2, 4]), ([9, 9.5, 10], [6, 8, 10])])
def test_labels_are_spread_below_the_ceiling(values, apart):
    assert spread_out(values, gap=2, ceiling=10) == apart
