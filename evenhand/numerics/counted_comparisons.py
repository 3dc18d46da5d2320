"""`Judged`: the comparisons that count in accuracies, where those without an answer may count as wrong."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Comparisons with the human preference for each.

    comparisons: those with an answer, then those that count as wrong. The latter have the p_first of the wrong answer.
    right: float, (n,), from `human_preferences`.
    answered: the comparisons with an answer. wrong: those without one; None if they do not count.
    """

    comparisons: Comparisons
    right: FloatArray
    answered: Comparisons
    wrong: Comparisons | None = None

    @classmethod
    def of(cls, answered: Comparisons, right: FloatArray) -> "Judged":
        """Count only comparisons with an answer. right: float, (n,)."""
        return cls(answered, right, answered)

    @classmethod
    def with_wrong(
        cls, answered: Comparisons, right: FloatArray, unanswered: Comparisons, right_unanswered: FloatArray
    ) -> "Judged":
        """Count comparisons without an answer as wrong. right, right_unanswered: float, (n,) of each."""
        wrong = unanswered.with_p_first(_wrong_answers(right_unanswered))
        return cls(answered.followed_by(wrong), np.concatenate([right, right_unanswered]), answered, wrong)

    def decisions(self, of_answered: FloatArray) -> FloatArray:
        """Return decisions on all comparisons, (n,). of_answered: those on the answered ones."""
        return of_answered if self.wrong is None else np.concatenate([of_answered, self.wrong.p_first])

    @property
    def of_pairs(self) -> Comparisons:
        """The comparisons, where a pair without an answer in one order is wrong in both."""
        if self.wrong is None:
            return self.comparisons
        is_wrong = np.isin(self.comparisons.pair_keys, self.wrong.pair_keys)
        return self.comparisons.with_p_first(np.where(is_wrong, _wrong_answers(self.right), self.comparisons.p_first))


def _wrong_answers(right: FloatArray) -> FloatArray:
    """Return the p_first of wrong answers, (n,); 1/2 for pairs without a human preference, which do not count."""
    return np.where(np.isnan(right), 0.5, 1 - right)
