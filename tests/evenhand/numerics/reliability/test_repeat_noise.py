"""The noise of a figure between repeats."""

import numpy as np
import pytest

from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.reliability.repeat_noise import (
    TELLS_NOTHING,
    RepeatNoise,
    noise_floor,
    noise_floor_between,
    repeat_noise,
)


def test_noise_is_the_sum_of_the_contexts_variances():
    parts = np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 3.0]])  # variances 2, 0 and 1/2

    noise = repeat_noise(parts, 10.0, guard=0.5, largest=1.0)

    assert noise.variance == pytest.approx(0.025)
    assert noise.standard_deviation == pytest.approx(0.025**0.5)
    assert noise.guarded == pytest.approx(0.0275)  # and two contexts with a variance of 1/8
    assert noise.degrees_of_freedom == pytest.approx(2.75**2 / (2**2 + 0.5**2 + 2 / 8**2))


def test_floor_is_the_published_repeatability_for_many_degrees_of_freedom():
    noise = RepeatNoise(variance=4.0, guarded=4.0, degrees_of_freedom=1e9, largest=100.0)

    assert noise_floor(noise).value == pytest.approx(2.77 * 2.0, abs=0.01)


def test_repeats_that_agree_have_no_noise_but_a_floor():
    """Three repeats of five contexts may agree by chance. Two contexts may still have changed by half an answer."""
    noise = repeat_noise(np.ones((3, 5)), 5.0, guard=0.5, largest=1.0)

    assert noise.variance == 0
    assert noise_floor(noise).value == pytest.approx(2.776445 * (2 * 2 * 0.25 / 3 / 25) ** 0.5)
    assert noise_floor_between(noise, noise).value > 0


def test_floor_between_a_noisy_and_a_steady_judge_is_that_of_one_repeat():
    noisy, steady = RepeatNoise(4.0, 4.0, 30.0, 100.0), RepeatNoise(0.0, 1e-9, 30.0, 100.0)

    assert noise_floor_between(noisy, steady).value == pytest.approx(noise_floor(noisy).value / 2**0.5)


def test_floor_above_every_possible_difference_is_undefined():
    """Two repeats of one context with 30 pairs, of which they have 25 and 5 right."""
    noise = repeat_noise(np.array([[25.0], [5.0]]), 30.0, guard=0.5, largest=1.0)

    for floor in (noise_floor(noise), noise_floor_between(noise, noise)):
        assert (floor.value, floor.undefined) == (None, TELLS_NOTHING)
    assert noise.standard_deviation == pytest.approx(200**0.5 / 30)


@pytest.mark.parametrize(("parts", "size"), [(np.ones((1, 3)), 3.0), (np.ones((2, 0)), 0.0)])
def test_noise_is_undefined_without_a_repeat_or_a_context(parts, size):
    with pytest.raises(Undefined):
        repeat_noise(parts, size, guard=0.5, largest=1.0)


@pytest.mark.parametrize("n_repeats", [2, 5])
def test_two_further_repeats_differ_by_more_than_the_floor_in_five_percent_of_cases(n_repeats):
    rng = np.random.default_rng(3)
    p_right = rng.beta(2, 1, (40, 6))  # contexts x pairs; pairs of a context are answered independently
    exceeded = []
    for _ in range(3_000):
        right = rng.random((n_repeats + 2, *p_right.shape)) < p_right
        parts = right.sum(axis=2).astype(float)
        figures = parts.sum(axis=1) / p_right.size
        floor = noise_floor(repeat_noise(parts[:n_repeats], p_right.size, guard=0.5, largest=np.inf)).value
        exceeded.append(abs(figures[-1] - figures[-2]) > floor)

    assert np.mean(exceeded) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(("contexts", "pairs", "rate"), [(3, 1, 0.8), (3, 5, 0.95), (5, 1, 0.95), (10, 1, 0.95)])
def test_floor_of_few_repeats_of_few_contexts_is_exceeded_in_at_most_five_percent(contexts, pairs, rate):
    """Two repeats often agree by chance. Without a guard, the floor was then 0, and exceeded in up to 19 %."""
    rng = np.random.default_rng([contexts, pairs])
    exceeded = []
    for _ in range(1_000):
        p_right = rng.beta(2 * rate, 2 * (1 - rate), (contexts, pairs))
        parts = (rng.random((4, contexts, pairs)) < p_right).sum(axis=2).astype(float)
        figures = parts.sum(axis=1) / p_right.size
        floor = noise_floor(repeat_noise(parts[:2], p_right.size, guard=0.5, largest=np.inf)).value
        exceeded.append(abs(figures[2] - figures[3]) > floor + 1e-12)

    assert np.mean(exceeded) <= 0.05


def test_two_equal_judges_differ_by_more_than_their_floor_in_five_percent_of_cases():
    rng = np.random.default_rng(4)
    one, other = np.full((60, 4), 0.6), np.full((60, 4), 0.6)
    one[:30], one[30:] = 0.3, 0.9  # the same expected accuracy, with less noise
    exceeded = []
    for _ in range(3_000):
        parts = [(rng.random((4, 60, 4)) < p_right).sum(axis=2).astype(float) for p_right in (one, other)]
        figures = [part[-1].sum() / 240 for part in parts]
        floor = noise_floor_between(*(repeat_noise(part[:3], 240.0, guard=0.5, largest=np.inf) for part in parts)).value
        exceeded.append(abs(figures[0] - figures[1]) > floor)

    assert np.mean(exceeded) == pytest.approx(0.05, abs=0.015)
