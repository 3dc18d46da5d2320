"""PERM-BOTH: a permutation test of the difference of two judges' correlations with people [Deutsch2021].

Both judges' scores are standardised within each context, which does not change their correlations per context. Then a
coin decides for each candidate if the two judges' scores are swapped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.correlation.coefficients import ratio_or_zero
from evenhand.numerics.correlation.correlations import ALL_SKIPPED
from evenhand.numerics.correlation.human_scores import HumanScores
from evenhand.numerics.figure import Figure
from evenhand.numerics.ranks import average_ranks, groups_of_equal_size
from evenhand.numerics.scores import Scores, rounded
from evenhand.numerics.significance.paired_tests import computed_by_size, random_signs

PERM_BOTH_PERMUTATIONS = 5_000
_LONGEST_COMPARED = 64
_CHUNK_ELEMENTS = 1 << 20
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Stack:
    """Contexts with the same number of candidates that count, all arrays (n_contexts, size).

    columns: int. Column of each candidate's sign. one, other: float. Standardised scores of both judges.
    people: float. Centred ranks of the human scores, scaled to length 1 in each context.
    """

    columns: IntArray
    one: FloatArray
    other: FloatArray
    people: FloatArray

    def select(self, chosen: BoolArray) -> "_Stack":
        """Select contexts by mask."""
        return _Stack(self.columns[chosen], self.one[chosen], self.other[chosen], self.people[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class JudgeSwaps:
    """Two judges whose scores may be swapped.

    n: number of candidates that count.
    weights: float, (n,). Contribution of each sign to the difference of the judges' summed correlations, in contexts of
    two candidates or without equal scores. stacks: all other contexts.
    """

    n: int
    weights: FloatArray
    stacks: Sequence[_Stack]

    @classmethod
    def of(cls, one: Scores, other: Scores, human: HumanScores, recorded: BoolArray) -> "JudgeSwaps":
        """Take the candidates with both judges' scores and a human score, in contexts whose human scores differ.

        recorded: bool, (n_contexts,). Contexts with a record in both runs.
        """
        both = one.defined & other.defined & ~np.isnan(human.scores) & recorded[human.contexts]
        stacks = list(_stacks(one, other, human, both))
        weights = np.zeros(sum(stack.columns.size for stack in stacks))
        with_ties: list[_Stack] = []
        for stack in stacks:
            if stack.one.shape[1] == 2:
                weights[stack.columns] = _weights_of_two(stack)
                continue
            simple = _without_ties(stack)
            weights[stack.columns[simple]] = _weights(stack.select(simple))
            if not simple.all():
                with_ties.append(stack.select(~simple))
        return cls(len(weights), weights, with_ties)

    def differences(self, signs: FloatArray) -> FloatArray:
        """Sum the differences of correlations over contexts, one minus other, (n_rows,).

        signs: float, (n_rows, n). -1 where a candidate's scores are swapped.
        """
        return sum((_differences(stack, signs) for stack in self.stacks), start=signs @ self.weights)


def perm_both_p_values(pairs: Sequence[JudgeSwaps], *, permutations: int = PERM_BOTH_PERMUTATIONS) -> list[Figure]:
    """Return two-sided p-values of the differences of two mean correlations per context; n counts candidates.

    All swaps are tried for up to 13 candidates, else `permutations` random ones, including the observed one. Pairs of
    judges with equally many candidates share the signs.
    """
    return computed_by_size(pairs, lambda swaps: swaps.n, partial(_p_values_of_one_size, permutations=permutations))


def _p_values_of_one_size(pairs: list[JudgeSwaps], n: int, *, permutations: int) -> list[Figure]:
    if not n:
        return [Figure.missing(ALL_SKIPPED, n=0)] * len(pairs)
    observed = [np.abs(swaps.differences(np.ones((1, n))))[0] - _ROUNDING for swaps in pairs]
    as_large, drawn = np.zeros(len(pairs)), 0
    for some in random_signs(n, permutations=permutations):
        as_large += [
            (np.abs(swaps.differences(some)) >= least).sum() for swaps, least in zip(pairs, observed, strict=True)
        ]
        drawn += len(some)
    return [Figure(float(p_value), n=n) for p_value in as_large / drawn]


def _stacks(one: Scores, other: Scores, human: HumanScores, both: BoolArray) -> Iterator[_Stack]:
    done = 0
    for members in groups_of_equal_size(human.contexts, both):
        people = average_ranks(rounded(human.scores[members]))
        people = people - people.mean(axis=1, keepdims=True)
        length = np.sqrt((people * people).sum(axis=1, keepdims=True))
        varied = length[:, 0] > 0
        chosen = members[varied]
        columns = done + np.arange(chosen.size).reshape(chosen.shape)
        done += chosen.size
        if chosen.size:
            mine, theirs = (_standardised(scores.values[chosen]) for scores in (one, other))
            yield _Stack(columns, mine, theirs, people[varied] / length[varied])


def _standardised(scores: FloatArray) -> FloatArray:
    """Standardise within each context, rounded so that equal scores stay equal; 0 if all scores are equal."""
    scores = rounded(scores)
    spread = np.where((scores == scores[:, :1]).all(axis=1), 0.0, scores.std(axis=1))[:, None]
    return rounded(
        np.where(spread > 0, scores - scores.mean(axis=1, keepdims=True), 0.0) / np.where(spread > 0, spread, 1.0)
    )


def _without_ties(stack: _Stack) -> BoolArray:
    """Return True for contexts where no two scores are equal, after any swap, (n_contexts,)."""
    if stack.one.shape[1] > _LONGEST_COMPARED:
        return np.zeros(len(stack.one), dtype=bool)
    every = np.sort(np.hstack([stack.one, stack.other]), axis=1)
    return np.asarray((every[:, 1:] > every[:, :-1]).all(axis=1))


def _weights(stack: _Stack) -> FloatArray:
    """Return the contribution of each candidate's sign, (n_contexts, size), in contexts without equal scores.

    Ranks are sums of signs of differences, and each of these depends on two swaps. So a correlation is a constant, plus
    a term for each sign, plus a term for each two signs. The last is the same for both judges.
    """
    size = stack.one.shape[1]
    sign = _Signs(stack)
    linear = (sign.one_one + sign.one_other - sign.other_one - sign.other_other) / 4  # (n_contexts, size, size)
    gaps = stack.people[:, :, None] - stack.people[:, None, :]
    length = np.sqrt(size * (size**2 - 1) / 3)  # of sums of signs, which are twice the centred ranks
    return (gaps * linear).sum(axis=2) * 2 / length


def _weights_of_two(stack: _Stack) -> FloatArray:
    """Return the contribution of each candidate's sign, (n_contexts, 2), in contexts of two candidates.

    Changing both signs exchanges the judges, which negates the difference. So it has no constant, and no term for both
    signs, whether scores are equal or not.
    """
    (first, second), (mine, theirs) = stack.people.T, (stack.one.T, stack.other.T)
    people = np.sign(first - second)
    as_given = people * (np.sign(mine[0] - mine[1]) - np.sign(theirs[0] - theirs[1]))
    second_swapped = people * (np.sign(mine[0] - theirs[1]) - np.sign(theirs[0] - mine[1]))
    return np.stack([as_given + second_swapped, as_given - second_swapped], axis=1) / 2


class _Signs:
    """Signs of each candidate's score minus each other candidate's, by judge and judge, (n_contexts, size, size)."""

    def __init__(self, stack: _Stack) -> None:
        self.one_one, self.one_other = _compared(stack.one, stack.one), _compared(stack.one, stack.other)
        self.other_one, self.other_other = _compared(stack.other, stack.one), _compared(stack.other, stack.other)


def _compared(above: FloatArray, below: FloatArray) -> NDArray[np.float32]:
    return np.sign(above[:, :, None] - below[:, None, :]).astype(np.float32)


def _differences(stack: _Stack, signs: FloatArray) -> FloatArray:
    """Sum the differences of correlations over these contexts, (n_rows,); signs: float, (n_rows, n)."""
    totals = np.zeros(len(signs))
    ranks_of = _ranks_by_signs if stack.one.shape[1] <= _LONGEST_COMPARED else _ranks_by_sorting
    width = max(1, _CHUNK_ELEMENTS // (2 * stack.one.size))
    for start in range(0, len(signs), width):
        swapped = np.moveaxis(signs[start : start + width, stack.columns] < 0, 0, 2)  # (n_contexts, size, n_rows)
        one, other = (_correlations(stack, ranks) for ranks in ranks_of(stack, swapped))
        totals[start : start + width] = (one - other).sum(axis=0)
    return totals


def _ranks_by_signs(stack: _Stack, swapped: BoolArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return twice the centred ranks of both judges after swaps, (n_contexts, size, n_rows).

    They are sums of signs, whole numbers that single precision holds exactly.
    """
    sign = _Signs(stack)
    base = np.hstack([sign.one_one, sign.other_one])  # (n_contexts, 2 size, size): unswapped candidates, then swapped
    change = np.hstack([sign.one_other, sign.other_other]) - base
    swaps = np.ascontiguousarray(swapped, dtype=np.float32)
    constant, changed = base.sum(axis=2, keepdims=True), change @ swaps
    mine, theirs = constant + changed, constant + change.sum(axis=2, keepdims=True) - changed
    size = swaps.shape[1]
    return (
        mine[:, :size] + swaps * (mine[:, size:] - mine[:, :size]),
        theirs[:, size:] + swaps * (theirs[:, :size] - theirs[:, size:]),
    )


def _ranks_by_sorting(stack: _Stack, swapped: BoolArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the same as `_ranks_by_signs`, for contexts with many candidates."""
    turned = swapped.transpose(0, 2, 1)
    one, other = stack.one[:, None], stack.other[:, None]
    mine, theirs = (average_ranks(np.where(turned, *both)) for both in ((other, one), (one, other)))
    middle = (stack.one.shape[1] + 1) / 2
    return 2 * (mine - middle).transpose(0, 2, 1), 2 * (theirs - middle).transpose(0, 2, 1)


def _correlations(stack: _Stack, ranks: NDArray[Any]) -> FloatArray:
    """Correlate ranks with people, (n_contexts, n_rows)."""
    products = np.einsum("ci,cip->cp", stack.people, ranks)
    lengths = np.sqrt(np.einsum("cip,cip->cp", ranks, ranks).astype(np.float64))
    return ratio_or_zero(products, lengths)
