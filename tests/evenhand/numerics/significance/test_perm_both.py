"""Swapping two judges' scores: against all swaps one by one, as a law, and under the null."""

from itertools import product

import numpy as np
import pytest
import scipy.stats

from evenhand.numerics import HumanScores, Scores
from evenhand.numerics.significance.perm_both import JudgeSwaps, perm_both_p_values


def swaps_of(one, other, people):
    """Swaps of two judges from tables of scores, (n_contexts, size); NaN if missing."""
    people = np.asarray(people, dtype=float)
    contexts = np.repeat(np.arange(len(people)), people.shape[1])
    human = HumanScores(people.ravel(), contexts, np.full(people.size, -1))
    one, other = (Scores.of_values(np.asarray(scores, dtype=float).ravel()) for scores in (one, other))
    return JudgeSwaps.of(one, other, human, np.ones(len(people), dtype=bool))


def p_value(swaps, **options):
    [found] = perm_both_p_values([swaps], **options)
    return found


def by_brute_force(one, other, people):
    """The p-value over all swaps, by scipy, one swap after the other."""

    def spearman(scores, human):
        return 0.0 if len(set(scores)) == 1 else scipy.stats.spearmanr(scores, human).statistic

    def standardised(scores):
        return [(np.round((row - row.mean()) / (row.std() or 1), 9)) for row in np.asarray(scores, dtype=float)]

    mine, theirs = standardised(one), standardised(other)
    gaps = []
    for swap in product([False, True], repeat=np.size(one)):
        turned = np.reshape(swap, np.shape(one))
        gaps.append(
            sum(
                spearman(np.where(row, b, a), human) - spearman(np.where(row, a, b), human)
                for row, a, b, human in zip(turned, mine, theirs, people, strict=True)
            )
        )
    return np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("decimals", [0, 9])
def test_perm_both_counts_all_swaps_of_few_candidates(seed, decimals):
    """With whole numbers many scores are equal, with others none."""
    one, other = (2 * np.random.default_rng(seed).normal(size=(2, 2, 3))).round(decimals)
    people = [[3, 1, 1], [1, 2, 3]]

    found = p_value(swaps_of(one, other, people))

    assert (found.value, found.n) == (pytest.approx(by_brute_force(one, other, people)), 6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("decimals", [0, 9])
def test_perm_both_counts_all_swaps_of_contexts_of_two_candidates(seed, decimals):
    one, other = np.random.default_rng(seed).normal(size=(2, 4, 2)).round(decimals)
    people = [[3, 1], [1, 2], [2, 4], [1, 1]]

    found = p_value(swaps_of(one, other, people))

    assert (found.value, found.n) == (pytest.approx(by_brute_force(one[:3], other[:3], people[:3])), 6)


@pytest.mark.parametrize("longest", [64, 1])
def test_differences_after_swaps_are_the_same_by_every_way(longest, monkeypatch):
    """A context without equal scores is summed up by signs, others by ranks, large ones by sorting."""
    rng = np.random.default_rng(0)
    one, other, people = rng.normal(size=(3, 3, 7))
    one[1:], other[1:] = one[1:].round(0), other[1:].round(0)
    monkeypatch.setattr("evenhand.numerics.significance.perm_both._LONGEST_COMPARED", longest)
    signs = rng.choice([-1.0, 1.0], (5, 21))

    found = swaps_of(one, other, people).differences(signs)

    assert found == pytest.approx([difference_after(one, other, people, row.reshape(3, 7) < 0) for row in signs])


def difference_after(one, other, people, swap):
    standard = [scipy.stats.zscore(scores, axis=1).round(9) for scores in (one, other)]
    mine, theirs = np.where(swap, standard[1], standard[0]), np.where(swap, standard[0], standard[1])
    return sum(
        scipy.stats.spearmanr(a, human).statistic - scipy.stats.spearmanr(b, human).statistic
        for a, b, human in zip(mine, theirs, people, strict=True)
    )


def test_perm_both_is_the_same_when_the_judges_change_places():
    rng = np.random.default_rng(1)
    one, other, people = rng.normal(size=(3, 10, 5))

    assert p_value(swaps_of(one, other, people)) == p_value(swaps_of(other, one, people))


def test_perm_both_sees_neither_place_nor_scale_of_a_judge():
    rng = np.random.default_rng(2)
    one, people = rng.normal(size=(2, 10, 5))

    assert p_value(swaps_of(one, 5 * one + 3, people)).value == 1


def test_perm_both_of_judges_alike_is_uniform():
    """Two judges of the same quality: a share of about 5 % and 50 % of the p-values lies below 5 % and 50 %."""
    rng = np.random.default_rng(3)
    people = rng.normal(size=(400, 6, 5))
    studies = [
        swaps_of(*(truth + rng.normal(size=(2, 6, 5))).round(places), truth)
        for places, truth in zip([9, 0] * 200, people, strict=True)
    ]

    p_values = np.array([found.value for found in perm_both_p_values(studies, permutations=200)])

    assert 0.02 <= np.mean(p_values <= 0.05) <= 0.08
    assert 0.43 <= np.mean(p_values <= 0.5) <= 0.57


def test_perm_both_tells_a_better_judge_from_a_worse_one():
    rng = np.random.default_rng(4)
    people = rng.normal(size=(30, 8))
    good, as_good, bad = (people + noise * rng.normal(size=people.shape) for noise in (0.5, 0.5, 2.0))

    assert p_value(swaps_of(good, bad, people)).value < 0.01
    assert p_value(swaps_of(good, as_good, people)).value > 0.05


def test_p_values_together_are_those_alone():
    rng = np.random.default_rng(5)
    studies = [swaps_of(*rng.normal(size=(3, 4, size)).round(1)) for size in (5, 5, 6)]

    together = perm_both_p_values(studies, permutations=100)

    assert together == [p_value(study, permutations=100) for study in studies]


def test_only_candidates_that_everybody_scored_change_places():
    nan = np.nan
    one, other = [[1, 2, nan], [1, 2, 3], [1, 2, 3]], [[2, 1, 3], [2, 1, 3], [2, 1, 3]]
    assert p_value(swaps_of(one, other, [[1, 2, 3], [nan, 2, 3], [1, 1, 1]])).n == 4


def test_perm_both_without_a_context_that_counts_is_undefined():
    found = p_value(swaps_of([[1, 2]], [[2, 1]], [[1, 1]]))

    assert (found.value, found.n) == (None, 0)
    assert found.undefined == "no context has two candidates with both scores whose human scores differ"
