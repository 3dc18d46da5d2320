"""The errors of a judge, and the win rate corrected for them."""

import numpy as np
import pytest
from scipy.stats import t

from evenhand.numerics.reliability.judge_errors import (
    ALWAYS_PREFERRED,
    NEAR_CHANCE,
    NEVER_PREFERRED,
    NO_JUDGED_PAIR,
    DecidedPairs,
    judge_errors,
)


def answered(seed, *, contexts=40, size=3, voted=1.0, right=0.85):
    """Pairs of a system. People and judge also see ties."""
    rng, n = np.random.default_rng(seed), contexts * size
    human = rng.choice([0.0, 0.5, 1.0], n, p=[0.4, 0.1, 0.5])
    judge = np.where(rng.random(n) < right, human, rng.choice([0.0, 0.5, 1.0], n))
    numbers = np.repeat(np.arange(contexts), size)
    return DecidedPairs(human, judge, numbers < voted * contexts, numbers)


def weighted(pairs, weights):
    """Return q, se, sp and the corrected rate with a weight on each context, one pair after the other."""
    wins = pairs_seen = hits = wanted = passed = lost = 0.0
    for y, j, voted, context in zip(pairs.human, pairs.judge, pairs.voted, pairs.contexts, strict=True):
        weight = weights[context]
        wins, pairs_seen = wins + weight * j, pairs_seen + weight
        if voted:
            hits, wanted = hits + weight * y * j, wanted + weight * y
            passed, lost = passed + weight * (1 - y) * (1 - j), lost + weight * (1 - y)
    q, se, sp = wins / pairs_seen, hits / wanted, passed / lost
    return np.array([q, se, sp, (q + sp - 1) / (se + sp - 1)])


@pytest.mark.parametrize("voted", [1.0, 0.5])
def test_values_are_those_of_a_count_pair_by_pair(voted):
    pairs = answered(1, voted=voted)

    found = judge_errors(pairs)

    values = [one.value for one in (found.judge_alone, found.sensitivity, found.specificity, found.rogan_gladen)]
    assert values == pytest.approx(weighted(pairs, np.ones(40)))
    wanted, lost = (int((pairs.voted & (pairs.human != side)).sum()) for side in (0, 1))
    assert (found.sensitivity.n, found.specificity.n) == (wanted, lost)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_interval_of_the_corrected_rate_follows_from_its_slopes_by_the_weights_of_contexts(seed):
    """Each context's slope is found by giving it a little more weight: the infinitesimal jackknife."""
    pairs, step = answered(seed), 1e-5
    slopes = [
        (weighted(pairs, np.ones(40) + step * (np.arange(40) == one))[3] - weighted(pairs, np.ones(40))[3]) / step
        for one in range(40)
    ]
    half = t.ppf(0.975, 39) * np.sqrt(40 / 39 * np.sum(np.square(slopes)))

    found = judge_errors(pairs).rogan_gladen

    assert [found.value - found.low, found.high - found.value] == pytest.approx([half, half], rel=1e-3)
    assert found.n == 120


def test_with_one_pair_a_context_the_error_is_the_textbook_one():
    """Rogan and Gladen's variance, for binomial errors on separate samples: votes are few, the other pairs many."""
    rng, voted, others = np.random.default_rng(4), 400, 100_000
    human = (rng.random(voted + others) < 0.6) * 1.0
    judge = np.where(human == 1, rng.random(len(human)) < 0.9, rng.random(len(human)) > 0.8) * 1.0
    pairs = DecidedPairs(human, judge, np.arange(len(human)) < voted, np.arange(len(human)))

    found = judge_errors(pairs)

    q, se, sp = found.judge_alone.value, found.sensitivity.value, found.specificity.value
    value, wins = found.rogan_gladen.value, human[:voted].sum()
    variance = (
        q * (1 - q) / len(human) + value**2 * se * (1 - se) / wins + (1 - value) ** 2 * sp * (1 - sp) / (voted - wins)
    ) / (se + sp - 1) ** 2
    half = (found.rogan_gladen.high - found.rogan_gladen.low) / 2
    assert half == pytest.approx(t.ppf(0.975, voted - 1) * variance**0.5, rel=0.01)


def test_value_is_not_cut_to_a_share():
    """The judge is right in nine of ten votes, and prefers the system on all other pairs: 0.9 / 0.8."""
    human, contexts = np.tile([1.0, 0.0], 200), np.arange(400)
    right = np.where(np.arange(400) % 20 < 2, 1 - human, human)
    pairs = DecidedPairs(human, np.where(contexts < 40, right, 1.0), contexts < 40, contexts)

    found = judge_errors(pairs)

    assert (found.sensitivity.value, found.specificity.value) == (0.9, 0.9)
    assert found.rogan_gladen.value == pytest.approx((found.judge_alone.value + 0.9 - 1) / 0.8)
    assert found.rogan_gladen.value > 1


def test_judge_near_chance_has_no_corrected_rate():
    found = judge_errors(answered(5, right=0.1))

    assert found.sensitivity.low < found.sensitivity.value
    assert (found.rogan_gladen.value, found.rogan_gladen.low, found.rogan_gladen.undefined) == (None, None, NEAR_CHANCE)


def test_what_is_missing_is_said():
    pairs = answered(6)
    none = DecidedPairs(*(np.zeros(0) for _ in range(2)), np.zeros(0, dtype=bool), np.zeros(0, dtype=int))

    def why(human, voted=pairs.voted):
        return judge_errors(DecidedPairs(human, pairs.judge, voted, pairs.contexts)).rogan_gladen.undefined

    assert why(np.zeros(120)) == NEVER_PREFERRED
    assert why(np.ones(120)) == ALWAYS_PREFERRED
    assert why(pairs.human, pairs.contexts < 2) == "an interval needs at least three contexts"
    assert judge_errors(none).judge_alone.undefined == judge_errors(none).rogan_gladen.undefined == NO_JUDGED_PAIR
