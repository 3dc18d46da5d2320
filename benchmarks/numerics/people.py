"""Agreement of raters, and win rates from few human labels and many answers of a judge."""

import importlib

import numpy as np

from benchmarks.numerics.lines import Line, seconds
from benchmarks.numerics.peers import installed
from evenhand.numerics import RatingTable, krippendorff_alpha
from evenhand.numerics.reliability.prediction_powered import Labelled, Unlabelled, powered_mean

RATERS, UNITS, LABELLED, SEED = 5, 5_000, 2_000, 0


def alpha() -> list[Line]:
    """Time alpha with its interval against the value alone."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(1, 6, UNITS)
    ratings = np.clip(truth + rng.integers(-1, 2, (RATERS, UNITS)), 1, 5).astype(float)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    codes = np.where(np.isnan(ratings), -1, np.nan_to_num(ratings) - 1).astype(np.intp)
    table = RatingTable(codes, np.arange(1.0, 6.0))
    ours = seconds(lambda: krippendorff_alpha(table, "interval"))
    task = f"Krippendorff's alpha with interval, {RATERS} x {UNITS:,} ratings"
    if not installed("krippendorff"):
        return [Line(task, ours)]
    peer = importlib.import_module("krippendorff")
    theirs = seconds(lambda: peer.alpha(ratings, level_of_measurement="interval"))
    value = peer.alpha(ratings, level_of_measurement="interval")
    error = abs(value - float(krippendorff_alpha(table, "interval").value or 0))
    return [Line(task, ours, "krippendorff alpha", theirs, error=error, note="peer: without interval")]


def win_rates() -> list[Line]:
    """Time a mean of labels that the judge's answers make more precise. Every comparison is a context of its own."""
    rng = np.random.default_rng(SEED)
    truth = rng.random(20 * LABELLED)
    judge = np.clip(truth + 0.1 * rng.normal(size=len(truth)), 0, 1)
    human = (rng.random(LABELLED) < truth[:LABELLED]).astype(float)
    numbers = np.arange(len(truth))
    labelled = Labelled(human, judge[:LABELLED], numbers[:LABELLED])
    others = Unlabelled(judge[LABELLED:], numbers[LABELLED:])
    ours = seconds(lambda: powered_mean(labelled, others))
    task = f"prediction-powered mean, {LABELLED:,} of {len(truth):,} labelled"
    if not installed("ppi-python"):
        return [Line(task, ours)]
    peer = importlib.import_module("ppi_py")
    theirs = seconds(lambda: peer.ppi_mean_ci(human, judge[:LABELLED], judge[LABELLED:], alpha=0.05))
    [value] = np.atleast_1d(peer.ppi_mean_pointestimate(human, judge[:LABELLED], judge[LABELLED:]))
    error = abs(float(value) - powered_mean(labelled, others).value)
    return [Line(task, ours, "ppi_py ppi_mean_ci", theirs, error=error)]
