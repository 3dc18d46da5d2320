"""The finding about few comparisons on SummEval, computed again for one judge of each of its tables."""

import json
from itertools import islice
from pathlib import Path

import pytest

from docs.findings import few_comparisons_of_summeval as finding

pytestmark = [pytest.mark.realdata, pytest.mark.slow]

NUMBERS = json.loads(Path(finding.__file__).with_suffix(".json").read_text())


@pytest.mark.parametrize(
    ("table", "rows", "number"),
    [("systems", finding.systems_of, len(finding.TOTALS)), ("stopped", finding.stopped_of, len(finding.BOUNDS))],
)
def test_committed_numbers_are_those_of_the_synthetic_judges(shared_data, table, rows, number):
    found = list(islice(rows(shared_data / "data"), number))

    assert found == [approximately(row) for row in NUMBERS[table][:number]]


def approximately(row):
    """Return a row whose numbers may differ in their last digit, as they do between processors."""
    return {name: pytest.approx(value, abs=1e-3) if isinstance(value, float) else value for name, value in row.items()}
