"""`validate` prints the table of made-up judges."""

import pytest

from evenhand.numerics.reliability.trust.validation import VALIDATED, VALIDATED_ANALYSES
from rankings.management.commands.validate import LEFT_ALONE
from tests.commands import printed, printed_json

pytestmark = pytest.mark.django_db
DESIGN = ("--contexts", "20", "--pairs", "1", "--studies", "20")


def test_validate_prints_a_row_for_each_judge_and_the_same_as_json(capsys):
    head, *rows, design, said = printed(capsys, "validate", *DESIGN).splitlines()
    data = printed_json(capsys, "validate", *DESIGN)

    judges = [name for name in VALIDATED if name != "cyclic"]
    assert [line.split("  ")[0] for line in rows] == judges == [one["judge"] for one in data["judges"]]
    assert head.split() == ["Judge", *VALIDATED_ANALYSES]
    assert (design, said) == (
        "Share of 20 studies of 20 contexts with 1 pair in which each speaks of a fault.",
        LEFT_ALONE,
    )
    constant = data["judges"][judges.index("constant")]["spoke"]["null-pairs"]
    assert (constant["value"], constant["n"], data["holds"]) == (1.0, 20, True)
    favourite, keen = (data["judges"][judges.index(name)]["spoke"] for name in ("with a favourite", "keen"))
    fair, turned = (data["judges"][judges.index(name)]["spoke"] for name in ("fair", "turned round"))
    found = (favourite["separation"], favourite["unjudged-systems"], favourite["rogan-gladen"], keen["cascade"])
    assert [one["value"] for one in found] == [1.0, 0.7, 0.4, 0.25]
    assert (turned["gate"]["value"], max(one["value"] for one in fair.values())) == (1.0, 0.05)
    assert keen["unjudged-systems"]["undefined"] == "only a fair judge and one with a favourite meet a new system"
