from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.reliability.consistency import transitivity, triads
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, mirrored, simulated_run


def preference(comparisons, i, j):
    """Mean probability of i over j, both orders taken together; None where never compared."""
    there = comparisons.p_first[(comparisons.first == i) & (comparisons.second == j)]
    back = comparisons.p_first[(comparisons.first == j) & (comparisons.second == i)]
    answers = np.r_[there, 1 - back]
    return round(answers.mean(), 9) if len(answers) else None


def test_cyclic_triads_match_kendall_s_largest_number():
    """Kendall and Babington Smith, 1940: of the 35 triads of seven candidates at most 14 are cyclic."""
    first = np.repeat(np.arange(7), 3)
    second = (first + np.tile([1, 2, 3], 7)) % 7

    figure = triads(Comparisons(7, first, second, np.ones(21))).share

    assert (figure.value, figure.n) == (14 / 35, 35)


@given(comparisons=connected_contexts_of_comparisons())
def test_cyclic_triads_are_those_counted_one_by_one(comparisons):
    cycles = decided = 0
    for i, j, k in combinations(range(comparisons.n_candidates), 3):
        p = [preference(comparisons, *pair) for pair in ((i, j), (j, k), (k, i))]
        if all(value not in (None, 0.5) for value in p):
            decided += 1
            cycles += len({value > 0.5 for value in p}) == 1

    figure = triads(comparisons).share

    assert (figure.value, figure.n) == (pytest.approx(cycles / decided) if decided else None, decided)


def test_cyclic_triads_of_random_decisions_are_a_quarter():
    rng = np.random.default_rng(0)
    comparisons, _ = simulated_run(rng, n_contexts=60)
    random = comparisons.with_p_first(rng.random(len(comparisons)))

    figure = triads(random).share

    assert figure.low < 0.25 < figure.high


def test_cyclic_triads_need_three_candidates():
    assert triads(Comparisons(2, [0], [1], [1.0])).share.undefined == (
        "no context has three candidates all of whose pairs were decided"
    )


@given(comparisons=connected_contexts_of_comparisons())
def test_transitivity_is_that_counted_one_by_one(comparisons):
    triples = 0
    broken = np.zeros(3)
    for i, j, k in permutations(range(comparisons.n_candidates), 3):
        p = [preference(comparisons, *pair) for pair in ((i, j), (j, k), (i, k))]
        if None not in p and p[0] >= 0.5 and p[1] >= 0.5:
            triples += 1
            broken += [p[2] < 0.5, p[2] < min(p[:2]), p[2] < max(p[:2])]

    rules = transitivity(comparisons)

    figures = [rules.weak, rules.moderate, rules.strong]
    assert [figure.n for figure in figures] == [triples] * 3
    assert [figure.value for figure in figures] == (
        pytest.approx((broken / triples).tolist()) if triples else [None] * 3
    )


@given(seed=st.integers(0, 100))
def test_transitivity_of_bradley_terry_answers_is_never_broken(seed):
    comparisons, _ = simulated_run(np.random.default_rng(seed), n_contexts=2, noise=0)

    rules = transitivity(comparisons)

    assert (rules.weak.value, rules.moderate.value, rules.strong.value) == (0, 0, 0)


def test_consistency_does_not_depend_on_the_sides():
    comparisons, _ = simulated_run(np.random.default_rng(1), noise=3)

    assert triads(mirrored(comparisons)).share == triads(comparisons).share
    assert transitivity(mirrored(comparisons)) == transitivity(comparisons)


def test_transitivity_needs_three_candidates():
    assert transitivity(Comparisons(2, [0], [1], [1.0])).weak.undefined == (
        "no context has three candidates all of whose pairs were compared"
    )
