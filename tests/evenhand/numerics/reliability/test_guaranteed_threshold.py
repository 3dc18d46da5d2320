"""The threshold that keeps the errors among answered comparisons below a limit."""

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.reliability.coverage import probability_sureness
from evenhand.numerics.reliability.guaranteed_threshold import (
    NoGuarantee,
    contexts_without_errors,
    guaranteed_threshold,
)
from tests.evenhand.numerics.simulation import every_ordered_pair

DRAWS = 100


def judged(rng, *, n_contexts, n_candidates=2, skill=2.0):
    """Comparisons by a judge that knows some contexts better than others, and people's preferences."""
    truth = rng.normal(size=n_contexts * n_candidates)
    first, second, starts = every_ordered_pair(n_candidates, n_contexts)
    gaps = truth[first] - truth[second]
    difficulty = np.exp(0.7 * rng.normal(size=n_contexts)).repeat(n_candidates * (n_candidates - 1))
    p_first = 1 / (1 + np.exp(-(skill * gaps + difficulty * rng.normal(size=len(first)))))
    return Comparisons(len(truth), first, second, p_first, starts), (gaps > 0).astype(np.float64)


def guessed(rng, *, n_contexts, wrong):
    """Comparisons whose sureness says nothing about their errors, with a share of wrong answers."""
    first, second, starts = np.arange(n_contexts) * 2, np.arange(n_contexts) * 2 + 1, np.arange(n_contexts) * 2
    p_first = 0.5 + rng.uniform(0.01, 0.49, n_contexts)
    comparisons = Comparisons(2 * n_contexts, first, second, p_first, starts)
    return comparisons, (rng.random(n_contexts) >= wrong).astype(np.float64)


def found(comparisons, right, alpha=0.1, confidence=0.95):
    sureness = probability_sureness(comparisons)
    return guaranteed_threshold(comparisons, right, sureness, alpha=alpha, confidence=confidence)


@pytest.mark.parametrize(
    ("shape", "alpha"),
    [
        pytest.param({"n_contexts": 400}, 0.1, id="one pair in a context"),
        pytest.param({"n_contexts": 100, "n_candidates": 6}, 0.15, id="dependent pairs in a context"),
    ],
)
def test_errors_on_new_contexts_stay_below_alpha_in_95_of_100_draws(shape, alpha):
    rng, broken, thresholds = np.random.default_rng(1), 0, 0
    new, new_right = judged(np.random.default_rng(2), **shape | {"n_contexts": 5_000})
    new_wrong = (new.p_first > 0.5) != new_right

    for _ in range(DRAWS):
        try:
            threshold = found(*judged(rng, **shape), alpha=alpha).threshold
        except NoGuarantee:
            continue
        broken += new_wrong[probability_sureness(new) >= threshold].mean() > alpha
        thresholds += 1

    assert broken <= 5
    assert thresholds >= 80


def test_a_judge_with_too_many_errors_everywhere_seldom_gets_a_threshold():
    rng, promised = np.random.default_rng(3), 0

    for _ in range(DRAWS):
        try:
            found(*guessed(rng, n_contexts=500, wrong=0.1001))
        except NoGuarantee:
            continue
        promised += 1

    assert promised <= 5


def test_a_judge_with_few_errors_answers_nearly_everything():
    comparisons, right = guessed(np.random.default_rng(4), n_contexts=1_000, wrong=0.03)

    one = found(comparisons, right)

    assert one.answered.value > 0.95
    assert one.error.value == pytest.approx(0.03, abs=0.02)
    assert (one.ordering_contexts, one.testing_contexts) == (200, 800)


@pytest.mark.parametrize(("alpha", "confidence"), [(0.1, 0.95), (0.2, 0.9)])
def test_number_of_contexts_that_a_refusal_names_is_enough_without_errors(alpha, confidence):
    needed = contexts_without_errors(alpha, confidence)
    rng = np.random.default_rng(5)

    with pytest.raises(NoGuarantee, match=f"{needed} would do") as refused:
        found(*guessed(rng, n_contexts=needed - 2, wrong=0.0), alpha=alpha, confidence=confidence)

    assert refused.value.contexts == needed
    assert found(*guessed(rng, n_contexts=needed, wrong=0.0), alpha=alpha, confidence=confidence).error.value == 0


def test_number_of_contexts_without_errors_is_near_the_smallest_possible():
    # nobody can show a share of errors below alpha with fewer contexts: (1 - alpha)^n must be at most 1 - confidence
    smallest = np.log(0.05) / np.log(0.9)

    assert smallest <= 0.8 * contexts_without_errors(0.1, 0.95) <= 1.2 * smallest


def test_errors_above_alpha_at_every_threshold_are_refused_for_any_number_of_contexts():
    with pytest.raises(NoGuarantee, match="no number of contexts") as refused:
        found(*guessed(np.random.default_rng(6), n_contexts=2_000, wrong=0.3))

    assert refused.value.contexts is None


def test_too_few_contexts_for_many_errors_are_refused_with_a_number_that_would_do():
    with pytest.raises(NoGuarantee, match="contexts like these would do") as refused:
        found(*guessed(np.random.default_rng(7), n_contexts=60, wrong=0.08))

    assert refused.value.contexts > 60


def test_without_preferences_of_people_there_is_no_guarantee():
    comparisons, right = guessed(np.random.default_rng(8), n_contexts=100, wrong=0.0)

    with pytest.raises(NoGuarantee, match="people prefer"):
        found(comparisons, np.full_like(right, np.nan))


def test_without_an_answer_people_are_not_blamed():
    with pytest.raises(NoGuarantee, match="no comparison has an answer"):
        found(Comparisons(2, [], [], []), np.array([]))


def test_one_context_is_too_few():
    with pytest.raises(NoGuarantee, match=r"^1 context with a human preference is too few"):
        found(*guessed(np.random.default_rng(8), n_contexts=1, wrong=0.0))


def test_comparisons_without_a_measure_are_never_answered():
    comparisons, right = guessed(np.random.default_rng(9), n_contexts=400, wrong=0.0)
    sureness = np.where(np.arange(400) % 2, np.nan, probability_sureness(comparisons))

    one = guaranteed_threshold(comparisons, right, sureness, alpha=0.1, confidence=0.95)

    assert one.answered.value == pytest.approx(0.5, abs=0.06)
