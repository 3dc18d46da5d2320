"""How often analyses speak of made-up judges: planted faults are found, and fair judges left alone."""

import pytest

from evenhand.numerics.reliability.trust import validation
from evenhand.numerics.reliability.trust.made_up_judges import MEASURED_CHECKS, measured_row
from evenhand.numerics.reliability.trust.validation import VALIDATED_ANALYSES, validate
from evenhand.refusals import Refused


@pytest.fixture(scope="module")
def measured():
    return validate(contexts=20, pairs=3, studies=20)


def spoke(measured, judge):
    """Return analysis -> share of studies."""
    [found] = [one for one in measured.judges if one.judge == judge]
    return {name: share.value for name, share in found.spoke.items()}


def test_the_first_studies_are_those_of_the_published_table(measured):
    for judge in ("fair", "random", "biased, one order"):
        row = measured_row(judge, 3, 20, 20)
        assert {name: spoke(measured, judge)[name] for name in MEASURED_CHECKS} == {
            name: row[name]["failed"] for name in MEASURED_CHECKS
        }


def test_each_planted_fault_is_found_by_the_analysis_made_for_it(measured):
    found = {judge: spoke(measured, judge) for judge in ("constant", "biased", "weak on one kind")}

    assert found["constant"]["varied-answers"] == found["constant"]["null-pairs"] == 1
    assert found["biased"]["null-pairs"] > 0.9
    assert found["weak on one kind"]["kinds"] > 0.9
    assert max(found["weak on one kind"][name] for name in MEASURED_CHECKS) < 0.1


def test_fair_judges_are_left_alone_and_the_table_says_so(measured):
    fair = [one for one in measured.judges if one.is_fair]

    assert [one.judge for one in fair] == ["fair", "fair, one order"]
    assert all((one.spoke[name].low or 0) <= 0.05 for one in fair for name in VALIDATED_ANALYSES)
    assert [name for name in VALIDATED_ANALYSES if fair[0].spoke[name].value is None] == []
    assert measured.holds


def test_an_analysis_that_speaks_of_fair_judges_does_not_hold(monkeypatch):
    monkeypatch.setitem(validation.P_FIRST_OF_EQUALS, "fair", 1.0)
    monkeypatch.setattr(validation, "VALIDATED", {"fair": validation.VALIDATED["fair"]})

    assert not validate(contexts=20, studies=20).holds


def test_a_number_of_pairs_that_makes_no_triples_is_refused():
    with pytest.raises(Refused, match="pairs: 4 — give 1, or a multiple of 3"):
        validate(pairs=4)
