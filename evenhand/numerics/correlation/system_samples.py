"""Figures between systems in resamples of contexts, for their intervals [Deutsch2021]."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from evenhand.numerics.arrays import FloatArray, sums
from evenhand.numerics.correlation.coefficients import COEFFICIENTS, ShortRows
from evenhand.numerics.correlation.human_scores import MatchedScores
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import FEWEST_DRAWN, TOO_FEW_TO_DRAW
from evenhand.numerics.resampling import RESAMPLES
from evenhand.numerics.scores import DECIMALS, Scores, rounded
from evenhand.numerics.shared_draws import row_percentiles, with_drawn_sums

WITH_TIES = "accuracy_with_ties"
SYSTEM_MEASURES = (*COEFFICIENTS, WITH_TIES)
MOST_SAMPLED_SYSTEMS = 32
TOO_MANY_SYSTEMS = (
    f"there are more than {MOST_SAMPLED_SYSTEMS} systems, for which drawing contexts again takes too long for a report"
)
MISSING_SYSTEMS = "some system is in so few contexts that most drawings of contexts have none of its candidates"
_SAMPLES_AT_ONCE = 256  # they fit into a core's own cache


class SystemSamples:
    """Mean human scores of systems in resamples of contexts, shared by several rankings."""

    def __init__(self, people: FloatArray) -> None:
        """people: float, (n_samples, n_systems). Rounded; no row is constant."""
        self._parts = [ShortRows(part) for part in _parts(people)]

    def measures(self, predicted: FloatArray, epsilon: float) -> Mapping[str, FloatArray]:
        """Return `SYSTEM_MEASURES`, each (n_samples,).

        predicted: float, (n_samples, n_systems). Rounded. epsilon: threshold up to which scores are tied.
        """
        measured = [
            _measures(people, ShortRows(part), epsilon)
            for people, part in zip(self._parts, _parts(predicted), strict=True)
        ]
        return {name: np.concatenate([part[name] for part in measured]) for name in measured[0]}


def system_intervals(
    rankings: Sequence[Scores], matched: MatchedScores, epsilons: Sequence[float]
) -> list[Mapping[str, Figure]]:
    """Return the interval of each of `SYSTEM_MEASURES` of each ranking, as figures without a value.

    All are from the same resamples, and follow later in a block of `shared_draws`. All rankings score the matched
    candidates. epsilons: threshold of ties of each ranking.
    """
    try:
        parts = parts_of_systems(rankings, matched)
    except Undefined as undefined:
        return [dict.fromkeys(SYSTEM_MEASURES, Figure.missing(undefined.reason))] * len(rankings)
    intervals = [{name: Figure(None) for name in SYSTEM_MEASURES} for _ in rankings]
    with_drawn_sums(parts, partial(_complete, intervals, epsilons))
    return list(intervals)


def parts_of_systems(rankings: Sequence[Scores], matched: MatchedScores) -> FloatArray:
    """Return the contribution of each context to each system, for `system_samples`: (n_contexts, n_parts).

    Raises Undefined if there is no correlation between systems, or no interval of it.
    """
    systems = matched.systems
    if systems.undefined is not None:
        raise Undefined(systems.undefined)
    if len(systems.people) > MOST_SAMPLED_SYSTEMS:
        raise Undefined(TOO_MANY_SYSTEMS)
    parts = sums_of_systems(rankings, matched)
    if parts.shape[1] < FEWEST_DRAWN:
        raise Undefined(TOO_FEW_TO_DRAW)
    return np.hstack(list(parts))


def sums_of_systems(rankings: Sequence[Scores], matched: MatchedScores) -> FloatArray:
    """Count the matched candidates of each context and system, and sum their scores by people and by each ranking.

    Returns (2 + n_rankings, n_contexts, n_systems). Contexts without any such candidate are left out.
    """
    systems = matched.systems
    contexts, rows = np.unique(matched.human.contexts[systems.members], return_inverse=True)
    shape = len(contexts), len(systems.people)
    columns = [np.ones(len(matched.both)), matched.human.scores, *(scores.values for scores in rankings)]
    cells = rows * shape[1] + systems.units
    return np.stack([sums(cells, column[systems.members], shape[0] * shape[1]).reshape(shape) for column in columns])


def system_samples(totals: FloatArray, epsilons: Sequence[float]) -> list[Mapping[str, FloatArray]]:
    """Return the measures of each ranking in each resample.

    Resamples that lack a system, or in which the mean human scores of all systems are equal, are left out.

    totals: float, (RESAMPLES, n_parts). Sums of the `parts_of_systems` over the contexts of each resample.
    Raises Undefined if most resamples are left out.
    """
    sizes, *of_columns = np.split(totals, 2 + len(epsilons), axis=1)
    complete = (sizes > 0).all(axis=1)
    people, *predicted = (rounded(total[complete] / sizes[complete]) for total in of_columns)
    varied = (people != people[:, :1]).any(axis=1)
    if varied.sum() < RESAMPLES / 2:
        raise Undefined(MISSING_SYSTEMS)
    samples = SystemSamples(people[varied])
    return [samples.measures(one[varied], epsilon) for one, epsilon in zip(predicted, epsilons, strict=True)]


def _complete(intervals: Sequence[Mapping[str, Figure]], epsilons: Sequence[float], totals: FloatArray) -> None:
    """Set the ends of the intervals, or the reason why there are none. totals: as in `system_samples`."""
    figures = [figure for of_ranking in intervals for figure in of_ranking.values()]
    try:
        samples = system_samples(totals, epsilons)
    except Undefined as undefined:
        for figure in figures:
            figure.give_up(undefined.reason)
        return
    ends = row_percentiles(np.stack([one[name] for one in samples for name in SYSTEM_MEASURES]))
    for figure, (low, high) in zip(figures, ends, strict=True):
        figure.complete(low, high)


def _measures(people: ShortRows, predicted: ShortRows, epsilon: float) -> dict[str, FloatArray]:
    most = epsilon + 0.5 * 10.0**-DECIMALS  # rounding noise of a difference makes no tie and breaks none
    wrong = ((predicted.gaps > most) != (people.signs > 0)) | ((predicted.gaps < -most) != (people.signs < 0))
    shares = 1 - np.count_nonzero(wrong, axis=0) / len(wrong)
    return people.coefficients(predicted) | {WITH_TIES: shares}


def _parts(rows: FloatArray) -> Iterator[FloatArray]:
    for at in range(0, len(rows), _SAMPLES_AT_ONCE):
        yield rows[at : at + _SAMPLES_AT_ONCE]
