"""PERM-BOTH: do two judges' correlations with people differ by more than which of them gave which score? [Deutsch2021]

Both judges' scores are standardised within each context, whose place and scale a correlation per context does not see.
Then the two scores of every candidate change places, or do not, by a coin each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.correlation.correlations import ALL_SKIPPED, HumanScores
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import RESAMPLING_SEED
from rankings.numerics.ranks import average_ranks, groups_of_equal_size
from rankings.numerics.scores import Scores, rounded
from rankings.numerics.significance.paired_tests import random_signs

PERM_BOTH_PERMUTATIONS = 5_000
_LONGEST_COMPARED = 64
_CHUNK_ELEMENTS = 1 << 20
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Stack:
    """Contexts with equally many candidates that count, all (n_contexts, size).

    places: int. Where each candidate's sign stands. one, other: float. The judges' scores, standardised.
    people: float. Ranks by people, less their mean, of length 1 in each context.
    """

    places: IntArray
    one: FloatArray
    other: FloatArray
    people: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class JudgeSwaps:
    """Two judges whose scores may change places.

    n: how many candidates count. weights: float, (n,). What each sign adds to the difference of the two judges' sums of
    correlations, in contexts without equal scores. stacks: all other contexts.
    """

    n: int
    weights: FloatArray
    stacks: Sequence[_Stack]

    @classmethod
    def of(cls, one: Scores, other: Scores, human: HumanScores, recorded: BoolArray) -> "JudgeSwaps":
        """Of the candidates with both judges' scores and a human score, in contexts where people's scores differ.

        recorded: bool, (n_contexts,). The contexts with a record in both runs.
        """
        both = one.defined & other.defined & ~np.isnan(human.scores) & recorded[human.contexts]
        found = list(_stacks(one, other, human, both))
        n = sum(stack.places.size for stack in found)
        weights = np.zeros(n)
        rest: list[_Stack] = []
        for stack in found:
            simple = _without_ties(stack)
            weights[stack.places[simple]] = _weights(_some(stack, simple))
            if not simple.all():
                rest.append(_some(stack, ~simple))
        return cls(n, weights, rest)

    def differences(self, signs: FloatArray) -> FloatArray:
        """The sum over contexts of one's correlation minus the other's, (n_rows,), after swaps where a sign is -1.

        signs: float, (n_rows, n).
        """
        found = signs @ self.weights
        for stack in self.stacks:
            found = found + _differences(stack, signs)
        return found


def perm_both_p_values(
    found: Sequence[JudgeSwaps], *, permutations: int = PERM_BOTH_PERMUTATIONS, seed: int = RESAMPLING_SEED
) -> list[Figure]:
    """Two-sided p-values of the differences of two mean correlations per context; n is the number of candidates.

    All swaps of up to 13 candidates, else `permutations` random ones, the observed one counted among them. Those that
    count equally many candidates share the signs.
    """
    results: dict[int, Figure] = {}
    for n in {swaps.n for swaps in found}:
        members = [place for place, swaps in enumerate(found) if swaps.n == n]
        some = [found[member] for member in members]
        results |= zip(members, _of_one_length(some, n, permutations, seed), strict=True)
    return [results[place] for place in range(len(found))]


def _of_one_length(found: Sequence[JudgeSwaps], n: int, permutations: int, seed: int) -> list[Figure]:
    if not n:
        return [Figure.missing(ALL_SKIPPED, n=0)] * len(found)
    observed = [np.abs(swaps.differences(np.ones((1, n))))[0] - _ROUNDING for swaps in found]
    as_large, drawn = np.zeros(len(found)), 0
    for some in random_signs(n, permutations=permutations, seed=seed):
        as_large += [
            (np.abs(swaps.differences(some)) >= least).sum() for swaps, least in zip(found, observed, strict=True)
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
        places = done + np.arange(chosen.size).reshape(chosen.shape)
        done += chosen.size
        if chosen.size:
            mine, theirs = (_standardised(scores.values[chosen]) for scores in (one, other))
            yield _Stack(places, mine, theirs, people[varied] / length[varied])


def _standardised(scores: FloatArray) -> FloatArray:
    """Mean 0 and spread 1 within each context, rounded so that equal ones are equal; all 0 where all are equal."""
    scores = rounded(scores)
    spread = np.where((scores == scores[:, :1]).all(axis=1), 0.0, scores.std(axis=1))[:, None]
    return rounded(
        np.where(spread > 0, scores - scores.mean(axis=1, keepdims=True), 0.0) / np.where(spread > 0, spread, 1.0)
    )


def _some(stack: _Stack, chosen: BoolArray) -> _Stack:
    return _Stack(stack.places[chosen], stack.one[chosen], stack.other[chosen], stack.people[chosen])


def _without_ties(stack: _Stack) -> BoolArray:
    """Whether no two of all scores of a context are equal, so that no swap makes any equal, (n_contexts,)."""
    if stack.one.shape[1] > _LONGEST_COMPARED:
        return np.zeros(len(stack.one), dtype=bool)
    every = np.sort(np.hstack([stack.one, stack.other]), axis=1)
    return np.asarray((every[:, 1:] > every[:, :-1]).all(axis=1))


def _weights(stack: _Stack) -> FloatArray:
    """What each candidate's sign adds, (n_contexts, size), where no scores are equal.

    Ranks are sums of signs of differences, each of which depends on two of the swaps. So a sum of people's ranks times
    ranks is a constant, a part for each sign and a part for each two signs; the latter is the same for both judges.
    """
    size = stack.one.shape[1]
    sign = _Signs(stack)
    linear = (sign.one_one + sign.one_other - sign.other_one - sign.other_other) / 4  # (n_contexts, size, size)
    gaps = stack.people[:, :, None] - stack.people[:, None, :]
    length = np.sqrt(size * (size**2 - 1) / 3)  # of sums of signs, which are twice the ranks less their mean
    return (gaps * linear).sum(axis=2) * 2 / length


class _Signs:
    """Whether a candidate's score stands above another's (1) or below it (-1), (n_contexts, size, size)."""

    def __init__(self, stack: _Stack) -> None:
        self.one_one, self.one_other = _compared(stack.one, stack.one), _compared(stack.one, stack.other)
        self.other_one, self.other_other = _compared(stack.other, stack.one), _compared(stack.other, stack.other)


def _compared(above: FloatArray, below: FloatArray) -> NDArray[np.float32]:
    return np.sign(above[:, :, None] - below[:, None, :]).astype(np.float32)


def _differences(stack: _Stack, signs: FloatArray) -> FloatArray:
    """The sum over these contexts of the difference of correlations, (n_rows,); signs: float, (n_rows, n)."""
    found = np.zeros(len(signs))
    ranks_of = _ranks_by_signs if stack.one.shape[1] <= _LONGEST_COMPARED else _ranks_by_sorting
    width = max(1, _CHUNK_ELEMENTS // (2 * stack.one.size))
    for start in range(0, len(signs), width):
        swapped = np.moveaxis(signs[start : start + width, stack.places] < 0, 0, 2)  # (n_contexts, size, n_rows)
        one, other = (_correlations(stack, ranks) for ranks in ranks_of(stack, swapped))
        found[start : start + width] = (one - other).sum(axis=0)
    return found


def _ranks_by_signs(stack: _Stack, swapped: BoolArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both judges' ranks after swaps, twice and less their mean, (n_contexts, size, n_rows).

    Sums of signs, of whole numbers that single precision holds exactly.
    """
    sign = _Signs(stack)
    base = np.hstack([sign.one_one, sign.other_one])  # (n_contexts, 2 size, size): kept candidates, then swapped ones
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
    """The same for contexts with many candidates."""
    turned = swapped.transpose(0, 2, 1)
    one, other = stack.one[:, None], stack.other[:, None]
    mine, theirs = (average_ranks(np.where(turned, *both)) for both in ((other, one), (one, other)))
    middle = (stack.one.shape[1] + 1) / 2
    return 2 * (mine - middle).transpose(0, 2, 1), 2 * (theirs - middle).transpose(0, 2, 1)


def _correlations(stack: _Stack, ranks: NDArray[Any]) -> FloatArray:
    """(n_contexts, n_rows)."""
    products = np.einsum("ci,cip->cp", stack.people, ranks)
    lengths = np.sqrt(np.einsum("cip,cip->cp", ranks, ranks).astype(np.float64))
    return np.where(lengths > 0, products / np.where(lengths > 0, lengths, 1.0), 0.0)
