"""The warning about means over few observations."""

import pytest

from rankings.tables.numbers_of_observations import few_observations


@pytest.mark.parametrize(
    ("n", "text"),
    [(1, "rests on 1 context"), (2, "rests on 2 contexts"), (9, "rests on 9 contexts"), (10, ""), (None, "")],
)
def test_means_over_fewer_than_ten_observations_carry_a_warning(n, text):
    assert few_observations(n, "context") == text
