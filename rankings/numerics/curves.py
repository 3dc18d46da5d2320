"""How the correlation with people grows with the number of comparisons, from the answers of one run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.batches import Batch, batches, connected_contexts
from rankings.numerics.coefficients import spearman_rows
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.correlations import ALL_SKIPPED, HumanScores
from rankings.numerics.debiasing import Debiasing
from rankings.numerics.draws import Draws, draw, usable
from rankings.numerics.exceptions import NoComparisons
from rankings.numerics.intervals import percentiles
from rankings.numerics.logistic_scores import LARGEST_STACKED
from rankings.numerics.partial_scores import PartialScores, partial_scores
from rankings.numerics.scores import rounded

MOST_POINTS = 20
_FINE_GRID_UP_TO = 12
_CHUNK_CELLS = 1 << 21


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Spearman's correlation per context at one budget, over random draws of the comparisons.

    comparisons: how many comparisons, in calls, each context has; a context with fewer answers has all of its own.
    mean, low, high: mean over the draws, and the ends between which the middle 95 % of them lie; None if undefined.
    draws: how many draws have a correlation. undefined: why there is none.
    """

    comparisons: int
    mean: float | None
    low: float | None
    high: float | None
    draws: int
    undefined: str | None = None


def curve(
    ranking: str,
    comparisons: Comparisons,
    human: HumanScores,
    *,
    selection: str = "random",
    debiasing: Debiasing | None = None,
    draws: int = 50,
    seed: int = 0,
    budgets: Sequence[int] | None = None,
) -> list[CurvePoint]:
    """The curve of one ranking and one selection.

    Each draw is an order of asking whose first steps connect the candidates; a budget takes its beginning. A context
    counts at a budget once all its compared candidates are covered, and by the rules of `context_correlations`.
    budgets: in calls per context; left out, about MOST_POINTS from the fewest that connect to all that were answered.
    `likelihood` is searched by local insertion here.

    Raises UnknownRanking, UnknownSelection, NoComparisons, and Undefined where the debiased ranking does not exist.
    """
    drawable = usable(comparisons, selection)
    if not len(drawable):
        raise NoComparisons(f'no comparison can be drawn for selection "{selection}"')
    chosen_budgets = list(budgets) if budgets is not None else budget_grid(drawable, selection)
    method = partial_scores(ranking, drawable.p_first, debiasing)
    wanted = connected_contexts(drawable) if method.needs_connection else np.ones(drawable.n_contexts, dtype=bool)
    rng = np.random.default_rng(seed)
    values = np.full((drawable.n_contexts, draws, len(chosen_budgets)), np.nan)
    for batch in batches(drawable, wanted):
        for part in _parts(batch, draws):
            contexts = drawable.candidate_contexts[part.candidates[:, 0]]
            for numbers in _draws_at_a_time(part, draws):
                drawn = draw(selection, part, len(numbers), rng)
                values[np.ix_(contexts, numbers)] = _correlations(method, part, drawn, human, chosen_budgets)
    return [_point(budget, values[:, :, at]) for at, budget in enumerate(chosen_budgets)]


def budget_grid(comparisons: Comparisons, selection: str) -> list[int]:
    """Budgets in calls per context: multiples of a step, from the fewest that connect every context to all answered."""
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


def _correlations(
    method: PartialScores, batch: Batch, drawn: Draws, human: HumanScores, budgets: Sequence[int]
) -> FloatArray:
    """Spearman's correlation of each context, draw and budget, (n_contexts, n_draws, n_budgets); NaN where skipped."""
    n_draws, longest = drawn.steps.shape[1:]
    values = np.full((batch.n_contexts, n_draws, len(budgets)), np.nan)
    people = list(_people(batch, human))
    along = method.along if batch.size <= LARGEST_STACKED else method.along_one
    for at, scores in enumerate(along(batch, drawn.steps.reshape(-1, longest), budgets)):
        if scores is None:
            continue
        by_draw = rounded(scores).reshape(batch.n_contexts, n_draws, batch.size)
        for group in people:
            values[group.rows, :, at] = group.correlations(by_draw)
    uncovered = np.array(budgets) < np.minimum(drawn.covering, drawn.lengths)[:, None]
    values[np.broadcast_to(uncovered[:, None, :], values.shape)] = np.nan
    return values


@dataclass(frozen=True, slots=True)
class _People:
    """Contexts of a batch in which equally many candidates have a human score, and these are not all equal.

    rows: int, (n,). columns: int, (n, n_scored). The scored candidates. scores: float, (n, n_scored).
    """

    rows: IntArray
    columns: IntArray
    scores: FloatArray

    def correlations(self, scores: FloatArray) -> FloatArray:
        """Spearman's correlation with scores, (n_rows, n_draws, size), for the contexts: (n, n_draws)."""
        predicted = np.take_along_axis(scores[self.rows], self.columns[:, None, :], axis=2)
        people = np.broadcast_to(self.scores[:, None, :], predicted.shape)
        width = predicted.shape[2]
        return spearman_rows(predicted.reshape(-1, width), people.reshape(-1, width)).reshape(predicted.shape[:2])


def _people(batch: Batch, human: HumanScores) -> Iterator[_People]:
    scores = rounded(human.scores[batch.candidates])  # (n_contexts, size)
    scored = ~np.isnan(scores)
    sizes = scored.sum(axis=1)
    for size in np.unique(sizes[sizes >= 2]):
        rows = np.flatnonzero(sizes == size)
        columns = np.nonzero(scored[rows])[1].reshape(-1, size)
        people = np.take_along_axis(scores[rows], columns, axis=1)
        varied = (people != people[:, :1]).any(axis=1)
        yield _People(rows[varied], columns[varied], people[varied])


def _parts(batch: Batch, draws: int) -> Iterator[Batch]:
    """A batch in parts, few enough contexts at a time that the arrays of their draws stay small."""
    rows = 1 if batch.size > LARGEST_STACKED else max(1, _CHUNK_CELLS // (batch.size**2 * draws))
    for start in range(0, batch.n_contexts, rows):
        yield batch.part(start, min(start + rows, batch.n_contexts))


def _draws_at_a_time(batch: Batch, draws: int) -> list[IntArray]:
    """All draws of small contexts together, those of large ones one by one."""
    return np.array_split(np.arange(draws), draws if batch.size > LARGEST_STACKED else 1)


def _point(budget: int, values: FloatArray) -> CurvePoint:
    """values: float, (n_contexts, n_draws); NaN where skipped."""
    counted: BoolArray = ~np.isnan(values)
    contexts = counted.sum(axis=0)
    if not contexts.any():
        return CurvePoint(budget, None, None, None, 0, ALL_SKIPPED)
    means = (np.where(counted, values, 0.0).sum(axis=0) / np.maximum(contexts, 1))[contexts > 0]
    low, high = percentiles(means)
    mean = means[0] + (means - means[0]).mean()  # exact where all draws agree
    return CurvePoint(budget, float(mean), low, high, len(means))
