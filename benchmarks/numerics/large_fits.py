"""Soft Bradley-Terry scores of one large context."""

import tracemalloc
from functools import partial

import numpy as np
from scipy.special import expit

from benchmarks.numerics.lines import Line, seconds
from benchmarks.numerics.peers import fits
from evenhand.numerics.fitting.sparse_newton import fit_sparse

SEED = 0
WANTED = 5.0


def large_fits(n: int, n_comparisons: int, *packages: str) -> list[Line]:
    rng = np.random.default_rng(SEED)
    truth = rng.normal(size=n)
    first = rng.integers(0, n, n_comparisons)
    second = (first + rng.integers(1, n, n_comparisons)) % n
    p_first = expit(truth[first] - truth[second] + rng.normal(size=n_comparisons))

    def gradient(scores: np.ndarray) -> float:
        surplus = p_first - expit(scores[first] - scores[second])
        return float(np.abs(np.bincount(first, surplus, n) - np.bincount(second, surplus, n)).max())

    fit_it = partial(fit_sparse, first, second, p_first, n_candidates=n)
    values, mebibytes = fit_it().scores[:, 0], peak(fit_it)
    ours, accuracy = seconds(fit_it), gradient(values)
    lines = []
    for name, fit in fits(*packages).items():
        fitted: list[np.ndarray] = []
        theirs = seconds(lambda fit=fit, fitted=fitted: fitted.append(fit(first, second, p_first, n)), 2)
        reached, error = gradient(fitted[-1]), float(np.abs(fitted[-1] - values).max())
        note = f"gradient {accuracy:.0e} against {reached:.0e}; at most {mebibytes:.0f} MiB of ours"
        task = f"soft Bradley-Terry, N={n:,}, {n_comparisons:,} answers"
        wanted = WANTED if n > 10_000 else None
        lines.append(Line(task, ours, name, theirs, wanted, error, accuracy, reached, note))
    return lines


def peak(work: partial) -> float:
    """Return the peak memory of the arrays of a fit, in MiB."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
