"""The finding about plans, computed again for some designs, and its claims."""

import json
from itertools import islice
from pathlib import Path

from docs.findings import error_rates_of_plans as finding

NUMBERS = json.loads(Path(finding.__file__).with_suffix(".json").read_text())


def test_committed_rates_of_stopping_are_computed_again():
    [row] = islice(finding.stopping(), 1)

    assert row == NUMBERS["stopping"][0]


def test_committed_number_of_needed_contexts_is_computed_again():
    row = NUMBERS["plans"][-1]

    assert finding.needed(row["figure"], row["people"], row["votes"]) == row["needed"]


def test_committed_power_over_the_first_pilots_is_computed_again():
    row = min(NUMBERS["power"], key=lambda row: row["contexts"])
    design = row["gap"], row["votes"], row["judges_of_pilot"], row["pilot"]

    assert finding.power_of(*design, finding.FIRST_PILOTS)["first"] == row["first"]


def test_every_kind_of_judge_keeps_the_bound():
    assert len(NUMBERS["stopping"]) == len(finding.JUDGES) * len(finding.CANDIDATES) * len(finding.BOUNDS)
    assert all(row["reordered"] <= row["bound"] for row in NUMBERS["stopping"])


def test_planned_widths_are_missed_in_at_most_2_of_100_and_differences_found_in_at_least_80():
    both = [row["found"] for row in NUMBERS["power"] if row["judges_of_pilot"] == "both"]

    assert max(row["wider"] for row in NUMBERS["plans"]) <= 0.02
    assert 0.8 <= min(both) <= max(both) < 0.85


def test_committed_cascade_is_computed_again_and_every_one_keeps_its_promise():
    rows = NUMBERS["cascades"]

    assert finding.cascade_row(2, 60, 0.1) == rows[8]
    assert len(rows) == 20
    assert max(row["broken"] for row in rows) <= 0.05
    assert [row["granted"] for row in rows[:4]] == [0, 0, 0, 0]
    assert (
        min(row["granted"] for row in rows if row["alpha"] == 0.2 and row["contexts"] == 200 and row not in rows[:4])
        == 1
    )
