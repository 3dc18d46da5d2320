"""Win rates of systems that no person judged."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from evenhand.numerics import Comparisons, OrderedPairs
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.reliability import unjudged_systems
from evenhand.numerics.reliability.unjudged_systems import half_width, system_scores


def compared(rng, judged, systems=7, contexts=6):
    """All ordered pairs of the systems, in several contexts; people judged the first systems, with some ties."""
    first, second = np.tile(np.argwhere(~np.eye(systems, dtype=bool)), (contexts, 1)).T
    texts = systems * np.repeat(np.arange(contexts), systems * (systems - 1))
    p_first = rng.beta(1, 1, len(first))
    pairs = Comparisons(systems * contexts, first + texts, second + texts, p_first, systems * np.arange(contexts))
    outcomes = np.where(rng.random(len(first)) < 0.1, 0.5, (rng.random(len(first)) < p_first).astype(float))
    return pairs, OrderedPairs(first, second), np.where((first < judged) & (second < judged), outcomes, np.nan)


def preferred(outcomes):
    return np.where(outcomes == 0.5, np.nan, outcomes)


def test_scores_match_brute_force_with_each_system_left_out_of_the_calibration():
    pairs, sides, outcomes = compared(np.random.default_rng(0), judged=5)

    found = system_scores(pairs, sides, preferred(outcomes), outcomes, n_systems=7)

    asked = dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.p_first, strict=True))
    logits = {pair: np.log(p / (1 - p)) for pair, p in asked.items()}
    bias = np.mean(list(logits.values()))
    rows = list(zip(logits, sides.first.tolist(), sides.second.tolist(), outcomes, strict=True))
    for system in range(7):
        fit = [(logits[pair] - bias, won) for pair, *both, won in rows if won in (0, 1) and system not in both]

        def loss(weight, fit=fit):
            chances = [1 / (1 + np.exp(-weight * (logit if won else -logit))) for logit, won in fit]
            return -np.log(chances).sum() + (weight - 1) ** 2 / 2

        weight = minimize_scalar(loss, bounds=(-5, 5), options={"xatol": 1e-9}).x
        own = [(1 if both[0] == system else -1, logits[pair] - bias) for pair, *both, _ in rows if system in both]
        assert found.judge[system] == pytest.approx(np.mean([1 / (1 + np.exp(-weight * s * x)) for s, x in own]))
        won = [o if both[0] == system else 1 - o for _, *both, o in rows if system in both and not np.isnan(o)]
        assert found.people[system] == pytest.approx(np.mean(won) if won else np.nan, nan_ok=True)
    assert found.counted.tolist() == [72] * 7
    assert found.residuals == pytest.approx(np.sort(np.abs(found.people - found.judge)[:5]))


@pytest.mark.parametrize(("n", "rank", "level"), [(3, 3, 3 / 4), (18, 18, 18 / 19), (19, 19, 0.95), (39, 38, 0.95)])
def test_half_width_is_the_residual_of_the_published_rank(n, rank, level):
    half = half_width(np.arange(1.0, n + 1))

    assert (half.value, half.level) == (rank, pytest.approx(level))
    assert half.is_enough == (n >= 19)


def test_names_of_systems_change_nothing():
    pairs, sides, outcomes = compared(np.random.default_rng(1), judged=5)
    renamed = np.array([3, 6, 0, 5, 1, 2, 4])

    found, other = (
        system_scores(pairs, OrderedPairs(*names), preferred(outcomes), outcomes, n_systems=7)
        for names in ((sides.first, sides.second), (renamed[sides.first], renamed[sides.second]))
    )

    assert other.judge[renamed] == pytest.approx(found.judge)
    assert other.residuals == pytest.approx(found.residuals)


def test_many_preferences_are_drawn_from(monkeypatch):
    pairs, sides, outcomes = compared(np.random.default_rng(2), judged=7, contexts=60)
    whole = system_scores(pairs, sides, preferred(outcomes), outcomes, n_systems=7)
    monkeypatch.setattr(unjudged_systems, "MOST_LEARNED_FROM", 1_000)

    drawn = system_scores(pairs, sides, preferred(outcomes), outcomes, n_systems=7)

    assert drawn.judge == pytest.approx(whole.judge, abs=0.01)
    assert (drawn.judge != whole.judge).all()


@pytest.mark.parametrize(
    ("judged", "tied", "why"),
    [
        (2, False, "people judged 2 of the systems; residuals need 3"),
        (5, True, "people prefer no candidate on the comparisons"),
    ],
)
def test_too_few_judgments_are_undefined(judged, tied, why):
    pairs, sides, outcomes = compared(np.random.default_rng(3), judged=judged)
    outcomes = np.where(np.isnan(outcomes), np.nan, 0.5) if tied else outcomes

    with pytest.raises(Undefined, match=why):
        system_scores(pairs, sides, preferred(outcomes), outcomes, n_systems=7)


def test_preferences_that_all_concern_one_system_leave_nothing_to_calibrate_on():
    pairs, sides, outcomes = compared(np.random.default_rng(4), judged=7)
    outcomes = np.where((sides.first == 0) | (sides.second == 0), outcomes, np.nan)

    with pytest.raises(Undefined, match="without one of the systems"):
        system_scores(pairs, sides, preferred(outcomes), outcomes, n_systems=7)
