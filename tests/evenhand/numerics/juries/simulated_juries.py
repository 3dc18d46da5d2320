"""Juries made up for tests: judges with independent errors, and people who know the truth."""

import numpy as np

from evenhand.numerics.accuracy import accuracy
from evenhand.numerics.comparisons import Comparisons
from tests.evenhand.numerics.simulation import every_ordered_pair


def simulated_jury(rng, *, skills=(1.0, 1.0, 1.0), biases=None, noises=None, n_contexts=100, n_candidates=2):
    """Pairs in both orders, the judges' answers with independent errors, and people's preferences.

    skills: how strongly each judge's log-odds follow the true difference. noises: deviation of its errors, in nats.
    """
    truth = rng.normal(size=n_contexts * n_candidates)
    first, second, starts = every_ordered_pair(n_candidates, n_contexts)
    gaps = truth[first] - truth[second]
    spread = np.ones(len(skills)) if noises is None else np.array(noises)
    noise = spread[:, None] * rng.normal(size=(len(skills), len(first)))
    shifts = np.zeros(len(skills)) if biases is None else np.array(biases)
    logits = np.array(skills)[:, None] * gaps + shifts[:, None] + noise
    p_first = 1 / (1 + np.exp(-logits))
    pairs = Comparisons(len(truth), first, second, p_first[0], starts)
    return pairs, p_first, (gaps > 0).astype(np.float64)


def accuracies(pairs, p_first, right):
    """The accuracy of each judge."""
    return np.array([accuracy(pairs.with_p_first(one), right).value for one in p_first])
