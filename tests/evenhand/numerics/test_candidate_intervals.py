from itertools import permutations

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.intervals import mean_over_candidates
from evenhand.numerics.resampling import resamples


def every_pair_of(n):
    first, second = np.array(list(permutations(range(n), 2))).T
    return Comparisons(n, first, second, np.random.default_rng(n).random(len(first)))


def test_interval_is_that_of_the_comparisons_among_drawn_candidates():
    """Computed here by listing the comparisons between the candidates that each resample drew."""
    run = every_pair_of(5)
    values = np.where(run.first == 2, np.nan, run.p_first)
    of_pair = dict(zip(zip(run.first.tolist(), run.second.tolist(), strict=True), values.tolist(), strict=True))
    drawn = np.concatenate(list(resamples(5))).tolist()
    listed = [[of_pair[i, j] for i in row for j in row if i != j] for row in drawn]
    means = [np.nanmean(some) for some in listed if not np.isnan(some).all()]

    figure = mean_over_candidates(run, values, if_empty="")

    assert figure.value == pytest.approx(np.nanmean(values))
    assert (figure.low, figure.high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=1e-12)
    assert figure.n == 16


def test_two_candidates_give_no_interval():
    run = every_pair_of(2)

    figure = mean_over_candidates(run, run.p_first, if_empty="")

    assert (figure.low, figure.high) == (None, None)
    assert figure.undefined == "an interval over candidates needs at least 3 of them"


def test_no_value_is_undefined_with_the_reason():
    run = every_pair_of(3)

    assert mean_over_candidates(run, np.full(6, np.nan), if_empty="nothing counts").undefined == "nothing counts"
