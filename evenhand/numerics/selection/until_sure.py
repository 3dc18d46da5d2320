"""The selection `until-sure`: ask in rounds, and stop once asking the rest would hardly change the ranking.

A context is done when the expected share of its pairs of candidates that would still change order is at most a bound.
The next pairs are those that lower this share most, to first order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, first_largest
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.selection.adaptive_selection import connecting_pairs
from evenhand.numerics.selection.pair_selection import OrderedPairs
from evenhand.numerics.selection.reorder_probability import (
    FittedScores,
    Reordering,
    effective_resistances,
    fit_scores,
    reordering,
)

UNTIL_SURE = "until-sure"
DEFAULT_BOUND = 0.05
MOST_CANDIDATES_UNTIL_SURE = 200
"""A round takes time with the third power of the number of candidates."""
_CANDIDATES_PER_PAIR = 2  # of a round: many short rounds would make a live run slow


@dataclass(frozen=True, eq=False)
class ContextState:
    """The state of a context. Its fit and what is expected of it are computed once.

    answers: float, (n, n). p_first of each ordered pair; NaN if it has no answer.
    open: bool, (n, n). Ordered pairs that can still be asked.
    """

    answers: FloatArray
    open: BoolArray

    @property
    def n_candidates(self) -> int:
        return len(self.open)

    @property
    def known(self) -> BoolArray:
        return ~np.isnan(self.answers)

    @cached_property
    def fitted(self) -> FittedScores | None:
        return fit_scores(self.answers)

    @cached_property
    def change(self) -> Reordering | None:
        """How the candidates change order if all open pairs are asked; None if the scores are not determined."""
        return None if self.fitted is None else reordering(self.fitted, self.known, self.open)


def expected_reordered_share(state: ContextState) -> float:
    """Return the expected share of pairs of candidates that change order if all open pairs are asked.

    It is 0 if none is open, and 1 while the answers do not determine the scores.
    """
    if not state.open.any():
        return 0.0
    return 1.0 if state.change is None else state.change.share


def next_pairs_until_sure(
    state: ContextState, *, bound: float, seed: Sequence[int], most: int | None = None
) -> OrderedPairs:
    """Choose the ordered pairs of the next round; none once the expected share is at most the bound.

    The first round is a ring through all candidates in random order. The same state and seed give the same pairs.
    most: largest number of pairs. Default: that of a round.
    """
    remaining = int(state.open.sum())
    number = min(remaining, remaining if most is None else most)
    if number < 1:
        return OrderedPairs.of([])
    rng = np.random.default_rng([*seed, remaining, 2])
    n = state.n_candidates
    if not state.known.any() and remaining == n * (n - 1):
        return OrderedPairs.of(_ring(rng.permutation(n))[:number])
    number = min(number, max(1, n // _CANDIDATES_PER_PAIR))
    fitted, change = state.fitted, state.change
    if fitted is None or change is None:
        return OrderedPairs.of(_undetermined(state, number, rng))
    return OrderedPairs.of([] if change.share <= bound else _most_useful(state, fitted, change, number, rng))


def _ring(order: IntArray) -> list[tuple[int, int]]:
    """Return pairs of neighbours. Each candidate is once first and once second, so position bias cancels."""
    return list(zip(order.tolist(), np.roll(order, -1).tolist(), strict=True))


def _undetermined(state: ContextState, number: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Choose pairs that connect candidates without common answers; if there are none, random open pairs."""
    first, second = np.nonzero(state.known)
    answered = Comparisons(state.n_candidates, first, second, state.answers[first, second])
    still_open = state.open.copy()
    chosen = connecting_pairs(answered, still_open, number, rng)
    if chosen:
        return chosen
    places = rng.permutation(np.flatnonzero(still_open))[:number]
    return [(int(place) // state.n_candidates, int(place) % state.n_candidates) for place in places]


def _most_useful(
    state: ContextState, fitted: FittedScores, change: Reordering, number: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Choose the open pairs that lower the expected share most, one after the other.

    An answer to a pair changes the covariance A by - (A v)(A v)' / (1 + v' A v), where v is +1 and -1 at the pair.
    """
    weights = _slopes(change, fitted.degrees_of_freedom)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse, still_open, asked = fitted.inverse, state.open.copy(), ~state.open
    upper = np.triu(np.ones_like(still_open), 1)
    balance = (asked.sum(axis=1) - asked.sum(axis=0)).astype(np.float64)  # the diagonal cancels
    chosen: list[tuple[int, int]] = []
    while len(chosen) < number:
        gains = effective_resistances(inverse @ laplacian @ inverse) / (1 + effective_resistances(inverse))
        gains = np.where((still_open | still_open.T) & upper, gains, -1.0)
        one, other = divmod(first_largest(gains.ravel()), len(gains))
        pair = _in_balanced_order(one, other, still_open, balance, rng)
        chosen.append(pair)
        still_open[pair] = False
        balance[pair[0]] += 1
        balance[pair[1]] -= 1
        moved = inverse[:, one] - inverse[:, other]
        inverse = inverse - moved[:, None] * moved / (1 + moved[one] - moved[other])
    return chosen


def _slopes(change: Reordering, degrees_of_freedom: int) -> FloatArray:
    """Return how fast each probability falls with the variance of its change, up to a factor, (n, n)."""
    uncertain = np.isfinite(change.distances)
    distances = np.where(uncertain, change.distances, 0.0)
    density = (1 + distances**2 / degrees_of_freedom) ** (-(degrees_of_freedom + 1) / 2)
    slopes = np.where(uncertain, density * distances / np.where(uncertain, change.variances, 1.0), 0.0)
    return slopes if slopes.any() else uncertain.astype(np.float64)


def _in_balanced_order(
    one: int, other: int, still_open: BoolArray, balance: FloatArray, rng: np.random.Generator
) -> tuple[int, int]:
    """Put the candidate first that has been first less often than second, so that position bias cancels."""
    coin = rng.random() < 0.5
    if not (still_open[one, other] and still_open[other, one]):
        return (one, other) if still_open[one, other] else (other, one)
    one_first = coin if balance[one] == balance[other] else bool(balance[one] < balance[other])
    return (one, other) if one_first else (other, one)


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedContext:
    """A context that was asked again from recorded answers.

    first, second: int, (n,). Pairs in the order of asking, until the lowest bound was met.
    stops: bound -> number of pairs asked when it was met. shares: bound -> the expected share then.
    """

    first: IntArray
    second: IntArray
    stops: dict[float, int]
    shares: dict[float, float]


def replay_until_sure(recorded: FloatArray, *, bounds: Sequence[float], seed: Sequence[int]) -> ReplayedContext:
    """Ask the recorded answers of a context as a live run would, and note when each bound is met.

    recorded: float, (n, n). p_first of each ordered pair; NaN if there is no answer, which is then never asked.
    """
    state = ContextState(np.full(recorded.shape, np.nan), ~np.isnan(recorded))
    asked: list[tuple[int, int]] = []
    stops, shares = {}, {}
    for bound in sorted(bounds, reverse=True):
        while len(pairs := next_pairs_until_sure(state, bound=bound, seed=seed)):
            state = answered(state, pairs, recorded[pairs.first, pairs.second])
            asked += zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        stops[bound], shares[bound] = len(asked), expected_reordered_share(state)
    pairs = OrderedPairs.of(asked)
    return ReplayedContext(pairs.first, pairs.second, stops, shares)


def answered(state: ContextState, pairs: OrderedPairs, p_first: FloatArray) -> ContextState:
    """Return the state after further answers. p_first: float, (n,). NaN for a pair without an answer."""
    answers, still_open = state.answers.copy(), state.open.copy()
    answers[pairs.first, pairs.second] = p_first
    still_open[pairs.first, pairs.second] = False
    return ContextState(answers, still_open)
