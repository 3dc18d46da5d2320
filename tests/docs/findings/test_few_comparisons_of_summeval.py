"""The finding about few comparisons on SummEval, computed again."""

import json
from pathlib import Path

import pytest

from docs.findings import few_comparisons_of_summeval

pytestmark = pytest.mark.realdata

LAST_DIGIT = 2e-3
EQUALLY_INFORMATIVE = 1e-2
"""Adaptive runs differ more between processors: rounding decides which of two equally informative pairs is asked."""
NUMBERS = Path(few_comparisons_of_summeval.__file__).with_suffix(".json")


@pytest.mark.slow
def test_committed_numbers_are_those_of_the_synthetic_judges(shared_data):
    rows = few_comparisons_of_summeval.finding(shared_data / "data")

    written = json.loads(NUMBERS.read_text())
    assert rows["systems"] == [close(row, LAST_DIGIT) for row in written["systems"]]
    assert rows["stopped"] == [close(row, EQUALLY_INFORMATIVE) for row in written["stopped"]]


def close(row, tolerance):
    """Return a row whose numbers may differ a little, as they do between processors."""
    return {
        name: pytest.approx(value, abs=tolerance) if isinstance(value, float) else value for name, value in row.items()
    }
