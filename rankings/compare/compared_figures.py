"""The figures that compare runs, also with judges that read nothing: accuracy, correlation and their differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from evenhand.numerics import (
    Comparisons,
    Figure,
    HumanScores,
    Judged,
    JudgeDifference,
    JudgeSwaps,
    Scores,
    human_preferences,
    order_agreement,
    perm_both_p_values,
)
from evenhand.numerics.accuracy import NO_TRUTH, context_credits
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.correlation.correlations import ALL_SKIPPED, matched_candidates, spearman_within_contexts
from evenhand.numerics.intervals import mean_coefficient, share_figure
from evenhand.numerics.reliability.trust.judge_checks import varied_answers
from evenhand.numerics.significance.paired_tests import ContextGaps, coefficient_gaps, paired_differences, ratio_gaps
from judging.models import Run
from rankings.agreement.raters import once_each, recorded_contexts
from rankings.compare.comparison_of_runs import SimpleJudge
from rankings.loading import People
from rankings.report.figures.simple_judges import LONGER_TEXT, figures_of_simple_judges

NO_CORRELATION = Figure.missing("a test of correlations only", n=0)
"""The PERM-BOTH result of accuracy."""


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """The accuracy and correlation of a run in each context, on some of its comparisons.

    comparisons: their number.
    correct, counted: float, (n_contexts,). Comparisons decided as people do, and those with a human preference.
    correlations: float, (n_contexts,). Spearman's; NaN where skipped. candidates: float, (n_contexts,). Their number.
    recorded: bool, (n_contexts,). Contexts with a comparison.
    """

    comparisons: int
    scores: Scores
    human: HumanScores
    correct: FloatArray
    counted: FloatArray
    correlations: FloatArray
    candidates: FloatArray
    recorded: BoolArray


Two = tuple[Measures, Measures]
"""The measures of two runs on the same ordered pairs."""


def measures_of(comparisons: Comparisons, right: FloatArray, scores: Scores, human: HumanScores) -> Measures:
    """Return the measures of some comparisons by a ranking's scores. right: from `human_preferences`."""
    correct, counted = context_credits(comparisons, right, None)
    recorded = recorded_contexts(comparisons)
    correlations = spearman_within_contexts(scores, human, recorded)
    candidates = matched_candidates(scores, human, len(recorded))
    return Measures(len(comparisons), scores, human, correct, counted, correlations, candidates, recorded)


def is_varied(run: Run, comparisons: Comparisons, people: People) -> bool:
    """Return False for a run whose decisions carry nothing, by the trust check of varied answers."""
    right = human_preferences(comparisons, people.human.scores, people.votes)
    found = varied_answers(comparisons, right, order_agreement(comparisons), is_scoring=run.is_scoring)
    return isinstance(found, str) or found.state != "failed"


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """A figure that compares runs: its value for one run, and the differences of two runs in each context.

    if_none: the reason if no context counts.
    """

    name: str
    value: Callable[[Measures], Figure]
    gaps: Callable[[Measures, Measures], ContextGaps]
    if_none: str

    def differences(self, pairs_of_runs: Sequence[Two]) -> list[JudgeDifference]:
        """Return one minus other for each pair of runs."""
        differences = paired_differences([self.gaps(*two) for two in pairs_of_runs])
        return [one if one.n else JudgeDifference.missing(self.if_none) for one in differences]

    def perm_both(self, pairs_of_runs: Sequence[Two]) -> list[Figure]:
        """Return the p-value of swapped scores for each pair of runs."""
        if self.name == ACCURACY.name:
            return [NO_CORRELATION] * len(pairs_of_runs)
        swaps = [JudgeSwaps.of(one.scores, other.scores, one.human, one.recorded) for one, other in pairs_of_runs]
        return perm_both_p_values(swaps)


ACCURACY = ComparedFigure(
    "accuracy",
    lambda own: share_figure(own.correct, own.counted, if_empty=NO_TRUTH),
    lambda one, other: ratio_gaps(one.correct, other.correct, one.counted),
    NO_TRUTH,
)
SPEARMAN = ComparedFigure(
    "spearman",
    lambda own: mean_coefficient(own.correlations, own.candidates, if_empty=ALL_SKIPPED),
    lambda one, other: coefficient_gaps(one.correlations, other.correlations, one.candidates),
    ALL_SKIPPED,
)


def difference_fields(difference: JudgeDifference, perm_both: Figure) -> dict[str, Any]:
    """Return the fields of a `Difference` but its ranking."""
    return {
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "p_value": difference.p_value,
        "p_value_holm": difference.p_value_holm,
        "perm_both": perm_both,
        "contexts": difference.n,
        "undefined": difference.undefined,
    }


NO_RANKING = "it gives all texts the same score"


def simple_judges(runs: Sequence[Comparisons], people: People, lengths: IntArray) -> list[SimpleJudge]:
    """Return the figures of both judges on every ordered pair that some run answered, each pair once.

    lengths: int, (n_candidates,). Characters of each text.
    """
    pairs = once_each(reduce(Comparisons.followed_by, runs))
    right = human_preferences(pairs, people.human.scores, people.votes)
    by_length = SPEARMAN.value(measures_of(pairs, right, Scores.of_values(lengths.astype(np.float64)), people.human))
    return [
        SimpleJudge(one.name, one.accuracy, by_length if one.name == LONGER_TEXT else Figure.missing(NO_RANKING))
        for one in figures_of_simple_judges(Judged.of(pairs, right), lengths, is_scoring=False)
    ]
