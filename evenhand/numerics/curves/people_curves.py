"""Ranking curves of people's votes, and the number of votes that a judge's comparisons are worth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.curve_measures import HumanJudgments
from evenhand.numerics.curves.curve_points import CurvePoint
from evenhand.numerics.curves.draws import AskingOrders
from evenhand.numerics.curves.ranking_curves import MOST_POINTS, CurveLine, DrawnBatch, drawn_orders, measured_curves
from evenhand.numerics.figure import Figure
from evenhand.numerics.fitting.batches import connected_contexts
from evenhand.numerics.rankings.mean_wins import win_ratio
from evenhand.numerics.votes import Votes

NO_JUDGED_VOTES = "no context has both an answer of the judge and a vote"
TOO_FEW_VOTES = "no context has votes that connect its candidates, or without human scores twice as many"
_NEVER = np.iinfo(np.intp).max
"""Covering of contexts that are never connected."""


@dataclass(frozen=True, slots=True, eq=False)
class PeopleCurves:
    """Curves of votes.

    points: points of each line. truth: human judgments that these and the judge's curves are measured against.
    contexts: bool, (n_contexts,). Contexts of the curves; the judge's curves must use the same.
    held_out: True if the truth is votes that were not drawn, instead of human scores.
    undefined: reason if there are no curves.
    """

    points: list[list[CurvePoint]]
    truth: HumanJudgments
    contexts: BoolArray
    held_out: bool
    undefined: str | None = None


def people_curves(
    lines: Sequence[CurveLine], votes: Votes, human_scores: FloatArray, *, measure: str, draws: int, seed: int
) -> PeopleCurves:
    """Compute curves of votes drawn at random, each a hard comparison; budgets are in votes per context.

    Human scores are the truth if any candidate with a vote has one. Otherwise each draw takes half of the votes of each
    context and is measured against the other half, so that no vote is on both sides. Contexts are left out if the votes
    used do not connect their candidates.
    human_scores: float, (n_candidates,). NaN if missing.

    Raises UnknownRanking.
    """
    comparisons = votes.comparisons
    connected = votes.of_contexts(connected_contexts(comparisons))
    drawn = list(drawn_orders(connected.comparisons, "random", draws=draws, seed=seed)) if len(connected) else []
    truth = HumanJudgments(human_scores[None])
    held_out = bool(np.isnan(human_scores[comparisons.compared]).all())
    if held_out:
        drawn = [_first_half(some) for some in drawn]
        truth = _of_the_rest(connected, drawn, measure, draws)
    contexts = _covered_contexts(comparisons, drawn)
    if not contexts.any():
        reason = TOO_FEW_VOTES if len(votes) else NO_JUDGED_VOTES
        return PeopleCurves([[CurvePoint.missing(reason)] for _ in lines], truth, contexts, held_out, reason)
    points = measured_curves(
        lines, connected.comparisons, drawn, truth, measure=measure, draws=draws, budgets=_budgets(drawn)
    )
    return PeopleCurves(points, truth, contexts, held_out)


def worth_in_votes(point: CurvePoint, people: Sequence[CurvePoint]) -> Figure:
    """Return the votes per context at which people's curve first reaches a judge's point, by linear interpolation."""
    known = [at for at in people if at.mean is not None]
    if point.mean is None:
        return Figure.missing(f"the judge has no such point: {point.undefined}")
    if not known:
        return Figure.missing(f"people's votes have no such curve: {people[0].undefined}")
    votes = np.array([at.comparisons for at in known], dtype=np.float64)
    means = np.array([at.mean for at in known], dtype=np.float64)
    if point.mean < means[0]:
        return Figure.missing(f"below what the fewest votes drawn reach, {votes[0]:.0f} per context")
    if point.mean > means.max():
        return Figure.missing(f"above what people's votes reach, up to {votes[-1]:.0f} per context")
    after = int(np.argmax(means >= point.mean))
    if after == 0:
        return Figure(float(votes[0]))
    part = (point.mean - means[after - 1]) / (means[after] - means[after - 1])
    return Figure(float(votes[after - 1] + part * (votes[after] - votes[after - 1])))


def _first_half(drawn: DrawnBatch) -> DrawnBatch:
    """Cut each order after half of the votes; contexts that these do not connect are never covered."""
    half = drawn.draws.lengths // 2  # (n_contexts,)
    steps = drawn.draws.steps
    cut = np.where(np.arange(steps.shape[2]) < half[:, None, None], steps, -1)
    covering = np.where(drawn.draws.covering <= half, drawn.draws.covering, _NEVER)
    return replace(drawn, draws=AskingOrders(cut, covering))


def _of_the_rest(votes: Votes, drawn: Sequence[DrawnBatch], measure: str, draws: int) -> HumanJudgments:
    """Return each draw's held-out votes as judgments: win ratios, or the votes if pairs are measured."""
    held_out = np.ones((draws, len(votes)), dtype=bool)
    for some in drawn:
        for at, number in enumerate(some.numbers):
            steps = some.draws.steps[:, at]
            held_out[number, some.batch.members[steps[steps >= 0]]] = False
    rest = [votes.select(chosen) for chosen in held_out]
    if measure == "accuracy":
        return HumanJudgments(np.full((draws, votes.comparisons.n_candidates), np.nan), rest)
    return HumanJudgments(np.stack([_win_ratios(some) for some in rest]))


def _covered_contexts(comparisons: Comparisons, drawn: Sequence[DrawnBatch]) -> BoolArray:
    """Return True for contexts whose drawn votes connect their candidates, (n_contexts,)."""
    covered = np.zeros(comparisons.n_contexts, dtype=bool)
    for some in drawn:
        reached = some.draws.covering != _NEVER
        covered[comparisons.candidate_contexts[some.batch.candidates[reached, 0]]] = True
    return covered


def _win_ratios(votes: Votes) -> FloatArray:
    scores = win_ratio(votes.comparisons)
    return np.where(scores.defined, scores.values, np.nan)


def _budgets(drawn: Sequence[DrawnBatch]) -> list[int]:
    """Return about MOST_POINTS budgets, from the fewest votes that connect every context to all drawn votes."""
    covering = np.concatenate([some.draws.covering for some in drawn])
    lengths = np.concatenate([some.draws.lengths for some in drawn])
    possible = covering != _NEVER
    fewest, most = int(covering[possible].max()), int(lengths[possible].max())
    if most - fewest < MOST_POINTS:
        return list(range(fewest, most + 1))
    return [int(budget) for budget in np.unique(np.geomspace(fewest, most, MOST_POINTS).round())]
