"""The finding about intervals, computed again for one design of each kind."""

import json
from itertools import islice
from pathlib import Path

import pytest

from docs.findings import coverage_of_intervals as finding

NUMBERS = json.loads(Path(finding.__file__).with_suffix(".json").read_text())


@pytest.mark.parametrize(
    "kind", [finding.shares, finding.differences, finding.coefficients, finding.corrected_rates, finding.weights]
)
def test_committed_coverage_is_computed_again(kind):
    rows = list(islice(kind(finding.JUDGES), 4))

    start = next(at for at, row in enumerate(NUMBERS["coverage"]) if row["figure"] == rows[0]["figure"])
    assert rows == NUMBERS["coverage"][start : start + 4]


def test_committed_verdicts_are_computed_again():
    assert list(islice(finding.verdicts(finding.JUDGES), 4)) == NUMBERS["verdicts"][:4]


def test_committed_separations_are_computed_again_and_all_intervals_hold_at_once():
    assert next(finding.separations(finding.JUDGES // 4)) == NUMBERS["separations"][0]
    assert min(row["all covered"] for row in NUMBERS["separations"]) > 0.9


def test_a_judge_that_is_worse_by_the_margin_is_seldom_called_not_worse():
    at_margin = [row for row in NUMBERS["verdicts"] if row["loss"] == pytest.approx(finding.MARGIN, abs=0.004)]

    assert len(at_margin) == len(finding.SIZES) * len(finding.CONTEXTS)
    assert max(row["better"] + row["same"] + row["not worse"] for row in at_margin) < 0.035


def test_kinds_that_are_equal_are_seldom_called_different():
    equal = [row["found"] for row in NUMBERS["kinds"] if not row["loss"]]

    assert list(islice(finding.kinds(finding.JUDGES), 1)) == NUMBERS["kinds"][:1]
    assert (len(equal), sum(equal) / len(equal) < 0.05, max(equal) < 0.08) == (12, True, True)


def test_committed_intervals_of_unjudged_systems_are_computed_again_and_hold():
    rows = NUMBERS["unjudged"]

    assert next(finding.unjudged(finding.JUDGES // 4)) == rows[0]
    assert [row["level"] for row in rows[::2]] == [0.833, 0.909, 0.95, 0.95]
    assert min(row["covered"] - row["level"] for row in rows) > -0.02
