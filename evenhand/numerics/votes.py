"""`Votes`: people's votes on pairs, the majority's preference, and the agreement of votes with it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_share

T = TypeVar("T")

NO_MAJORITY_OF_OTHERS = "no vote is on a pair on which the other raters have a strict majority"


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Votes, stored as comparisons.

    comparisons: the pairs as shown; p_first is 1 (first), 0 (second) or 1/2 (tie).
    raters: int, (n,). Number of the person who gave each vote.

    Raises InvalidComparisons if a vote has another value, or if the lengths differ.
    """

    comparisons: Comparisons
    raters: IntArray
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        answers = self.comparisons.p_first
        object.__setattr__(self, "raters", np.asarray(self.raters))
        if len(self.raters) != len(answers):
            raise InvalidComparisons(f"{len(answers)} votes have {len(self.raters)} raters; give one each")
        if not np.isin(answers, (0.0, 0.5, 1.0)).all():
            raise InvalidComparisons("a vote's p_first must be 0, 1/2 or 1")

    def __len__(self) -> int:
        return len(self.comparisons)

    @property
    def for_lower(self) -> FloatArray:
        """Votes for the candidate with the lower number of each pair, (n,): 1, 0 or 1/2 (tie)."""
        flipped = self.comparisons.first > self.comparisons.second
        return np.where(flipped, 1 - self.comparisons.p_first, self.comparisons.p_first)

    def select(self, chosen: BoolArray) -> "Votes":
        """Select votes by mask."""
        return Votes(self.comparisons.select(chosen), self.raters[chosen])

    def of_contexts(self, chosen: BoolArray) -> "Votes":
        """Select the votes on contexts by mask, (n_contexts,). The same contexts give the same object."""
        if chosen.all():
            return self
        return self.once(("of_contexts", chosen.tobytes()), lambda: self.select(chosen[self.comparisons.contexts]))

    def once(self, what: Hashable, compute: Callable[[], T]) -> T:
        """Return a value that depends on these votes alone, computed once: runs share the votes of their attribute.

        what: its key. Callers must not modify the value.
        """
        if what not in self._kept:
            self._kept[what] = compute()
        value: T = self._kept[what]
        return value


def majority(votes: Votes, pair_keys: IntArray) -> FloatArray:
    """Return the strict majority of all votes on each unordered pair, both orders pooled, (n_pairs,).

    1 if it prefers the candidate with the lower number, 0 if the other. NaN without votes, without a strict majority,
    or if the majority votes for a tie.
    pair_keys: int, (n_pairs,). `Comparisons.pair_keys` of the same candidates.
    """
    keys, pair = votes.comparisons.unordered_pairs
    totals = counts(pair, len(keys))
    for_lower = sums(pair, votes.for_lower == 1, len(keys))
    for_higher = sums(pair, votes.for_lower == 0, len(keys))
    return _at_keys(keys, _strict_majority(for_lower, for_higher, totals), pair_keys)


def majority_outcomes(votes: Votes) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the unordered pairs on which one outcome of three has more than half of the votes, both orders pooled.

    Returns lower, higher: the candidates, (n_pairs,); outcomes: 1 for the lower number, 0 for a tie, -1 for the higher.
    """
    return votes.once("majority_outcomes", lambda: _majority_outcomes(votes))


def _majority_outcomes(votes: Votes) -> tuple[IntArray, IntArray, FloatArray]:
    keys, first, pair = np.unique(votes.comparisons.pair_keys, return_index=True, return_inverse=True)
    totals = counts(pair, len(keys))
    shares = np.stack([sums(pair, votes.for_lower == choice, len(keys)) for choice in (1, 0.5, 0)])
    decided = 2 * shares.max(axis=0, initial=0) > totals
    outcomes = np.array([1.0, 0.0, -1.0])[shares.argmax(axis=0)]
    sides = np.stack([votes.comparisons.first[first], votes.comparisons.second[first]])
    return sides.min(axis=0)[decided], sides.max(axis=0)[decided], outcomes[decided]


def human_agreement(votes: Votes, recorded: BoolArray) -> Figure:
    """Return the share of votes that agree with the strict majority of the other raters; a tie vote counts 1/2.

    A vote counts if more than half of all other raters' votes on the unordered pair are for one candidate.
    recorded: bool, (n_contexts,). Contexts whose votes count.
    """
    chosen = votes.of_contexts(recorded)
    return chosen.once("human_agreement", lambda: _agreement(chosen))


def _agreement(chosen: Votes) -> Figure:
    contexts, n_contexts = chosen.comparisons.contexts, chosen.comparisons.n_contexts
    agrees = 1 - np.abs(chosen.for_lower - majority_of_others(chosen))
    return pooled_share(contexts, agrees, n_contexts, if_empty=NO_MAJORITY_OF_OTHERS)


def majority_of_others(votes: Votes) -> FloatArray:
    """Return the strict majority of the other raters' votes on the pair of each vote, (n_votes,).

    1 if it prefers the candidate with the lower number, 0 if the other, NaN without one.
    """
    return votes.once("majority_of_others", lambda: _majority_of_others(votes))


def _majority_of_others(chosen: Votes) -> FloatArray:
    keys, answers = chosen.comparisons.pair_keys, chosen.for_lower
    pair = np.unique(keys, return_inverse=True)[1]
    own = np.unique(np.stack([keys, chosen.raters], axis=1), axis=0, return_inverse=True)[1].ravel()
    totals, for_lower, for_higher = (
        sums(pair, weights, len(answers))[pair] - sums(own, weights, len(answers))[own]
        for weights in (np.ones(len(answers)), answers == 1, answers == 0)
    )
    return _strict_majority(for_lower, for_higher, totals)


def _strict_majority(for_lower: FloatArray, for_higher: FloatArray, totals: IntArray | FloatArray) -> FloatArray:
    """Return 1 or 0 if more than half of all votes are for that side, else NaN, (n,)."""
    return np.where(2 * for_lower > totals, 1.0, np.where(2 * for_higher > totals, 0.0, np.nan))


def _at_keys(keys: IntArray, values: FloatArray, wanted: IntArray) -> FloatArray:
    """Look up the value of each wanted key, (n_wanted,); NaN for keys without one. keys: rising."""
    if not len(keys):
        return np.full(len(wanted), np.nan)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], np.nan)
