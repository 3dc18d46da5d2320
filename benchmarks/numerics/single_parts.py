"""Rank correlations of very many rows, and the exact best order of one context."""

import numpy as np
import scipy.stats

from benchmarks.numerics.lines import Line, seconds
from evenhand.numerics.correlation.coefficients import every_coefficient, spearman_rows
from evenhand.numerics.rankings.linear_ordering import best_order

ROWS, CANDIDATES, SEED = 20_000, 16, 0
SAMPLE = 500


def coefficients() -> list[Line]:
    """Rows with ties."""
    rows = np.random.default_rng(SEED).integers(0, 8, (2, ROWS, CANDIDATES)).astype(float)
    some = rows[:, :SAMPLE]
    lines = []
    for name, ours, peer in (
        ("Spearman", spearman_rows, scipy.stats.spearmanr),
        (
            "every coefficient, Kendall tau-b",
            lambda x, y: every_coefficient(x[None], y)["kendall"][0],
            scipy.stats.kendalltau,
        ),
    ):
        mine = seconds(lambda ours=ours: ours(*rows), 5)
        taken = seconds(lambda peer=peer: [peer(x, y) for x, y in zip(*some, strict=True)])
        expected = [peer(x, y).statistic for x, y in zip(*some, strict=True)]
        error = float(np.abs(ours(*some) - expected).max())
        task = f"{name} of {ROWS:,} rows of {CANDIDATES}"
        note = f"peer: {SAMPLE} rows, multiplied"
        lines.append(Line(task, mine, "scipy, row by row", taken * ROWS / SAMPLE, 50.0, error, note=note))
    return lines


def orders() -> list[Line]:
    """Time a context whose preferences are pure noise, which is the slowest to order."""
    net = np.random.default_rng(SEED).normal(size=(CANDIDATES, CANDIDATES))
    return [Line(f"exact likelihood order, N={CANDIDATES}, no structure", seconds(lambda: best_order(net - net.T)))]
