"""The finding about the family of tests, computed again for one design, and its claims."""

import json
from itertools import islice
from pathlib import Path

from docs.findings import family_of_tests as finding

NUMBERS = json.loads(Path(finding.__file__).with_suffix(".json").read_text())


def test_committed_rows_are_computed_again():
    assert list(islice(finding.rows(finding.RATE, finding.TABLES), 2)) == NUMBERS[:2]


def test_equal_runs_are_seldom_found_worse():
    equal = [row for row in NUMBERS if row["rate"] == finding.RATE]

    assert len(equal) == len(finding.RUNS) * len(finding.CONTEXTS)
    assert max(row["worse"] for row in equal) < 0.03


def test_few_contexts_find_nothing():
    assert {row["worse"] for row in NUMBERS if row["contexts"] < 6} == {0.0}
