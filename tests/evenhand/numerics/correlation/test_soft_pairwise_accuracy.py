"""Soft pairwise accuracy against a second implementation in plain Python, which tries all flips of few contexts."""

from itertools import combinations, product
from math import isnan, nan
from statistics import fmean

import numpy as np
import pytest

from evenhand.numerics.correlation import soft_pairwise_accuracy as soft
from evenhand.numerics.correlation.human_scores import TOO_FEW_SYSTEMS, HumanScores, MatchedScores
from evenhand.numerics.correlation.soft_pairwise_accuracy import soft_pairwise_accuracies
from evenhand.numerics.scores import Scores


def measured(people, *judges, systems=None):
    """Return the accuracy of each judge. people, judges: (n_contexts, n_systems), NaN if missing."""
    people = np.asarray(people, dtype=float)
    contexts, columns = np.divmod(np.arange(people.size), people.shape[1])
    human = HumanScores(people.ravel(), contexts, columns if systems is None else systems)
    rankings = [Scores.of_values(np.asarray(judge, dtype=float).ravel()) for judge in judges]
    matched = MatchedScores.of(rankings[0], human, np.ones(len(people), dtype=bool))
    return soft_pairwise_accuracies(rankings, matched)


def p_value(gaps):
    """The share of all flips with a larger mean, and half of those with an equal one."""
    flipped = [
        sum(sign * gap for sign, gap in zip(signs, gaps, strict=True)) for signs in product((1, -1), repeat=len(gaps))
    ]
    above = [1.0 if one > sum(gaps) + 1e-6 else 0.5 if one > sum(gaps) - 1e-6 else 0.0 for one in flipped]
    return fmean(above)


def by_all_flips(people, judge):
    """Return the value, the pairs of systems and the contexts."""
    differences, used = [], set()
    for one, other in combinations(range(len(people[0])), 2):
        common = [
            number
            for number, rows in enumerate(zip(people, judge, strict=True))
            if not any(isnan(row[system]) for row in rows for system in (one, other))
        ]
        if len(common) > 1:
            used |= set(common)
            p_human, p_judge = (p_value([rows[c][one] - rows[c][other] for c in common]) for rows in (people, judge))
            differences.append(abs(p_human - p_judge))
    return 1 - fmean(differences), len(differences), len(used)


def study(n_contexts, n_systems, seed=5):
    """Thirds, as means of three people, and a judge whose scores are noisy; systems differ."""
    rng = np.random.default_rng(seed)
    better = np.linspace(0, 1.5, n_systems)
    people = np.rint(3 * (rng.normal(2, 1, (n_contexts, n_systems)) + better)) / 3
    return people, people + rng.normal(0, 1, people.shape)


def test_soft_pairwise_accuracy_is_that_of_all_flips():
    people, judge = study(9, 4)
    choices = np.rint(judge)

    found = measured(people, judge, choices)

    for one, scores in zip(found, (judge, choices), strict=True):
        value, pairs, contexts = by_all_flips(people.tolist(), scores.tolist())
        assert one.value == pytest.approx(value, abs=0.01)
        assert (one.pairs, one.contexts, one.undefined) == (pairs, contexts, None) == (6, 9, None)


def test_each_pair_has_the_contexts_in_which_people_and_judge_score_both_systems():
    people, judge = study(9, 4)
    people[:2, 0] = people[7:, 1] = judge[2:4, 2] = judge[1:, 3] = nan

    [found] = measured(people, judge)

    value, pairs, contexts = by_all_flips(people.tolist(), judge.tolist())
    assert found.value == pytest.approx(value, abs=0.01)
    assert (found.pairs, found.contexts) == (pairs, contexts) == (3, 9)


def test_signs_are_flipped_ten_thousand_times():
    people, judge = study(30, 2)

    [found] = measured(people, judge)

    signs = np.hstack([soft._random_flips(30), -soft._random_flips(30)])
    assert signs.shape == (30, 10_000)
    assert abs(signs.mean()) < 1e-12
    assert len({row.tobytes() for row in signs.T}) == 10_000
    flipped = [(scores[:, 0] - scores[:, 1]) @ signs for scores in (people, judge)]
    observed = [(scores[:, 0] - scores[:, 1]).sum() for scores in (people, judge)]
    p_values = [
        ((means > seen + 1e-6).mean() + (means > seen - 1e-6).mean()) / 2
        for means, seen in zip(flipped, observed, strict=True)
    ]
    assert found.value == pytest.approx(1 - abs(p_values[0] - p_values[1]), abs=1e-12)


def test_judge_that_scores_as_people_do_on_another_scale_is_always_right():
    people, _ = study(40, 5)

    same, reversed_scores = measured(people, 7 * people - 3, -people)

    assert same.value == 1
    assert reversed_scores.value < 0.5


def test_judge_that_scores_all_alike_is_sure_of_nothing():
    people, _ = study(8, 3)

    [found] = measured(people, np.ones(people.shape))

    sure = [p_value((people[:, one] - people[:, other]).tolist()) for one, other in combinations(range(3), 2)]
    assert found.value == pytest.approx(1 - fmean(abs(p - 0.5) for p in sure), abs=0.01)


def test_order_of_systems_and_judges_beside_it_change_nothing():
    people, judge = study(25, 4)

    [alone] = measured(people, judge)
    [_, beside] = measured(people[:, ::-1], people[:, ::-1], judge[:, ::-1])

    assert beside == alone


@pytest.mark.parametrize("is_complete", [True, False])
def test_normal_limit_of_many_contexts_is_what_flips_give(monkeypatch, is_complete):
    people, judge = study(900, 3)
    people, judge = people - np.linspace(0, 1.4, 3), judge - np.linspace(0, 1.4, 3)
    if not is_complete:
        people[::3, 0] = nan
    [flipped] = measured(people, judge)

    monkeypatch.setattr(soft, "MOST_FLIPPED_CONTEXTS", 100)
    [normal] = measured(people, judge)

    assert 0.5 < flipped.value < 0.99
    assert normal.value == pytest.approx(flipped.value, abs=0.01)
    assert (normal.pairs, normal.contexts) == (flipped.pairs, flipped.contexts)


@pytest.mark.parametrize(
    ("people", "systems", "reason"),
    [
        ([[1, 2], [2, 3]], np.full(4, -1), TOO_FEW_SYSTEMS),
        ([[nan, nan], [nan, nan]], None, TOO_FEW_SYSTEMS),
        ([[1, 2], [2, nan]], None, soft.NO_COMMON_CONTEXTS),
        (np.ones((2, 65)), None, soft.TOO_MANY_TO_FLIP),
    ],
)
def test_soft_pairwise_accuracy_that_cannot_be_computed_says_why(people, systems, reason):
    [found] = measured(people, np.ones(np.shape(people)), systems=systems)

    assert (found.value, found.undefined, found.pairs, found.contexts) == (None, reason, 0, 0)
