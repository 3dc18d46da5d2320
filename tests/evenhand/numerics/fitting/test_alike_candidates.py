"""Candidates that the comparisons cannot tell apart tie exactly, whatever noise the solver leaves."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.fitting.alike_candidates import alike_classes, tie_alike
from evenhand.numerics.rankings.product_of_experts import poe_bradley_terry
from evenhand.numerics.rankings.registry import score

P_FIRST = {"first": 1.0, "tie": 0.5, "second": 0.0}
FITTED = ["bradley-terry", "poe-bt", "poe-gaussian", "poe-gaussian-hard"]


def compared(n_candidates, *answers):
    first, second, p_first = zip(*answers, strict=True)
    return Comparisons(n_candidates, np.array(first), np.array(second), np.array(p_first, dtype=float))


def hub(leaves, *, answers):
    """Candidate 0 against each leaf in both orders. answers: p_first in either order, repeated over the leaves."""
    pairs = [(0, leaf, answers[leaf % len(answers)][0]) for leaf in range(1, leaves + 1)]
    back = [(leaf, 0, answers[leaf % len(answers)][1]) for leaf in range(1, leaves + 1)]
    return compared(leaves + 1, *pairs, *back)


def chain(links):
    """Two equal chains of sure wins that start from candidate 0, and a weak answer at their ends."""
    one = [(k, k + 1, 1.0) for k in range(links)]
    other = [(0, links + 1, 1.0), *((links + k, links + k + 1, 1.0) for k in range(1, links))]
    return compared(2 * links + 1, *one, *other, (links, 0, 0.5), (2 * links, 0, 0.5))


def groups_by_answers(comparisons):
    """The leaves of a hub, grouped by their answers."""
    groups = {}
    for leaf in range(1, comparisons.n_candidates):
        as_first = comparisons.p_first[comparisons.first == leaf]
        as_second = comparisons.p_first[comparisons.second == leaf]
        groups.setdefault((tuple(as_first), tuple(as_second)), []).append(leaf)
    return groups.values()


def assert_tied(values, group):
    assert len({float(values[candidate]) for candidate in group}) == 1


@pytest.mark.parametrize("ranking", FITTED)
@pytest.mark.parametrize("leaves", [30, 58, 200])
def test_leaves_of_a_hub_with_the_same_answers_tie(ranking, leaves):
    comparisons = hub(leaves, answers=[(1.0, 0.0), (1.0, 0.5), (0.0, 0.0), (0.0, 1.0), (0.5, 1.0), (1.0, 1.0)])

    values = score(ranking, comparisons).values

    for group in groups_by_answers(comparisons):
        assert_tied(values, group)


@pytest.mark.parametrize("gamma", [-0.4, 2.0, 7.0])
def test_leaves_of_a_hub_tie_at_any_shift(gamma):
    comparisons = hub(58, answers=[(1.0, 0.0), (1.0, 0.5), (0.0, 0.0), (1.0, 1.0)])

    values = poe_bradley_terry(comparisons, gamma=gamma).values

    for group in groups_by_answers(comparisons):
        assert_tied(values, group)


@pytest.mark.parametrize("ranking", FITTED)
def test_equal_chains_tie_link_by_link(ranking):
    values = score(ranking, chain(12)).values

    for link in range(1, 13):
        assert_tied(values, [link, link + 12])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ranking", FITTED)
def test_copies_of_candidates_in_a_sparse_graph_tie(ranking, seed):
    rng = np.random.default_rng(seed)
    ring = [(k, (k + 1) % 20, float(rng.choice([0, 0.5, 1]))) for k in range(20)]
    leaves = [(20 + k, int(rng.integers(20)), float(rng.choice([0, 0.5, 1]))) for k in range(20)]
    copies = [(40 + k, opponent, answer) for k, (_, opponent, answer) in enumerate(leaves)]

    values = score(ranking, compared(60, *ring, *leaves, *copies)).values

    for k in range(20):
        assert_tied(values, [20 + k, 40 + k])


def test_a_win_and_a_loss_are_two_ties():
    comparisons = compared(3, (0, 1, 1.0), (1, 0, 1.0), (0, 2, 0.5), (2, 0, 0.5))

    assert_tied(score("poe-bt", comparisons).values, [1, 2])


def test_candidates_with_other_opponents_are_not_alike():
    """1 and 2 won once each, but 2 won against the stronger opponent."""
    comparisons = compared(5, (1, 3, 1.0), (2, 4, 1.0), (4, 0, 1.0), (3, 0, 0.0))

    classes = alike_classes(comparisons, is_biased=False)

    assert classes[1] != classes[2]


def plain_classes(comparisons):
    """Colour refinement with counters of classes in place of hashes."""
    wins = np.zeros(comparisons.n_candidates)
    np.add.at(wins, comparisons.first, comparisons.p_first)
    np.add.at(wins, comparisons.second, 1 - comparisons.p_first)
    classes, number = wins.tolist(), 0
    while len(set(classes)) > number:
        number, opponents = len(set(classes)), [Counter() for _ in classes]
        for first, second in zip(comparisons.first, comparisons.second, strict=True):
            opponents[first][classes[second]] += 1
            opponents[second][classes[first]] += 1
        classes = [(own, frozenset(met.items())) for own, met in zip(classes, opponents, strict=True)]
        names = {one: place for place, one in enumerate(dict.fromkeys(classes))}
        classes = [names[one] for one in classes]
    return classes


@pytest.mark.parametrize("n_candidates", [4, 6, 8, 12])
def test_classes_are_those_of_plain_refinement(n_candidates):
    """In one of a hundred of these contexts, hashes once made candidates alike that are not, with the same score."""
    rng = np.random.default_rng(n_candidates)
    for number in range(600):
        n = n_candidates * (1 + number % 3) // 2 + 1
        first = rng.integers(0, n_candidates, n)
        second = (first + rng.integers(1, n_candidates, n)) % n_candidates
        comparisons = Comparisons(n_candidates, first, second, rng.integers(0, 2, n).astype(float))

        classes, plain = alike_classes(comparisons, is_biased=False).tolist(), plain_classes(comparisons)

        assert len(set(zip(classes, plain, strict=True))) == len(set(classes)) == len(set(plain))


def test_positions_distinguish_candidates_only_with_a_position_bias():
    comparisons = compared(3, (0, 1, 0.25), (2, 0, 0.75))

    fair, biased = (alike_classes(comparisons, is_biased=is_biased) for is_biased in (False, True))

    assert fair[1] == fair[2]
    assert biased[1] != biased[2]


def test_candidates_of_two_contexts_are_never_alike():
    one = compared(2, (0, 1, 0.5))
    both = Comparisons(4, np.array([0, 2]), np.array([1, 3]), np.array([0.5, 0.5]), starts=np.array([0, 2, 4]))

    assert len(set(alike_classes(one, is_biased=False))) == 1
    assert len(set(alike_classes(both, is_biased=False))) == 2


@pytest.mark.parametrize("tied", [[2], [0, 1, 2, 3]])
def test_alike_candidates_tie_whether_few_or_most_contexts_have_some(tied):
    """The first of three candidates wins against both others; these tie but for noise, or differ."""
    starts = np.arange(0, 15, 3)
    second_win = np.where(np.isin(np.arange(5), tied), 0.8, 0.6)
    comparisons = Comparisons(
        15,
        np.concatenate([starts, starts]),
        np.concatenate([starts + 1, starts + 2]),
        np.concatenate([np.full(5, 0.8), second_win]),
        starts=starts,
    )
    noisy = np.array([1.0, -0.5, -0.5 + 1e-12])
    scores = np.concatenate([noisy if context in tied else [1.0, -0.6, -0.4] for context in range(5)])

    values = tie_alike(scores, comparisons, is_biased=False).reshape(5, 3)

    others = [context for context in range(5) if context not in tied]
    assert (values[tied, 1] == values[tied, 2]).all()
    assert values[others] == pytest.approx(scores.reshape(5, 3)[others], abs=0)


def test_scores_of_candidates_that_are_not_alike_stay_as_they_are():
    comparisons = compared(3, (0, 1, 0.9), (1, 2, 0.7))
    scores = np.array([0.3, 0.1, -0.4])

    assert tie_alike(scores, comparisons, is_biased=False) is scores


@pytest.mark.parametrize("gamma", [-0.7, 0.0, 0.4])
def test_a_leaf_ties_the_candidate_that_lost_to_the_same_rival(gamma):
    """The two are not alike: one of them has many other comparisons. Their scores are equal all the same."""
    rng = np.random.default_rng(3)
    pairs = [pair for pair in combinations(range(12), 2) if rng.random() < 0.6]
    others = [(*pair, rng.choice([0.0, 0.5, 1.0])) for pair in pairs]
    rival, leaf = 12, 13

    scores = poe_bradley_terry(compared(14, *others, (rival, 0, 1.0), (rival, leaf, 1.0)), gamma=gamma)

    assert scores.values[leaf] == pytest.approx(scores.values[0], abs=1e-12, rel=0)


def test_scores_stay_exact_where_answers_barely_hold_a_context_together():
    """Expected: Newton steps with 80 digits. In double precision alone the scores are wrong by 7e-10."""
    answers = [(2, 11, 0), (2, 8, 0), (2, 1, 1), (4, 7, 0), (0, 7, 1), (0, 11, 1), (0, 13, 1), (5, 8, 1), (5, 13, 1)]
    answers += [(6, 12, 1), (12, 8, 1), (7, 2, 1), (7, 6, 1), (11, 2, 0.5), (10, 2, 1), (13, 4, 1), (13, 1, 1)]
    answers += [(1, 8, 0), (14, 3, 1), (14, 9, 1), (14, 11, 0)]

    scores = poe_bradley_terry(compared(15, *answers))

    expected = [47.52860496949466, -26.72946417931875, -14.01256391002826, -40.54497073723018, 2.922104908612938]
    expected += [29.16682768810907, 22.60564204060045, 34.81170969316057, -1.806493264519784, -40.54497073723018]
    expected += [-0.1970543520932368, -12.91395162136015, 10.39957438804033, 16.04446629305768, -26.72946117929516]
    assert scores.values == pytest.approx(expected, abs=1e-11, rel=0)


@pytest.mark.realdata
@pytest.mark.parametrize("debias", [False, True])
def test_recorded_hub_ties_its_equal_candidates(shared_data, debias):
    recorded = json.loads((shared_data / "cases" / "hub_ties.json").read_text())["comparisons"]
    comparisons = compared(31, *((first, second, P_FIRST[choice]) for first, second, choice in recorded))

    values = score("poe-bt", comparisons, Debiasing.of_run(comparisons) if debias else None).values

    assert_tied(values, [20, 21, 24, 30])
