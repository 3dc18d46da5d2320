"""Replays of `until-sure` over all contexts of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.pairs import row_differences
from evenhand.numerics.selection.until_sure import ContextState, expected_reordered_share, replay_until_sure


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedRun:
    """One replay of a run to one bound.

    asked: the comparisons that were asked. numbers: int, (n_contexts,). Theirs in each context.
    expected: float, (n_contexts,). Expected share of reordered pairs at the end; NaN for contexts without comparisons.
    """

    asked: Comparisons
    numbers: IntArray
    expected: FloatArray


def replay_run(comparisons: Comparisons, *, bounds: Sequence[float], seed: int = 0) -> dict[float, ReplayedRun]:
    """Ask the answered comparisons of every context again until each bound is met; bound -> replay.

    Candidates without a comparison are in no replay.
    """
    chosen: dict[float, list[IntArray]] = {bound: [] for bound in bounds}
    numbers = {bound: np.zeros(comparisons.n_contexts, dtype=np.intp) for bound in bounds}
    expected = {bound: np.full(comparisons.n_contexts, np.nan) for bound in bounds}
    for context, places, answers in _contexts(comparisons):
        [compared] = np.nonzero((places >= 0).any(axis=0) | (places >= 0).any(axis=1))
        among = np.ix_(compared, compared)
        replayed = replay_until_sure(answers[among], bounds=bounds, seed=(seed, context))
        at = places[among][replayed.first, replayed.second]
        for bound in bounds:
            stop = replayed.stops[bound]
            chosen[bound].append(at[:stop])
            numbers[bound][context], expected[bound][context] = stop, replayed.shares[bound]
    none = np.zeros(0, dtype=np.intp)
    return {
        bound: ReplayedRun(comparisons.select(np.concatenate([none, *chosen[bound]])), numbers[bound], expected[bound])
        for bound in bounds
    }


def expected_shares(comparisons: Comparisons) -> FloatArray:
    """Return the expected share of reordered pairs of each context so far, (n_contexts,); NaN without comparisons.

    Every ordered pair without an answer counts as one that can still be asked.
    """
    shares = np.full(comparisons.n_contexts, np.nan)
    for context, _, answers in _contexts(comparisons):
        still_open = np.isnan(answers) & ~np.eye(len(answers), dtype=bool)
        shares[context] = expected_reordered_share(ContextState(answers, still_open))
    return shares


def reordered_shares(one: FloatArray, other: FloatArray, starts: IntArray) -> FloatArray:
    """Return the share of pairs of candidates that two rankings order differently, (n_contexts,).

    A tie in one of them counts 1/2. NaN for contexts with fewer than two candidates that both score.
    one, other: float, (n_candidates,). NaN where missing. starts: as in `Comparisons`.
    """
    shares = np.full(len(starts), np.nan)
    for context, (begin, end) in enumerate(zip(starts, np.append(starts[1:], len(one)), strict=True)):
        both = ~np.isnan(one[begin:end]) & ~np.isnan(other[begin:end])
        if both.sum() > 1:
            signs = [np.sign(np.round(row_differences(each[begin:end][both]), 9)) for each in (one, other)]
            shares[context] = np.abs(signs[0] - signs[1]).mean() / 2
    return shares


def _contexts(comparisons: Comparisons) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield the number of each context with comparisons, and of its ordered pairs the comparison and answer, (n, n).

    A comparison of -1, and an answer of NaN, is a pair without one.
    """
    ends = np.append(comparisons.starts[1:], comparisons.n_candidates)
    order = np.argsort(comparisons.contexts, kind="stable")
    borders = np.searchsorted(comparisons.contexts[order], np.arange(comparisons.n_contexts + 1))
    for context in np.unique(comparisons.contexts).tolist():
        begin, end = int(comparisons.starts[context]), int(ends[context])
        own = order[borders[context] : borders[context + 1]]
        places = np.full((end - begin, end - begin), -1, dtype=np.intp)
        places[comparisons.first[own] - begin, comparisons.second[own] - begin] = own
        yield context, places, np.where(places >= 0, comparisons.p_first[places], np.nan)
