"""The warning about means over few observations."""

import pytest

from rankings.tables.few_observations import few_observations


@pytest.mark.parametrize(
    ("n", "text"),
    [(1, "rests on 1 context"), (2, "rests on 2 contexts"), (4, "rests on 4 contexts"), (5, ""), (None, "")],
)
def test_means_over_fewer_than_five_observations_carry_a_warning(n, text):
    assert few_observations(n, "context") == text
