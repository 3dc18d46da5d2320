"""What several raters, people or judges, say of the same pairs, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from rankings.numerics.comparisons import Comparisons, decide
from rankings.numerics.exceptions import InvalidComparisons
from rankings.numerics.votes import Votes

MISSING = -1
LOWER, TIE, HIGHER = 2, 1, 0
"""Codes of a rating: the candidate of the lower number is better, neither, the one of the higher number."""


@dataclass(frozen=True, slots=True, eq=False)
class RatingTable:
    """Ratings in a few categories.

    codes: int, (n_raters, n_units). Categories 0 to n_categories - 1, in their order if they have one; MISSING if none.
    values: float, (n_categories,). What each category stands for, for measures that look at distances.
    contexts: int, (n_units,). The context of each unit, over which intervals are; left out, each unit has its own.

    Raises InvalidComparisons where a code is none of these, or the number of contexts is not that of units.
    """

    codes: IntArray
    values: FloatArray
    contexts: IntArray | None = None

    def __post_init__(self) -> None:
        if self.codes.ndim != 2:
            raise InvalidComparisons(f"codes has {self.codes.ndim} dimensions; give raters x units")
        if ((self.codes < MISSING) | (self.codes >= len(self.values))).any():
            raise InvalidComparisons(
                f"codes must be categories 0 to {len(self.values) - 1}, or {MISSING} where missing"
            )
        if self.contexts is not None and self.contexts.shape != self.codes.shape[1:]:
            raise InvalidComparisons(f"{self.codes.shape[1]} units have {self.contexts.size} contexts; give one each")

    @property
    def n_raters(self) -> int:
        return self.codes.shape[0]

    @property
    def unit_counts(self) -> FloatArray:
        """How many raters put each unit into each category, (n_units, n_categories)."""
        n_units, n_categories = self.codes.shape[1], len(self.values)
        _, unit = np.nonzero(self.codes >= 0)
        cells = unit * n_categories + self.codes[self.codes >= 0]
        return counts(cells, n_units * n_categories).reshape(n_units, n_categories).astype(np.float64)

    def part(self, raters: IntArray, units: BoolArray | None = None) -> "RatingTable":
        """The ratings of some raters, by index, on all units or on some, by mask."""
        codes = self.codes[raters]
        if units is None:
            return RatingTable(codes, self.values, self.contexts)
        return RatingTable(codes[:, units], self.values, None if self.contexts is None else self.contexts[units])

    def by_context(self, units: BoolArray, parts: FloatArray) -> FloatArray:
        """What some units, (n_units,), add up to in each context that has one of them, (n_contexts, n_parts).

        parts: float, (n_chosen_units, n_parts). What each of them adds.
        """
        if self.contexts is None:
            return parts
        names, place = np.unique(self.contexts[units], return_inverse=True)
        return np.stack([sums(place, part, len(names)) for part in parts.T], axis=1)

    @classmethod
    def of_values(cls, ratings: FloatArray, contexts: IntArray | None = None) -> "RatingTable":
        """From numbers, (n_raters, n_units), NaN where missing: one category for each value that occurs."""
        present = ~np.isnan(ratings)
        values = np.unique(ratings[present])
        codes = np.full(ratings.shape, MISSING)
        codes[present] = np.searchsorted(values, ratings[present])
        return cls(codes, values.astype(np.float64), contexts)

    @classmethod
    def of_pairs(cls, raters: Sequence[Comparisons]) -> "RatingTable":
        """From each rater's comparisons of the same candidates: a unit is an unordered pair that anybody compared.

        A rater who saw a pair in both orders counts once, with the side that has more of the decisions, else a tie.
        """
        keys = [rater.pair_keys for rater in raters]
        units = np.unique(np.concatenate(keys)) if keys else np.zeros(0, dtype=np.intp)
        codes = np.full((len(raters), len(units)), MISSING)
        for row, (rater, own) in enumerate(zip(raters, keys, strict=True)):
            at = np.searchsorted(units, own)
            decided = decide(rater.p_first)
            for_lower = np.where(rater.first < rater.second, decided, 1 - decided) - 0.5
            seen = counts(at, len(units)) > 0
            codes[row, seen] = 1 + np.sign(sums(at, for_lower, len(units))[seen])
        contexts = raters[0].candidate_contexts[units // raters[0].n_candidates] if raters else units
        return cls(codes, np.arange(3.0), contexts)


def by_rater(votes: Votes) -> list[Comparisons]:
    """The votes of each rater, in the order of their numbers."""
    return [votes.comparisons.select(votes.raters == rater) for rater in np.unique(votes.raters)]
