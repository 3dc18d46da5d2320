"""Position bias of a run, and the threshold and shifts that remove it.

They are computed from all comparisons of a run and also used for each of its subsets.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.first_shares import FirstShares

NO_ANSWERS = "no comparison has an answer"
NO_KNOWN_P_FIRST = "no answer has a known p_first, only a decision"
ONLY_HARD_ANSWERS = "every p_first is 0, 1/2 or 1, so no threshold can be set"


@dataclass(frozen=True, slots=True)
class Debiasing:
    """Threshold and shifts that remove the position bias of a run.

    threshold: median of p_first; decisions use it instead of 1/2.
    alpha: (1 - threshold) / threshold, weight of p_first in the debiased probability [Liusie2024, equation 9].
    beta, beta_hard: mean p_first and mean decision, shifts of the Gaussian expert.
    gamma: -logit(mean p_first), shift of the Bradley-Terry expert.
    first_shares: probabilities of decisions for the first candidate, for the hard likelihood.

    Bounded comparisons count in beta_hard and first_shares only. They keep their decision at the threshold.
    """

    threshold: Figure
    alpha: Figure
    beta: Figure
    beta_hard: Figure
    gamma: Figure
    first_shares: FirstShares

    @classmethod
    def of_run(cls, comparisons: Comparisons) -> "Debiasing":
        """Compute them from all comparisons of a run."""
        p_first = comparisons.known().p_first
        if not len(comparisons):
            none = Figure.missing(NO_ANSWERS)
            return cls(none, none, none, none, none, FirstShares.missing(NO_ANSWERS))
        decisions = decide(comparisons.p_first)
        shares = FirstShares.of_decisions(comparisons, decisions)
        beta_hard = Figure(float(decisions.mean()))
        if not len(p_first):
            none = Figure.missing(NO_KNOWN_P_FIRST)
            return cls(none, none, none, beta_hard, none, shares)
        mean, threshold = float(p_first.mean()), _threshold(p_first)
        return cls(threshold, _alpha(threshold), Figure(mean), beta_hard, _gamma(mean), shares)

    def decide(self, p_first: FloatArray) -> FloatArray:
        """Return the decisions at the threshold, (n,). Raises Undefined without a threshold."""
        return decide(p_first, required(self.threshold))

    def p_first(self, p_first: FloatArray) -> FloatArray:
        """Return the debiased probabilities alpha p / (alpha p + 1 - p), (n,).

        Raises Undefined without a threshold, or with a threshold of 0 or 1.
        """
        if required(self.threshold) in (0.0, 1.0):
            raise Undefined(f"the threshold is {self.threshold.value:g}, so debiased probabilities do not exist")
        weighted = required(self.alpha) * p_first
        return weighted / (weighted + (1 - p_first))  # in this order it is never above 1


def required(figure: Figure) -> float:
    """Return the value of a figure. Raises Undefined with the figure's reason if it has none."""
    if figure.value is None:
        raise Undefined(figure.undefined or "the figure does not exist")
    return figure.value


def _threshold(p_first: FloatArray) -> Figure:
    if np.isin(p_first, (0.0, 0.5, 1.0)).all():
        return Figure.missing(ONLY_HARD_ANSWERS)
    return Figure(float(np.median(p_first)))


def _alpha(threshold: Figure) -> Figure:
    if threshold.value is None:
        return threshold
    if threshold.value == 0:
        return Figure.missing("the threshold is 0, and alpha = (1 - threshold) / threshold")
    return Figure((1 - threshold.value) / threshold.value)


def _gamma(mean: float) -> Figure:
    if mean in (0.0, 1.0):
        return Figure.missing(f"the mean p_first is {mean:g}, which no finite shift explains")
    return Figure(float(np.log1p(-mean) - np.log(mean)))
