"""PairS from recorded answers: how many comparisons it takes, how well it ranks, and what it cannot know."""

import numpy as np
import pytest
from scipy.special import expit

from evenhand.numerics import Comparisons, HumanJudgments, pairs_sort_curve

CONTEXTS, SIZE = 6, 7
NUMBERS = np.arange(CONTEXTS * SIZE)
QUALITIES = np.random.default_rng(0).permuted(NUMBERS.reshape(CONTEXTS, SIZE), axis=1).ravel().astype(float)


def run_of(noise=0.0, *, size=SIZE):
    """Every ordered pair of each context, judged by quality and noise."""
    first, second = (each.ravel() for each in np.nonzero(~np.eye(size, dtype=bool)))
    starts = np.arange(CONTEXTS) * size
    first, second = (starts[:, None] + first).ravel(), (starts[:, None] + second).ravel()
    gaps = QUALITIES[first] - QUALITIES[second] + noise * np.random.default_rng(1).normal(size=len(first))
    return Comparisons(CONTEXTS * size, first, second, expit(gaps), starts)


def truth_of(run):
    return HumanJudgments(QUALITIES[None, : run.n_candidates])


def test_a_consistent_judge_is_sorted_right_by_every_beam_and_undefined_without_people():
    run = run_of()

    points = pairs_sort_curve(run, truth_of(run), draws=5)

    assert [(point.beam, point.mean, point.low, point.high, point.draws) for point in points] == [
        (1, 1.0, 1.0, 1.0, 5),
        (4, 1.0, 1.0, 1.0, 5),
        (16, 1.0, 1.0, 1.0, 5),
    ]

    points = pairs_sort_curve(run, HumanJudgments(np.full((1, run.n_candidates), np.nan)), draws=2)

    assert [point.undefined for point in points] == [
        "no context has two candidates with both scores whose human scores differ"
    ] * 3


def test_comparisons_are_the_mean_number_that_a_context_was_asked_for():
    """Three candidates take one comparison to sort two of them, and one or two to place the third."""
    run = run_of(size=3)

    [greedy] = pairs_sort_curve(run, truth_of(run), draws=400, beams=[1])

    assert greedy.comparisons == pytest.approx(1 + (1 * 1 + 2 * 2) / 3, abs=0.05)


def test_a_wider_beam_asks_for_more_comparisons_and_averaged_orders_for_two_calls():
    run = run_of(noise=2.0)

    [one], [two] = (pairs_sort_curve(run, truth_of(run), draws=3, beams=[4], calls=calls) for calls in (1, 2))

    assert (two.comparisons, two.mean) == (2 * one.comparisons, one.mean)

    asked = [point.comparisons for point in pairs_sort_curve(run, truth_of(run), draws=10)]

    assert asked == sorted(asked)
    assert asked[0] < asked[-1] <= SIZE * (SIZE - 1) / 2


def test_a_pair_without_an_answer_leaves_the_point_undefined():
    """Every sort of three candidates compares two of them in one of the orders; half of these have no answer."""
    run = run_of(size=3)
    asked_once = run.select(run.first < run.second)

    [point] = pairs_sort_curve(asked_once, truth_of(run), draws=10, beams=[1])

    assert (point.mean, point.draws, point.beam) == (None, 0, 1)
    assert point.undefined.startswith("PairS comes to an ordered pair that the run has no answer to, in ")
    assert point.undefined.endswith(" of 60 sorts")


def test_a_context_that_does_not_count_may_lack_answers():
    run = run_of()
    first_context = run.contexts == 0
    scores = np.where(NUMBERS < SIZE, 1.0, QUALITIES)  # people find all candidates of the first context alike

    points = pairs_sort_curve(
        run.select(~first_context | (run.first < run.second)), HumanJudgments(scores[None]), draws=5
    )

    assert [point.mean for point in points] == [1.0, 1.0, 1.0]


def test_pairs_is_the_same_whatever_fits_into_memory(monkeypatch):
    run = run_of(noise=2.0)
    whole = pairs_sort_curve(run, truth_of(run), measure="accuracy", draws=8, seed=3)

    monkeypatch.setattr("evenhand.numerics.curves.pairs_sort_curves._CHUNK_CELLS", SIZE**2)

    assert pairs_sort_curve(run, truth_of(run), measure="accuracy", draws=8, seed=3) == whole
