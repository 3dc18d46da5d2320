import numpy as np
import pytest
import scipy.stats

from evenhand.numerics.agreement.alternative_annotator import alternative_annotator_test
from evenhand.numerics.agreement.rating_tables import MISSING_RATING, RatingTable
from evenhand.numerics.exceptions import InvalidComparisons, Undefined


def ratings(rng, n_units, chances):
    """A row of codes for each chance to say the truth; otherwise another of three categories."""
    truth = rng.integers(0, 3, n_units)
    wrong = (truth + rng.integers(1, 3, (len(chances), n_units))) % 3
    return np.where(rng.random((len(chances), n_units)) < np.array(chances)[:, None], truth, wrong)


def table(codes):
    return RatingTable(codes, np.arange(3.0))


def test_p_values_are_those_of_scipy_adjusted_for_the_false_discovery_rate():
    codes = ratings(np.random.default_rng(5), 60, (0.8, 0.7, 0.75, 0.6))
    people, judge = codes[:3], codes[3]

    found = alternative_annotator_test(table(people), judge)

    p_values = []
    for own, others in ((people[0], people[1:]), (people[1], people[[0, 2]]), (people[2], people[:2])):
        human, machine = (others == own).sum(axis=0), (others == judge).sum(axis=0)
        gaps = (human >= machine).astype(float) - (machine >= human) - 0.2
        p_values.append(scipy.stats.ttest_1samp(gaps, 0, alternative="less").pvalue)
    assert found.p_values == pytest.approx(scipy.stats.false_discovery_control(p_values, method="by"))


def test_alternative_annotator_test_matches_an_example_worked_by_hand():
    """Each annotator agrees with both others everywhere; the judge on nine units of ten."""
    people = np.zeros((3, 10), dtype=int)
    judge = np.array([0] * 9 + [1])

    result = alternative_annotator_test(table(people), judge)

    assert result.advantage == pytest.approx(0.9)
    assert result.units.tolist() == [10, 10, 10]


def test_a_judge_as_good_as_people_passes_and_a_poor_one_fails():
    rng = np.random.default_rng(0)
    codes = ratings(rng, 300, [0.8, 0.8, 0.8, 0.8, 0.5])

    good = alternative_annotator_test(table(codes[:3]), codes[3])
    poor = alternative_annotator_test(table(codes[:3]), codes[4])

    assert (good.winning_rate, good.passed) == (1, True)
    assert (poor.winning_rate, poor.passed) == (0, False)
    assert poor.advantage < good.advantage


def test_a_judge_at_the_edge_passes_no_annotator_more_often_than_it_may():
    """With an advantage of people of exactly epsilon, no annotator may be won in more than one run of twenty."""
    rng = np.random.default_rng(1)
    won = 0
    for _ in range(300):
        people = np.zeros((3, 100), dtype=int)
        judge = (rng.random(100) < 0.2).astype(int)
        won += alternative_annotator_test(table(people), judge).winning_rate > 0

    assert won / 300 < 0.08


def test_the_order_of_annotators_does_not_matter():
    codes = ratings(np.random.default_rng(2), 60, [0.8, 0.6, 0.7, 0.7])

    there = alternative_annotator_test(table(codes[:3]), codes[3])
    back = alternative_annotator_test(table(codes[2::-1]), codes[3])

    assert there.p_values == pytest.approx(back.p_values[::-1])


def test_units_without_a_judge_or_others_do_not_count():
    codes = np.zeros((3, 12), dtype=int)
    codes[1:, 0] = MISSING_RATING
    judge = np.array([0, MISSING_RATING] + [0] * 10)

    assert alternative_annotator_test(table(codes), judge).units.tolist() == [10, 10, 10]


def test_the_test_refuses_too_few_annotators_or_units():
    with pytest.raises(Undefined, match="at least three annotators, not 2"):
        alternative_annotator_test(table(np.zeros((2, 9), dtype=int)), np.zeros(9, dtype=int))
    with pytest.raises(
        Undefined, match="annotator 0 has 3 units that the judge and others rated too; the test needs 5"
    ):
        alternative_annotator_test(table(np.zeros((3, 3), dtype=int)), np.zeros(3, dtype=int))
    with pytest.raises(InvalidComparisons, match="the judge has 2 codes for 9 units"):
        alternative_annotator_test(table(np.zeros((3, 9), dtype=int)), np.zeros(2, dtype=int))
