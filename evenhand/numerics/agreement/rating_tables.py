"""Tables of ratings by several raters, people or judges, of the same units."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.numerics.votes import Votes

MISSING_RATING = -1
LOWER, TIE, HIGHER = 2, 1, 0
"""Codes of a pair's rating: the lower-numbered candidate is better, a tie, the higher-numbered is better."""


@dataclass(frozen=True, slots=True, eq=False)
class RatingTable:
    """Ratings in categories.

    codes: int, (n_raters, n_units). Categories 0 to n_categories - 1, rising if ordinal; MISSING_RATING if none.
    values: float, (n_categories,). Number of each category, for measures that use distances.
    contexts: int, (n_units,). Context of each unit, for intervals. Default: each unit has its own.

    Raises InvalidComparisons for other codes, or if units and contexts differ in number.
    """

    codes: IntArray
    values: FloatArray
    contexts: IntArray | None = None

    def __post_init__(self) -> None:
        if self.codes.ndim != 2:
            raise InvalidComparisons(f"codes has {self.codes.ndim} dimensions; give raters x units")
        if ((self.codes < MISSING_RATING) | (self.codes >= len(self.values))).any():
            raise InvalidComparisons(
                f"codes must be categories 0 to {len(self.values) - 1}, or {MISSING_RATING} where missing"
            )
        if self.contexts is not None and self.contexts.shape != self.codes.shape[1:]:
            raise InvalidComparisons(f"{self.codes.shape[1]} units have {self.contexts.size} contexts; give one each")

    @property
    def n_raters(self) -> int:
        return self.codes.shape[0]

    @property
    def unit_counts(self) -> FloatArray:
        """Count the raters that put each unit into each category, (n_units, n_categories)."""
        n_units, n_categories = self.codes.shape[1], len(self.values)
        _, unit = np.nonzero(self.codes >= 0)
        cells = unit * n_categories + self.codes[self.codes >= 0]
        return counts(cells, n_units * n_categories).reshape(n_units, n_categories).astype(np.float64)

    def part(self, raters: IntArray, units: BoolArray | None = None) -> "RatingTable":
        """Select raters by index, and units by mask. Default: all units."""
        codes = self.codes[raters]
        if units is None:
            return RatingTable(codes, self.values, self.contexts)
        return RatingTable(codes[:, units], self.values, None if self.contexts is None else self.contexts[units])

    def by_context(self, units: BoolArray, parts: FloatArray) -> FloatArray:
        """Sum the parts of chosen units, (n_units,), in each context that has one: (n_contexts, n_parts).

        parts: float, (n_chosen_units, n_parts). Contribution of each chosen unit.
        """
        if self.contexts is None:
            return parts
        names, place = np.unique(self.contexts[units], return_inverse=True)
        return np.stack([sums(place, part, len(names)) for part in parts.T], axis=1)

    @classmethod
    def of_values(cls, ratings: FloatArray, contexts: IntArray | None = None) -> "RatingTable":
        """Build a table from numbers, (n_raters, n_units), NaN if missing; each value is a category."""
        present = ~np.isnan(ratings)
        values = np.unique(ratings[present])
        codes = np.full(ratings.shape, MISSING_RATING)
        codes[present] = np.searchsorted(values, ratings[present])
        return cls(codes, values.astype(np.float64), contexts)

    @classmethod
    def of_pairs(cls, raters: Sequence[Comparisons]) -> "RatingTable":
        """Build a table from each rater's comparisons of the same candidates; a unit is an unordered pair.

        A rater who answered both orders of a pair counts once, with the majority of the decisions, else a tie.
        """
        keys = [rater.pair_keys for rater in raters]
        units = np.unique(np.concatenate(keys)) if keys else np.zeros(0, dtype=np.intp)
        codes = np.full((len(raters), len(units)), MISSING_RATING)
        for row, (rater, own) in enumerate(zip(raters, keys, strict=True)):
            at = np.searchsorted(units, own)
            decided = decide(rater.p_first)
            for_lower = np.where(rater.first < rater.second, decided, 1 - decided) - 0.5
            seen = counts(at, len(units)) > 0
            codes[row, seen] = 1 + np.sign(sums(at, for_lower, len(units))[seen])
        contexts = raters[0].candidate_contexts[units // raters[0].n_candidates] if raters else units
        return cls(codes, np.arange(3.0), contexts)


def split_by_rater(votes: Votes) -> list[Comparisons]:
    """Split votes by rater, in the order of the raters' numbers."""
    return [votes.comparisons.select(votes.raters == rater) for rater in np.unique(votes.raters)]
