"""Scores along orders of asking at rising budgets. Each fit starts from the previous one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.fitting.alike_candidates import has_broken_ties, tie_alike
from evenhand.numerics.fitting.running_tallies import Counted, Tally, add, add_outcomes
from evenhand.numerics.fitting.stacked_logistic import fit_stack
from evenhand.numerics.rankings.mean_places import alike_numbers, mean_places
from evenhand.numerics.rankings.orders_by_insertion import improved_orders
from evenhand.numerics.rankings.orders_by_preference import Relations, sorted_by_component


@dataclass(frozen=True, slots=True, eq=False)
class PartialScores:
    """A ranking, ready to score the first comparisons of orders of asking.

    answers: float, (n,). The decision or probability that the ranking uses, for each comparison of the run.
    model: how it computes scores from them. shift: position bias of the logistic or the Gaussian model.
    pseudo_wins: add 1 / (size - 1) wins to every ordered pair.
    """

    answers: FloatArray
    model: Literal["mean", "order", "logistic", "gaussian"]
    shift: float = 0.0
    pseudo_wins: bool = False

    @property
    def is_biased(self) -> bool:
        """True if the model assumes a position bias."""
        return self.shift != (0.5 if self.model == "gaussian" else 0.0)

    def along(self, tally: Tally) -> "ScoresAlong":
        """Prepare the scores along the orders of a tally that has counted nothing yet."""
        return _ALONG[self.model](self, tally)


class ScoresAlong(Protocol):
    """The scores of one ranking along orders of asking."""

    def take(self, counted: Counted) -> None:
        """Add the comparisons that the tally has counted."""

    def scores(self) -> FloatArray:
        """Return the scores of the comparisons so far, (size, n_orders)."""


class _Mean:
    """Mean of each candidate's answers."""

    def __init__(self, ranking: PartialScores, tally: Tally) -> None:
        self.answers = ranking.answers[tally.batch.members]
        self.tally, self.won = tally, np.zeros(tally.played.shape)

    def take(self, counted: Counted) -> None:
        answers = self.answers[counted.members]
        add(self.won, counted.first, answers)
        add(self.won, counted.second, 1 - answers)

    def scores(self) -> FloatArray:
        return self.won / np.maximum(self.tally.played, 1.0)


class _Gaussian:
    """Least squares of differences of scores."""

    def __init__(self, ranking: PartialScores, tally: Tally) -> None:
        self.differences = ranking.answers[tally.batch.members] - ranking.shift
        self.least_squares, self.number = tally.least_squares, tally.least_squares.new()
        self.ranking, self.tally = ranking, tally

    def take(self, counted: Counted) -> None:
        differences = self.differences[counted.members]
        self.least_squares.add(self.number, counted.first, differences)
        self.least_squares.add(self.number, counted.second, -differences)

    def scores(self) -> FloatArray:
        return _tied(self.least_squares.scores(self.number), self.tally, self.ranking)


class _Logistic:
    """Maximum likelihood. Each fit starts from the previous one."""

    def __init__(self, ranking: PartialScores, tally: Tally) -> None:
        self.answers = ranking.answers[tally.batch.members]
        self.ranking, self.tally, self.shift = ranking, tally, ranking.shift
        extra = 1 / (tally.batch.size - 1) if ranking.pseudo_wins else 0.0
        self.won, self.lost = np.full((2, 2 if self.shift else 1, *tally.pairs.shape), extra)
        self.fitted = np.zeros(tally.played.shape)

    def take(self, counted: Counted) -> None:
        in_second_list = ~counted.lower_first if self.shift else 0
        cells = counted.pairs + in_second_list * self.tally.pairs.size
        add_outcomes(self.won, self.lost, cells, counted.lower_first, self.answers[counted.members])

    def scores(self) -> FloatArray:
        self.fitted = fit_stack(self.won, self.lost, shift=self.shift, start=self.fitted, for_ranks=True).scores
        return _tied(self.fitted, self.tally, self.ranking)


class _Order:
    """An order that makes the answers likely. Each search by local insertion starts from the previous order."""

    def __init__(self, ranking: PartialScores, tally: Tally) -> None:
        self.answers = ranking.answers[tally.batch.members]
        self.tally, self.net = tally, np.zeros(tally.pairs.shape)
        self.order: IntArray | None = None

    def take(self, counted: Counted) -> None:
        answers = self.answers[counted.members]
        add(self.net, counted.pairs, np.where(counted.lower_first, answers, -answers))

    def scores(self) -> FloatArray:
        relations = Relations.of(self.net)
        self.order = sorted_by_component(improved_orders(self.net, self.order), relations)
        return -mean_places(self.order, relations, alike_numbers(self.net))


_ALONG: Mapping[str, Callable[[PartialScores, Tally], ScoresAlong]] = MappingProxyType(
    {"mean": _Mean, "order": _Order, "logistic": _Logistic, "gaussian": _Gaussian}
)


def _tied(scores: FloatArray, tally: Tally, ranking: PartialScores) -> FloatArray:
    """Return the scores, (size, n_orders), with exact ties between candidates that the comparisons do not separate."""
    broken = np.flatnonzero(has_broken_ties(scores))
    if len(broken):
        scores = scores.copy()
        flat = tie_alike(
            scores[:, broken].T.ravel(), tally.comparisons(broken, ranking.answers), is_biased=ranking.is_biased
        )
        scores[:, broken] = flat.reshape(len(broken), -1).T
    return scores
