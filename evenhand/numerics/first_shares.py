"""How often a judge chooses the first candidate, where it is the better one and where it is the worse one.

These are P(first | z) of the hard likelihood [Liusie2024, equation 13]. They are estimated without human labels: a
candidate counts as better if it does better in all other comparisons of both candidates.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.scores import rounded

TOO_FEW_OTHERS = (
    "the other comparisons of the two candidates never show which one is better, so the probabilities of the four "
    "decisions cannot be estimated"
)
NOT_BETTER = (
    "the judge does not choose the first candidate more often where it is better by its other comparisons, so its "
    "decisions carry no order"
)


@dataclass(frozen=True, slots=True)
class FirstShares:
    """Share of decisions for the first candidate, where it is better and where it is worse; a tie is one half.

    Both are undefined unless the first is larger.
    """

    if_better: Figure
    if_worse: Figure

    @classmethod
    def missing(cls, reason: str) -> "FirstShares":
        """Return no shares, with the reason."""
        return cls(Figure.missing(reason), Figure.missing(reason))

    @classmethod
    def of_decisions(cls, comparisons: Comparisons, decisions: FloatArray) -> "FirstShares":
        """Count them over a run. decisions: float, (n,). 0, 1/2 or 1 for each comparison."""
        lead = _lead_in_others(comparisons, decisions)
        better, worse = decisions[lead > 0], decisions[lead < 0]
        if not len(better) or not len(worse):
            return cls.missing(TOO_FEW_OTHERS)
        if_better, if_worse = float(better.mean()), float(worse.mean())
        return cls(Figure(if_better), Figure(if_worse)) if if_better > if_worse else cls.missing(NOT_BETTER)


def _lead_in_others(comparisons: Comparisons, decisions: FloatArray) -> FloatArray:
    """Return how much better `first` does in its other comparisons than `second` does in its own, (n,).

    A result is the decision less the mean decision of the run. 0 if one of them has no other comparison.
    """
    n, first, second = comparisons.n_candidates, comparisons.first, comparisons.second
    results = decisions - decisions.mean()
    total = sums(first, results, n) - sums(second, results, n)
    others = counts(first, n) + counts(second, n) - 1
    both_have_others = (others[first] > 0) & (others[second] > 0)
    of_first = (total[first] - results) / np.maximum(others[first], 1)
    of_second = (total[second] + results) / np.maximum(others[second], 1)
    return rounded(np.where(both_have_others, of_first - of_second, 0.0))
