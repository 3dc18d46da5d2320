"""The judge's own win rate of a system, its errors, and the win rate corrected for them [Rogan1978]."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import FEWEST_CONTEXTS, TOO_FEW_CONTEXTS, share_figure, student_quantile

NO_JUDGED_PAIR = "the judge answered no pair of the system"
NEVER_PREFERRED = "people prefer the system on no pair that the judge answered"
ALWAYS_PREFERRED = "people prefer the system on every pair that the judge answered"
NEAR_CHANCE = "the judge is near chance on the pairs with votes, so its errors cannot be corrected"


@dataclass(frozen=True, slots=True, eq=False)
class DecidedPairs:
    """Pairs of one system. A win of the system is 1, a tie 1/2, a loss 0.

    human, judge: float, (n,). human is read only where voted. voted: bool, (n,). contexts: int, (n,).
    """

    human: FloatArray
    judge: FloatArray
    voted: BoolArray
    contexts: IntArray


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """judge_alone: share of wins by the judge on all pairs, q.

    sensitivity, specificity: how often the judge says that the system wins, where people say so, and that it loses,
    where they say that, on pairs with votes: se = Σyj / Σy, and sp = Σ(1 − y)(1 − j) / Σ(1 − y). n: pairs with such
    votes, where a tie counts for both.
    rogan_gladen: (q + sp − 1) / (se + sp − 1), not cut to [0, 1]; undefined where the interval of se + sp − 1 has 0.
    """

    judge_alone: Figure
    sensitivity: Figure
    specificity: Figure
    rogan_gladen: Figure


def judge_errors(pairs: DecidedPairs) -> JudgeErrors:
    """Measure the errors of a judge on the pairs of one system, and correct its win rate for them.

    The first three have intervals of shares. The corrected rate has one by the delta method over contexts, with as many
    degrees of freedom as there are contexts with votes, minus one.
    """
    numbers = np.unique(pairs.contexts, return_inverse=True)[1]
    n_contexts, y, j = int(numbers.max(initial=-1)) + 1, np.where(pairs.voted, pairs.human, 0.0), pairs.judge
    others = np.where(pairs.voted, 1 - y, 0.0)
    of = partial(_Ratio.of, numbers, n_contexts)
    q = of(j, np.ones(len(j)), NO_JUDGED_PAIR)
    se, sp = of(y * j, y, NEVER_PREFERRED), of(others * (1 - j), others, ALWAYS_PREFERRED)
    labelled = int(np.count_nonzero(counts(numbers[pairs.voted], n_contexts)))
    corrected = _corrected(q, se, sp, contexts=labelled, n=int(pairs.voted.sum()))
    return JudgeErrors(q.figure, se.figure, sp.figure, corrected)


@dataclass(frozen=True, slots=True, eq=False)
class _Ratio:
    """A share, with what each context adds to its error, (n_contexts,)."""

    figure: Figure
    influence: FloatArray

    @classmethod
    def of(cls, contexts: IntArray, n_contexts: int, won: FloatArray, among: FloatArray, if_empty: str) -> "_Ratio":
        wins, sizes = sums(contexts, won, n_contexts), sums(contexts, among, n_contexts)
        figure, n = share_figure(wins, sizes, if_empty=if_empty), np.count_nonzero(sizes)
        scale = np.sqrt(n / (n - 1)) / sizes.sum() if n > 1 else np.nan
        counted = replace(figure, n=int(np.count_nonzero(among)))
        return cls(counted, scale * (wins - (figure.value or 0.0) * sizes))


def _corrected(q: _Ratio, se: _Ratio, sp: _Ratio, *, contexts: int, n: int) -> Figure:
    values = [one.figure.value for one in (q, se, sp)]
    if missing := next((one.figure.undefined for one in (q, se, sp) if one.figure.value is None), None):
        return Figure.missing(missing, n=n)
    if contexts < FEWEST_CONTEXTS:
        return Figure.missing(TOO_FEW_CONTEXTS, n=n)
    share, right, left = (float(value or 0.0) for value in values)
    skill, reach = right + left - 1, float(student_quantile(contexts - 1))
    if not abs(skill) > reach * _length(se.influence + sp.influence):
        return Figure.missing(NEAR_CHANCE, n=n)
    value = (share + left - 1) / skill
    half = reach * _length((q.influence - value * se.influence + (1 - value) * sp.influence) / skill)
    return Figure(value, value - half, value + half, n)


def _length(influence: FloatArray) -> float:
    return float(np.sqrt((influence**2).sum()))
