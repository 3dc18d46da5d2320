"""Measures of ranking curves: correlation with human scores, or accuracy on pairs that people decided."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evenhand.numerics.accuracy import NO_TRUTH, human_preferences
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.coefficients import ratio_or_zero, spearman_rows
from evenhand.numerics.correlation.correlations import ALL_SKIPPED
from evenhand.numerics.fitting.batches import ContextBatch
from evenhand.numerics.pairs import pair_rows
from evenhand.numerics.scores import rounded, rounded_units
from evenhand.numerics.votes import Votes

LARGEST_COMPARED = 64
"""Contexts with more compared candidates are ranked by sorting instead of by comparing all pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class HumanJudgments:
    """Human judgments that curves are measured against, shared by all draws or one set per draw.

    scores: float, (1 or n_draws, n_candidates). NaN if missing.
    votes: one per row of scores, or empty. They decide pairs without two scores, as in `human_preferences`.
    """

    scores: FloatArray
    votes: Sequence[Votes] = ()

    def of_draws(self, numbers: IntArray) -> "HumanJudgments":
        """Select the judgments of draws by number."""
        if len(self.scores) == 1:
            return self
        return HumanJudgments(self.scores[numbers], [self.votes[number] for number in numbers] if self.votes else ())


class SpearmanAgainst:
    """Spearman's correlation with human scores within each context of a batch.

    weights: float, (n_contexts, 1 or n_draws). Weight of each value in the mean over contexts; 0 if skipped.
    """

    if_skipped = ALL_SKIPPED
    """Reason if no context counts."""

    def __init__(self, truth: HumanJudgments, batch: ContextBatch) -> None:
        scores = rounded(truth.scores[:, batch.candidates])  # (n_truths, n_contexts, size)
        people = np.ascontiguousarray(np.moveaxis(scores, 2, 0).swapaxes(1, 2))  # (size, n_contexts, n_truths)
        self.scored = ~np.isnan(people)
        self.ranks = _ranks(people, None if self.scored.all() else self.scored)
        self.squares = _sums_of_products(self.ranks, self.ranks)
        self.weights = (self.squares > 0).astype(np.float64)
        self.people = people

    def values(self, scores: FloatArray) -> FloatArray:
        """Return one value per context and draw; meaningless if the weight is 0.

        scores: float, (size, n_contexts, n_draws).
        """
        if len(scores) > LARGEST_COMPARED:
            return self._one_by_one(scores)
        ranks = _ranks(scores, None if self.scored.all() else self.scored)
        products = _sums_of_products(ranks, self.ranks)
        return ratio_or_zero(products, np.sqrt(_sums_of_products(ranks, ranks) * self.squares))

    def _one_by_one(self, scores: FloatArray) -> FloatArray:
        scores, values = rounded(scores), np.zeros(scores.shape[1:])
        people, scored = (np.broadcast_to(array, scores.shape) for array in (self.people, self.scored))
        counted = np.broadcast_to(self.weights > 0, values.shape)
        for at in zip(*np.nonzero(counted), strict=True):
            known = scored[:, *at]
            values[at] = spearman_rows(scores[known, *at][None], people[known, *at][None])[0]
        return values


class AccuracyAgainst:
    """Share of the pairs decided by people that the scores order as people do; equal scores count 1/2.

    Attributes and methods are those of `SpearmanAgainst`.
    """

    if_skipped = NO_TRUTH

    def __init__(self, truth: HumanJudgments, batch: ContextBatch) -> None:
        pairs = _all_pairs(batch, truth.scores.shape[1])
        votes: Sequence[Votes | None] = truth.votes or [None] * len(truth.scores)
        right = [human_preferences(pairs, *judgments) for judgments in zip(truth.scores, votes, strict=True)]
        signs = np.nan_to_num(2 * np.stack(right, axis=1) - 1).astype(np.int8)  # 1, -1, or 0 without a preference
        self.preferences = signs.reshape(-1, batch.n_contexts, len(right))  # (n_pairs, n_contexts, n_truths)
        self.weights = np.count_nonzero(self.preferences, axis=0).astype(np.float64)

    def values(self, scores: FloatArray) -> FloatArray:
        agreed = np.zeros(scores.shape[1:])
        for row, signs in _signs(scores):
            agreed += (signs * self.preferences[row]).sum(axis=0, dtype=np.int16)
        return (1 + agreed / np.maximum(self.weights, 1.0)) / 2


BatchMeasure = SpearmanAgainst | AccuracyAgainst
CURVE_MEASURES: Mapping[str, type[BatchMeasure]] = MappingProxyType(
    {"spearman": SpearmanAgainst, "accuracy": AccuracyAgainst}
)


def _signs(values: FloatArray) -> Iterator[tuple[slice, IntArray]]:
    """Yield each candidate's comparison with those after it: above (1), equal (0) or below (-1), (n_after, …)."""
    whole = rounded_units(values)
    for candidate, row in enumerate(pair_rows(len(values))):
        signs = (whole[candidate] > whole[candidate + 1 :]).view(np.int8)
        signs -= (whole[candidate] < whole[candidate + 1 :]).view(np.int8)
        yield row, signs


def _ranks(values: FloatArray, counted: BoolArray | None) -> FloatArray:
    """Return twice the centred ranks of counted candidates, 0 for others: (size, n_contexts, n_draws)."""
    ranks = np.zeros(values.shape, dtype=np.int16)
    for candidate, (_, signs) in enumerate(_signs(values)):
        if counted is not None:
            signs *= counted[candidate] & counted[candidate + 1 :]
        ranks[candidate] += signs.sum(axis=0, dtype=np.int16)
        ranks[candidate + 1 :] -= signs
    return ranks.astype(np.float32)


def _sums_of_products(one: FloatArray, other: FloatArray) -> FloatArray:
    """Sum products over the first axis, (n_contexts, n_draws); exact, because both are whole numbers."""
    return np.einsum("icd,icd->cd", one, np.broadcast_to(other, one.shape)).astype(np.float64)


def _all_pairs(batch: ContextBatch, n_candidates: int) -> Comparisons:
    """Return every pair of candidates of each context, grouped by pair and then by context."""
    low, high = np.triu_indices(batch.size, 1)
    first, second = batch.candidates[:, low].T.ravel(), batch.candidates[:, high].T.ravel()
    return Comparisons(n_candidates, first, second, np.full(len(first), 0.5))
