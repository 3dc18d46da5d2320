"""The finding about few comparisons on SummEval, computed again."""

import json
from pathlib import Path

import pytest

from docs.findings import few_comparisons_of_summeval

pytestmark = pytest.mark.realdata

NUMBERS = Path(few_comparisons_of_summeval.__file__).with_suffix(".json")


@pytest.mark.slow
def test_committed_numbers_are_those_of_the_synthetic_judges(shared_data):
    rows = few_comparisons_of_summeval.finding(shared_data / "data")

    written = json.loads(NUMBERS.read_text())
    for table, expected in written.items():
        assert rows[table] == [approximately(row) for row in expected]


def approximately(row):
    """Return a row whose numbers may differ in their last digit, as they do between processors."""
    return {name: pytest.approx(value, abs=1e-3) if isinstance(value, float) else value for name, value in row.items()}
