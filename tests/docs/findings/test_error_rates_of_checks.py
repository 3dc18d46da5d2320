"""The finding about trust checks, computed again for one design, and its claims."""

import json
from pathlib import Path

import pytest

from docs.findings import error_rates_of_checks as finding

NUMBERS = json.loads(Path(finding.__file__).with_suffix(".json").read_text())
FAIR = [row for row in NUMBERS if row["judge"].startswith("fair")]


@pytest.mark.parametrize("judge", ["fair", "biased, one order"])
def test_committed_row_is_computed_again(judge):
    [committed] = [row for row in NUMBERS if (row["judge"], row["pairs"], row["contexts"]) == (judge, 1, 10)]

    assert finding.measured_row(judge, 1, 10, finding.STUDIES) == committed


def test_fair_judge_seldom_fails_a_check():
    assert len(FAIR) == 2 * len(finding.PAIRS) * len(finding.CONTEXTS)
    assert max(row["any failed"] for row in FAIR) < 0.05


def test_judge_that_always_gives_one_answer_fails_from_twenty_decisions_on():
    constant = [row for row in NUMBERS if row["judge"] in ("constant", "always a tie")]
    enough = [row for row in constant if 2 * row["pairs"] * row["contexts"] >= 20]

    assert {row["varied-answers"]["failed"] for row in enough} == {1.0}


def test_judge_without_sight_is_seldom_called_better_than_a_constant():
    without = [row for row in NUMBERS if row not in FAIR]

    assert max(row["better-than-constant"]["passed"] for row in without) < 0.04
