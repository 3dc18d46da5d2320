"""The alternative annotator test: may a judge replace human annotators? [Calderon2025]"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from evenhand.numerics.agreement.rating_tables import RatingTable
from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.exceptions import InvalidComparisons, Undefined
from evenhand.numerics.significance.families import benjamini_hochberg_adjusted
from evenhand.numerics.significance.paired_tests import wilcoxon_p_value

FALSE_DISCOVERY_RATE = 0.05
_FEWEST_FOR_T = 30
_FEWEST_UNITS = 5


@dataclass(frozen=True, slots=True)
class AlternativeAnnotatorTest:
    """Result of the test: the judge against each annotator in turn, measured by the other annotators.

    winning_rate: share of annotators that the judge matches within epsilon; the judge passes at 1/2 or more.
    advantage: mean probability that the judge agrees with the others at least as well as the annotator does.
    p_values: float, (n_raters,). Adjusted for the false discovery rate. units: int, (n_raters,). Numbers of units.
    """

    winning_rate: float
    advantage: float
    passed: bool
    p_values: FloatArray
    units: IntArray


def alternative_annotator_test(
    people: RatingTable, judge: IntArray, *, epsilon: float = 0.2
) -> AlternativeAnnotatorTest:
    """Test whether the judge, (n_units,) of codes, may stand in for any one annotator.

    On each unit, judge and annotator are compared by the number of other annotators they agree with. The judge
    matches the annotator if the annotator's wins exceed the judge's by less than epsilon: one-sided t-test, or
    Wilcoxon's below 30 units; Benjamini and Yekutieli's adjustment. The authors take an epsilon of 0.2 for experts,
    0.15 for skilled people and 0.1 for crowds.

    Raises Undefined with fewer than three annotators, or if an annotator shares fewer than five units with the judge
    and others, and InvalidComparisons if the judge has not one code for each unit.
    """
    if judge.shape != people.codes.shape[1:]:
        raise InvalidComparisons(f"the judge has {judge.size} codes for {people.codes.shape[1]} units; give one each")
    if people.n_raters < 3:
        raise Undefined(f"the alternative annotator test needs at least three annotators, not {people.n_raters}")
    outcomes = [_against(people, judge, rater) for rater in range(people.n_raters)]
    p_values = np.array([_p_value(human_wins - judge_wins, epsilon) for human_wins, judge_wins in outcomes])
    harmonic = (1 / np.arange(1, len(p_values) + 1)).sum()
    adjusted = np.minimum(benjamini_hochberg_adjusted(p_values) * harmonic, 1.0)
    winning_rate = float((adjusted <= FALSE_DISCOVERY_RATE).mean())
    return AlternativeAnnotatorTest(
        winning_rate=winning_rate,
        advantage=float(np.mean([judge_wins.mean() for _, judge_wins in outcomes])),
        passed=winning_rate >= 0.5,
        p_values=adjusted,
        units=np.array([len(judge_wins) for _, judge_wins in outcomes]),
    )


def _against(people: RatingTable, judge: IntArray, rater: int) -> tuple[FloatArray, FloatArray]:
    """Return 1 on each unit where the annotator, and where the judge, agrees at least as well with the others."""
    others = np.delete(people.codes, rater, axis=0)
    own = people.codes[rater]
    counted = (own >= 0) & (judge >= 0) & (others >= 0).any(axis=0)
    if counted.sum() < _FEWEST_UNITS:
        raise Undefined(
            f"annotator {rater} has {int(counted.sum())} units that the judge and others rated too; "
            f"the test needs {_FEWEST_UNITS}"
        )
    human = (others == own).sum(axis=0)[counted]
    machine = (others == judge).sum(axis=0)[counted]
    return (human >= machine).astype(np.float64), (machine >= human).astype(np.float64)


def _p_value(advantage: FloatArray, epsilon: float) -> float:
    """Return the one-sided p-value of the null hypothesis that the annotator's advantage is epsilon or more."""
    gaps = advantage - epsilon
    if np.ptp(gaps) == 0:
        return 0.0 if gaps[0] < 0 else 1.0
    if len(gaps) < _FEWEST_FOR_T:
        return wilcoxon_p_value(gaps)
    t = gaps.mean() / (gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return float(stdtr(len(gaps) - 1, t))
