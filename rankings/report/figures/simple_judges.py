"""`SIMPLE_JUDGES`: judges that read nothing. With people, they are what a judge's accuracy is compared with."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Comparisons, Figure, Judged, accuracy, kappa_with_people
from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.preferences import longer_first

PEOPLE, ALWAYS_FIRST, LONGER_TEXT = "People", "Always first", "Longer text"
NO_TEXTS = "not applicable: the dataset has no texts"
ON_SCORES = "human scores decide the accuracy, and people’s agreement is on votes"
NO_FIRST = "a run that scores candidates one by one shows no text first"


@dataclass(frozen=True, slots=True)
class BlindJudge:
    """A judge that reads nothing.

    decide: from comparisons, and the lengths of the texts, (n_candidates,), to decisions: float, (n,), 1 for `first`,
    0 for `second`, 1/2 for a tie; NaN without any text. needs_order: it needs pairs that are shown in an order.
    """

    name: str
    decide: Callable[[Comparisons, IntArray], FloatArray]
    needs_order: bool = False


def _longer(comparisons: Comparisons, lengths: IntArray) -> FloatArray:
    longer = longer_first(comparisons, lengths)
    return np.where(np.isnan(longer), 0.5, longer) if lengths.any() else longer


SIMPLE_JUDGES = (
    BlindJudge(ALWAYS_FIRST, lambda comparisons, lengths: np.ones(len(comparisons)), needs_order=True),
    BlindJudge(LONGER_TEXT, _longer),
)


@dataclass(frozen=True)
class ForComparison:
    """The figures of people, or of a judge that reads nothing, on the pairs of a report row."""

    name: str
    accuracy: IntervalFigure
    kappa: IntervalFigure


def figures_of_people(accuracy: Figure, kappa: Figure, *, decided_by_scores: int | None) -> ForComparison:
    """Return the agreement of people where votes alone decide the accuracy of judges, as they decide the agreement."""
    if decided_by_scores and accuracy.value is not None:
        return ForComparison(PEOPLE, Figure.missing(ON_SCORES, n=accuracy.n), Figure.missing(ON_SCORES, n=accuracy.n))
    return ForComparison(PEOPLE, accuracy, kappa)


def figures_of_simple_judges(judged: Judged, lengths: IntArray, *, is_scoring: bool) -> list[ForComparison]:
    """Return the figures of the simple judges on the comparisons of a run that count in its accuracy."""
    return [_figures(one, judged, lengths, is_scoring=is_scoring) for one in SIMPLE_JUDGES]


def _figures(judge: BlindJudge, judged: Judged, lengths: IntArray, *, is_scoring: bool) -> ForComparison:
    if judge.needs_order and is_scoring:
        return ForComparison(judge.name, Figure.missing(NO_FIRST, n=0), Figure.missing(NO_FIRST, n=0))
    decisions = judge.decide(judged.comparisons, lengths)
    if len(lengths) and np.isnan(decisions).any():
        return ForComparison(judge.name, Figure.missing(NO_TEXTS, n=0), Figure.missing(NO_TEXTS, n=0))
    decided = judged.comparisons.with_p_first(decisions)
    return ForComparison(judge.name, accuracy(decided, judged.right), kappa_with_people(decided, judged.right))
