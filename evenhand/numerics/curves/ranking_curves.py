"""Ranking curves: agreement with people by number of comparisons, from the answers of one run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import compress, islice, product

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.curve_measures import CURVE_MEASURES, BatchMeasure, HumanJudgments
from evenhand.numerics.curves.curve_points import CurvePoint, points_of
from evenhand.numerics.curves.draws import AskingOrders, draw_orders, drawable_comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.fitting.batches import ContextBatch, batches, connected_contexts, joined
from evenhand.numerics.fitting.logistic_scores import LARGEST_STACKED
from evenhand.numerics.fitting.running_tallies import Tally
from evenhand.numerics.rankings.large_scores_at_budgets import OneOrderAlong, OrderTally
from evenhand.numerics.rankings.registry import ranking_named, score, scorer_at_budgets
from evenhand.numerics.rankings.scores_at_budgets import PartialScores
from evenhand.numerics.scores import Scores

MOST_POINTS = 20
_FINE_GRID_UP_TO = 12
_CHUNK_CELLS = 1 << 19
_SCORED_TOGETHER = 3

Scorers = Mapping[int, PartialScores]
"""Line number -> scorer, for the lines that are defined."""


@dataclass(frozen=True, slots=True)
class CurveLine:
    """A ranking to draw, by its name; raw without `debiasing`."""

    ranking: str
    debiasing: Debiasing | None = None

    @property
    def needs_connection(self) -> bool:
        """True if it gives no scores where the comparisons of a context do not connect its candidates."""
        return ranking_named(self.ranking).needs_connection

    @property
    def takes_probabilities(self) -> bool:
        """True if it leaves out comparisons whose p_first is not known."""
        return ranking_named(self.ranking).takes == "probabilities"

    def score(self, comparisons: Comparisons) -> Scores:
        """Return the scores of all candidates."""
        return score(self.ranking, comparisons, self.debiasing)

    def scorer(self, p_first: FloatArray) -> PartialScores:
        """Prepare scores at rising budgets. Raises Undefined if the ranking does not exist for this run."""
        return scorer_at_budgets(self.ranking, p_first, self.debiasing)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnBatch:
    """Some draws for the contexts of a batch. numbers: int, (n,). Their numbers among all draws."""

    batch: ContextBatch
    numbers: IntArray
    draws: AskingOrders


def ranking_curves(
    lines: Sequence[CurveLine],
    comparisons: Comparisons,
    truth: HumanJudgments,
    *,
    selection: str = "random",
    measure: str = "spearman",
    draws: int = 50,
    seed: int = 0,
    budgets: Sequence[int] | None = None,
) -> list[list[CurvePoint]]:
    """Compute the points of each line from the same draws. An undefined line is one point with the reason.

    Where only the decision of some comparisons is known, lines that take probabilities are drawn without them.

    Each draw is an order of asking whose first steps connect the candidates; a budget takes its beginning. A context
    counts at a budget if all its compared candidates are covered. If all draws end with all answers, the last
    scores are those of the report. Before that, contexts of up to LARGEST_STACKED candidates are ordered for
    `likelihood` by local insertion.

    measure: one of CURVE_MEASURES. draws: number of random orders.
    budgets: in calls per context. Default: as in `budget_grid`.

    Raises UnknownRanking and UnknownSelection.
    """
    known = comparisons.known()
    soft = [line.takes_probabilities for line in lines]
    if known is not comparisons and any(soft):
        curves = partial(
            ranking_curves, truth=truth, selection=selection, measure=measure, draws=draws, seed=seed, budgets=budgets
        )
        of_known = iter(curves(list(compress(lines, soft)), known))
        others = [line for line in lines if not line.takes_probabilities]
        of_all = iter(curves(others, comparisons) if others else ())
        return [next(of_known if takes else of_all) for takes in soft]
    drawable = drawable_comparisons(comparisons, selection)
    if not len(drawable):
        missing = CurvePoint.missing(f'no comparison can be drawn for selection "{selection}"')
        return [[missing] for _ in lines]
    chosen = list(budgets) if budgets is not None else budget_grid(drawable, selection)
    try:
        drawn = drawn_orders(drawable, selection, draws=draws, seed=seed)
        return measured_curves(lines, drawable, drawn, truth, measure=measure, draws=draws, budgets=chosen)
    except Undefined as undefined:
        return [[CurvePoint.missing(undefined.reason)] for _ in lines]


def drawn_orders(comparisons: Comparisons, selection: str, *, draws: int, seed: int) -> Iterator[DrawnBatch]:
    """Yield orders of asking the comparisons, in parts with small arrays."""
    rng = np.random.default_rng(seed)
    for batch in batches(comparisons):
        drawn = (
            DrawnBatch(part, numbers, draw_orders(selection, part, comparisons.p_first, len(numbers), rng))
            for part in _parts(batch, draws)
            for numbers in _draws_at_a_time(part, draws)
        )
        if batch.size > LARGEST_STACKED:
            yield from drawn
        while some := [*islice(drawn, _SCORED_TOGETHER)]:
            joined_draws = _joined(some)
            some.clear()  # or it would stay in memory while the joined draws are scored
            yield joined_draws


def measured_curves(
    lines: Sequence[CurveLine],
    comparisons: Comparisons,
    drawn: Iterable[DrawnBatch],
    truth: HumanJudgments,
    *,
    measure: str,
    draws: int,
    budgets: Sequence[int],
) -> list[list[CurvePoint]]:
    """Compute the points of each line over the drawn orders of these comparisons."""
    scorers = [_scorer(line, comparisons.p_first) for line in lines]
    defined = {number: scorer for number, scorer in enumerate(scorers) if not isinstance(scorer, str)}
    connected = connected_contexts(comparisons)
    counted = [connected if line.needs_connection else np.ones_like(connected) for line in lines]
    of_report = cache(lambda at: lines[at].score(comparisons))
    totals, weights = np.zeros((2, len(lines), draws, len(budgets)))
    for some in drawn:
        contexts = comparisons.candidate_contexts[some.batch.candidates[:, 0]]
        measured = CURVE_MEASURES[measure](truth.of_draws(some.numbers), some.batch)
        for at, place, values in _values(defined, of_report, some, measured, budgets):
            known = ~np.isnan(values) & counted[at][contexts][:, None]
            weight = known * measured.weights
            totals[at, some.numbers, place] += (np.where(known, values, 0.0) * weight).sum(axis=0)
            weights[at, some.numbers, place] += weight.sum(axis=0)
    if_skipped = CURVE_MEASURES[measure].if_skipped
    return [
        [CurvePoint.missing(scorer)] if isinstance(scorer, str) else points_of(budgets, total, weight, if_skipped)
        for scorer, total, weight in zip(scorers, totals, weights, strict=True)
    ]


def budget_grid(comparisons: Comparisons, selection: str) -> list[int]:
    """Return about MOST_POINTS budgets in calls per context.

    They are multiples of a step, from the fewest calls that connect every context to all answered comparisons.
    """
    sizes = np.bincount(comparisons.candidate_contexts[comparisons.compared])
    largest, most = int(sizes.max()), int(np.bincount(comparisons.contexts).max())
    if selection == "no-repeat":
        most = int(np.bincount(comparisons.contexts[np.unique(comparisons.pair_keys, return_index=True)[1]]).max())
    step = largest if largest > _FINE_GRID_UP_TO else max(1, largest // 3)
    fewest = largest - 1
    if selection == "symmetric":
        step, fewest = step + step % 2, 2 * fewest
    grid = np.arange(-(-fewest // step) * step, most, step)
    if len(grid) >= MOST_POINTS:
        grid = np.unique(np.geomspace(grid[0] // step, grid[-1] // step, MOST_POINTS - 1).round().astype(int)) * step
    return [*(int(budget) for budget in grid), most]


def _scorer(line: CurveLine, p_first: FloatArray) -> PartialScores | str:
    """Return the scorer of a line, or the reason why the line is undefined."""
    try:
        return line.scorer(p_first)
    except Undefined as undefined:
        return undefined.reason


def _values(
    scorers: Scorers,
    of_report: Callable[[int], Scores],
    drawn: DrawnBatch,
    measured: BatchMeasure,
    budgets: Sequence[int],
) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield line number, budget number, and the measure of each context and draw, (n_contexts, n_draws).

    NaN if the context is skipped.
    of_report: returns the scores of all comparisons, by line number. They serve budgets at which every draw has ended.
    """
    batch, draws = drawn.batch, drawn.draws
    shape = (batch.size, batch.n_contexts, len(drawn.numbers))
    skipped = np.broadcast_to(measured.weights == 0, shape[1:])
    covered = np.array(budgets) >= draws.covering[:, None]  # (n_contexts, n_budgets)
    along = _stacked if batch.size <= LARGEST_STACKED else _alone
    lengths = batch.lengths()
    ends = int(lengths.max()) if (draws.lengths == lengths).all() else np.inf
    before = [budget for budget in budgets if budget < ends]
    for at, place, scores in along(scorers, drawn, before):
        values = measured.values(scores.reshape(shape))
        yield at, place, np.where(skipped | ~covered[:, place, None], np.nan, values)
    for at, place in product(scorers, range(len(before), len(budgets))):
        last = of_report(at)
        values = measured.values(np.broadcast_to(last.values[batch.candidates.T][..., None], shape))
        defined = last.defined[batch.candidates].all(axis=1, keepdims=True)
        yield at, place, np.where(~skipped & defined, values, np.nan)


def _stacked(scorers: Scorers, drawn: DrawnBatch, budgets: Sequence[int]) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield line number, budget number, and scores, (size, n_orders), for budgets that can connect."""
    steps = drawn.draws.steps.reshape(-1, drawn.draws.steps.shape[2])
    tally = Tally(drawn.batch, len(steps))
    along = {at: scorer.along(tally) for at, scorer in scorers.items()}
    latest: dict[int, FloatArray] = {}
    done = 0
    for place, budget in enumerate(budgets):
        counted = tally.take(steps[:, done:budget])
        done = max(done, budget)
        for scores in along.values():
            scores.take(counted)
        if budget < drawn.batch.size - 1:
            continue
        for at, scores in along.items():
            latest[at] = scores.scores() if len(counted) or at not in latest else latest[at]
            yield at, place, latest[at]


def _alone(scorers: Scorers, drawn: DrawnBatch, budgets: Sequence[int]) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield the same for one order of a context too large to be stacked."""
    tally = OrderTally(drawn.batch, drawn.draws.steps[0, 0])
    along = {at: OneOrderAlong(scorer, tally) for at, scorer in scorers.items()}
    for place, budget in enumerate(budgets):
        asked = tally.take(budget)
        for scores in along.values():
            scores.take(asked)
        if budget >= drawn.batch.size - 1:
            for at, scores in along.items():
                yield at, place, scores.scores()


def _parts(batch: ContextBatch, draws: int) -> Iterator[ContextBatch]:
    """Yield a batch in parts of few contexts, so that the arrays of their draws stay small."""
    rows = 1 if batch.size > LARGEST_STACKED else max(1, _CHUNK_CELLS // (batch.size**2 * draws))
    for start in range(0, batch.n_contexts, rows):
        yield batch.part(start, min(start + rows, batch.n_contexts))


def _joined(drawn: Sequence[DrawnBatch]) -> DrawnBatch:
    """Join the same draws of several parts. Few large arrays are scored faster than many small ones."""
    contexts = np.cumsum([0, *(some.batch.n_contexts for some in drawn)])
    members = np.cumsum([0, *(len(some.batch.members) for some in drawn)])
    longest = max(some.draws.steps.shape[2] for some in drawn)
    steps = np.full((contexts[-1], len(drawn[0].numbers), longest), -1, dtype=np.int32)
    for at, some in enumerate(drawn):
        own = some.draws.steps
        steps[contexts[at] : contexts[at + 1], :, : own.shape[2]] = np.where(own < 0, -1, own + members[at])
    covering = np.concatenate([some.draws.covering for some in drawn])
    return DrawnBatch(joined([some.batch for some in drawn]), drawn[0].numbers, AskingOrders(steps, covering))


def _draws_at_a_time(batch: ContextBatch, draws: int) -> list[IntArray]:
    """Take all draws of small contexts together, and draws of large contexts one by one."""
    return np.array_split(np.arange(draws), draws if batch.size > LARGEST_STACKED else 1)
