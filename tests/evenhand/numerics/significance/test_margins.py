"""Verdicts on a difference by a margin, and how often they are wrong."""

import numpy as np
import pytest

from evenhand.numerics.significance.margins import verdict_by_margin
from evenhand.numerics.significance.paired_tests import ContextGaps, paired_differences


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.03, 0.05, "better"),
        (-0.01, 0.01, "same"),
        (0.001, 0.019, "same"),
        (-0.01, 0.05, "not worse"),
        (-0.05, -0.03, "worse"),
        (-0.05, -0.01, "undecided"),
        (-0.05, 0.05, "undecided"),
        (-0.02, 0.01, "undecided"),  # an end at the margin decides nothing
        (None, None, "undecided"),
    ],
)
def test_verdict_follows_from_the_interval_and_the_margin(low, high, verdict):
    assert verdict_by_margin(low, high, 0.02) == verdict


def gaps_of(rng, loss, *, draws=1_500, contexts=60, comparisons=20):
    """Differences of two judges that share most of their errors. loss: of accuracy by the new one."""
    skill = rng.beta(6, 2, (draws, contexts, 1)) * 0.9 + 0.1
    luck = rng.random((draws, contexts, comparisons))
    other_luck = np.where(rng.random(luck.shape) < 0.6, luck, rng.random(luck.shape))
    gaps = (other_luck < skill - loss).sum(axis=2) - (luck < skill).sum(axis=2)
    return [ContextGaps(row.astype(float), np.full(contexts, float(comparisons))) for row in gaps]


def verdicts_of(loss, margin):
    differences = paired_differences(gaps_of(np.random.default_rng(5), loss))
    return [verdict_by_margin(one.low, one.high, margin) for one in differences]


def test_a_judge_that_is_worse_by_the_margin_is_seldom_called_not_worse_or_worse():
    verdicts = verdicts_of(loss=0.05, margin=0.05)

    passed = sum(verdict in ("better", "same", "not worse") for verdict in verdicts) / len(verdicts)
    worse = verdicts.count("worse") / len(verdicts)
    assert 0.01 < passed < 0.045
    assert 0.01 < worse < 0.045


def test_an_equal_judge_is_mostly_called_the_same_and_a_bad_one_worse():
    assert verdicts_of(loss=0.0, margin=0.06).count("same") / 1_500 > 0.9
    assert verdicts_of(loss=0.15, margin=0.05).count("worse") / 1_500 > 0.95
