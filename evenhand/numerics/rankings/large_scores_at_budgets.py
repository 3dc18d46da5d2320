"""Scores at rising budgets along one order of asking, for a context with too many candidates to be stacked.

All rankings share the tables of its pairs. Each fit starts from the previous one.
"""

from typing import NamedTuple

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.fitting.alike_candidates import classes_of_totals, near_scores, tie_alike
from evenhand.numerics.fitting.batches import ContextBatch
from evenhand.numerics.fitting.dense_newton import LARGEST_TABLE, DenseLaplacian, PairTable, fit_dense
from evenhand.numerics.fitting.logistic_scores import fit_alone
from evenhand.numerics.rankings.likelihood import likely_places, net_gains
from evenhand.numerics.rankings.product_of_experts import GAUSSIAN_TOLERANCE, sparse_gaussian
from evenhand.numerics.rankings.scores_at_budgets import PartialScores

_TABLE_FROM = 1 / 16
"""Above this share of all ordered pairs, tables are faster than lists of pairs."""


class AskedPairs(NamedTuple):
    """Comparisons that were asked. members: their indices in the run. first, second: the pairs. All int, (n_asked,)."""

    members: IntArray
    first: IntArray
    second: IntArray

    def part(self, start: int, end: int) -> "AskedPairs":
        """Return those from `start` to before `end`, without a copy."""
        return AskedPairs(*(column[start:end] for column in self))


class _TableKind(NamedTuple):
    """A table of pairs. lower_first: the order that it counts; None: both. extra: comparisons added to every pair."""

    lower_first: bool | None = None
    extra: float = 0.0


class OrderTally:
    """The comparisons of one order of asking so far.

    so_far: all of them. played: int, (size,). Number of comparisons of each candidate.
    scratch: float, (size, size). Memory that the fits share; None if there are too many candidates for it.
    """

    def __init__(self, batch: ContextBatch, steps: IntArray) -> None:
        """Start before the first comparison. steps: int, (n_steps,). Indices in `ContextBatch.members` or -1."""
        members = steps[steps >= 0]
        self.size, self.played = batch.size, np.zeros(batch.size, dtype=np.intp)
        self._whole = AskedPairs(batch.members[members], batch.first[members], batch.second[members])
        self.so_far = self._whole.part(0, 0)
        self.scratch = np.zeros((batch.size, batch.size)) if batch.size <= LARGEST_TABLE else None
        self._tables: dict[_TableKind, FloatArray] = {}

    def take(self, budget: int) -> AskedPairs:
        """Count the comparisons up to a budget, and return those that are new."""
        asked = self._whole.part(len(self.so_far.members), budget)
        self.so_far = self._whole.part(0, max(budget, len(self.so_far.members)))
        self.played += counts(asked.first, self.size) + counts(asked.second, self.size)
        for kind, table in self._tables.items():
            self._count(kind, table, asked)
        return asked

    @property
    def prefers_tables(self) -> bool:
        """True if tables are faster than lists of pairs."""
        return self.has_tables and len(self.so_far.first) > _TABLE_FROM * self.size**2

    @property
    def has_tables(self) -> bool:
        return self.scratch is not None

    def tables(self, shift: float = 0.0, extra: float = 0.0) -> list[PairTable]:
        """Return the tables of pairs: both orders pooled, or one table for each order if there is a shift.

        extra: comparisons added to every pair.
        """
        if not self.has_tables:
            raise ValueError(f"{self.size} candidates are too many for a table of their pairs")
        if shift:
            orders = ((True, shift), (False, -shift))
            return [PairTable(self._table(_TableKind(lower_first=order)), one) for order, one in orders]
        return [PairTable(self._table(_TableKind(extra=extra)))]

    def _table(self, kind: "_TableKind") -> FloatArray:
        if kind not in self._tables:
            self._tables[kind] = np.triu(np.full((self.size, self.size), kind.extra), 1)
            self._count(kind, self._tables[kind], self.so_far)
        return self._tables[kind]

    def _count(self, kind: "_TableKind", table: FloatArray, asked: AskedPairs) -> None:
        """Add comparisons to a table of their pairs."""
        first, second = asked.first, asked.second
        if kind.lower_first is not None:
            chosen = (first < second) == kind.lower_first
            first, second = first[chosen], second[chosen]
        cells = np.minimum(first, second) * self.size + np.maximum(first, second)
        np.add.at(table.reshape(-1), cells, np.float64(1))

    def opponents(self, chosen: IntArray, values: FloatArray) -> FloatArray:
        """Return the sum of the values of the opponents of some candidates, (n_chosen,). values: float, (size,)."""
        table = self.tables()[0].counts
        return table[chosen] @ values + table[:, chosen].T @ values


class OneOrderAlong:
    """The scores of a ranking along one order of asking. wins: float, (size,). Total of each candidate's wins."""

    def __init__(self, ranking: PartialScores, tally: OrderTally) -> None:
        self.ranking, self.tally = ranking, tally
        self.wins = np.zeros(tally.size)
        self.gains = np.zeros((tally.size, tally.size)) if ranking.model == "order" else None
        self.fitted: FloatArray | None = None

    def take(self, asked: AskedPairs) -> None:
        """Add the comparisons that the tally has counted."""
        answers = self.ranking.answers[asked.members]
        if self.gains is not None:
            np.add.at(self.gains.reshape(-1), asked.first * self.tally.size + asked.second, answers)
            return
        self.wins += sums(asked.first, answers, self.tally.size) + sums(asked.second, 1 - answers, self.tally.size)

    def scores(self) -> FloatArray:
        """Return the scores of the comparisons so far, (size, 1)."""
        match self.ranking.model:
            case "mean":
                scores = self.wins / np.maximum(self.tally.played, 1)
            case "order":
                scores = -likely_places(net_gains(np.zeros((1, 1, 1)) if self.gains is None else self.gains[None]))[0]
            case "gaussian":
                scores = self._tied(self._gaussian())
            case _:
                self.fitted = self._logistic()
                scores = self._tied(self.fitted)
        return scores[:, None]

    def _gaussian(self) -> FloatArray:
        """Score by least squares of differences of scores."""
        asked, size = self.tally.so_far, self.tally.size
        differences = self.ranking.answers[asked.members] - self.ranking.shift
        if not self.tally.prefers_tables:
            return sparse_gaussian(asked.first, asked.second, differences, size)
        right = sums(asked.first, differences, size) - sums(asked.second, differences, size)
        return DenseLaplacian(self.tally.tables()[0].counts, np.ones(size)).solve(right, GAUSSIAN_TOLERANCE)

    def _logistic(self) -> FloatArray:
        """Score by maximum likelihood."""
        tally, shift, asked = self.tally, self.ranking.shift, self.tally.so_far
        extra = 1 / (tally.size - 1) if self.ranking.pseudo_wins else 0.0
        if tally.has_tables and (tally.prefers_tables or extra):
            wins = self.wins + extra * (tally.size - 1)
            fit = fit_dense(tally.tables(shift, 2 * extra), wins, start=self.fitted, scratch=tally.scratch)
            if fit.converged.all():
                return fit.scores[:, 0]
        return fit_alone(
            *(asked.first, asked.second, self.ranking.answers[asked.members]),
            n_candidates=tally.size,
            shift=shift,
            extra=extra,
            start=self.fitted,
        ).scores[:, 0]

    def _tied(self, scores: FloatArray) -> FloatArray:
        """Return the scores with exact ties between candidates that the comparisons do not separate."""
        if not self._may_tie(scores):
            return scores
        asked = self.tally.so_far
        comparisons = Comparisons(len(scores), asked.first, asked.second, self.ranking.answers[asked.members])
        return tie_alike(scores, comparisons, is_biased=self.ranking.is_biased)

    def _may_tie(self, scores: FloatArray) -> bool:
        """Return False only if the totals and the opponents of all candidates with near scores differ."""
        classes = classes_of_totals(self.wins, self.tally.played)
        near = near_scores(scores, classes)
        if not len(near) or not self.tally.has_tables:
            return bool(len(near))
        numbers = np.random.default_rng(0).integers(0, 1 << 20, len(scores)).astype(np.float64)[classes]
        opponents = self.tally.opponents(near, numbers)  # whole numbers, so their sums are exact
        return bool(len(near_scores(scores[near], _numbered(classes[near], opponents))))


def _numbered(classes: IntArray, opponents: FloatArray) -> IntArray:
    """Number the distinct pairs of a class and a sum over opponents, (n,)."""
    return np.unique(np.stack([classes, opponents], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
