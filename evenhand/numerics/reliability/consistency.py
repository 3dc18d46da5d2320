"""Consistency of a judge's preferences: cyclic triads and stochastic transitivity [Kendall1940] [Tversky1969]."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.fitting.batches import ContextBatch, batches
from evenhand.numerics.intervals import share_figure
from evenhand.numerics.scores import rounded

NO_TRIAD = "no context has three candidates all of whose pairs were decided"
NO_TRIPLE = "no context has three candidates all of whose pairs were compared"


@dataclass(frozen=True, slots=True, eq=False)
class Triads:
    """Numbers of triads with all pairs decided, and of those that are cycles, in each context, (n_contexts,)."""

    decided: FloatArray
    cyclic: FloatArray

    @property
    def share(self) -> Figure:
        """Share of triads that are cycles; n is the number of triads. Random decisions give 1/4."""
        return share_figure(self.cyclic, self.decided, if_empty=NO_TRIAD)


@dataclass(frozen=True, slots=True)
class Transitivity:
    """Share of ordered triples that break a rule, among those where i is at least as good as j, and j as k.

    weak: p(i over k) is below 1/2. moderate: it is below the smaller of p(i over j) and p(j over k).
    strong: it is below the larger.
    """

    weak: Figure
    moderate: Figure
    strong: Figure


def triads(comparisons: Comparisons) -> Triads:
    """Count the triads of each context.

    A pair is decided for the candidate with the larger mean probability over both orders.
    """
    decided, cyclic = np.zeros(comparisons.n_contexts), np.zeros(comparisons.n_contexts)
    for batch in batches(comparisons):
        preference, _ = _preferences(batch, comparisons.p_first)
        better = (preference > 0.5).astype(np.float64)
        either = better + better.transpose(0, 2, 1)
        contexts = comparisons.candidate_contexts[batch.candidates[:, 0]]
        decided[contexts] = np.rint(np.einsum("bij,bji->b", either @ either, either) / 6)
        cyclic[contexts] = np.rint(np.einsum("bij,bji->b", better @ better, better) / 3)
    return Triads(decided, cyclic)


def transitivity(comparisons: Comparisons) -> Transitivity:
    """Compute how often weak, moderate and strong stochastic transitivity are broken; n counts ordered triples."""
    broken = np.zeros((3, comparisons.n_contexts))
    triples = np.zeros(comparisons.n_contexts)
    for batch in batches(comparisons):
        contexts = comparisons.candidate_contexts[batch.candidates[:, 0]]
        preference, compared = _preferences(batch, comparisons.p_first)
        for middle in range(batch.size):
            counted, rules = _through(preference, compared, middle)
            triples[contexts] += counted
            broken[:, contexts] += rules
    weak, moderate, strong = (share_figure(rule, triples, if_empty=NO_TRIPLE) for rule in broken)
    return Transitivity(weak, moderate, strong)


def _preferences(batch: ContextBatch, p_first: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the mean probability of row over column, 1/2 if never compared, and the mask of compared pairs.

    Both are (n_contexts, size, size).
    """
    counts, wins = batch.totals(), batch.totals(p_first[batch.members])
    both = counts + counts.transpose(0, 2, 1)
    for_row = wins + (counts - wins).transpose(0, 2, 1)
    compared = both > 0
    return rounded(np.where(compared, for_row / np.maximum(both, 1.0), 0.5)), compared


def _through(preference: FloatArray, compared: BoolArray, middle: int) -> tuple[FloatArray, FloatArray]:
    """Count the triples with one middle candidate, (n_contexts,), and those that break each rule, (3, n_contexts)."""
    size = preference.shape[1]
    into, out = preference[:, :, middle, None], preference[:, middle, None, :]
    known = compared[:, :, middle, None] & compared[:, middle, None, :] & compared & ~np.eye(size, dtype=bool)
    counted = known & (into >= 0.5) & (out >= 0.5)
    limits = (np.full_like(into, 0.5), np.minimum(into, out), np.maximum(into, out))
    rules = [(counted & (preference < limit)).sum(axis=(1, 2)) for limit in limits]
    return counted.sum(axis=(1, 2)).astype(np.float64), np.array(rules, dtype=np.float64)
