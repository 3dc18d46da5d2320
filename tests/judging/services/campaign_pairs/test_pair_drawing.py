"""Drawing of the pairs of a campaign."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from judging.services.campaign_pairs.campaign_selection import CampaignSelection
from judging.services.campaign_pairs.pair_drawing import draw_from_all_pairs, draw_pairs

CONTEXTS = [list(range(0, 8)), list(range(8, 16)), list(range(16, 24))]


def draw(seed: int, *, doubts: dict[tuple[int, int], float] | None = None, **choice: object) -> list[tuple[int, int]]:
    pairs = draw_pairs(CONTEXTS, choice=CampaignSelection(**choice), seed=seed, doubts=doubts or {})
    return [(pair.one, pair.other) for pair in pairs]


def degrees(pairs: list[tuple[int, int]]) -> Counter:
    return Counter(candidate for pair in pairs for candidate in pair)


def reached(pairs: list[tuple[int, int]], start: int) -> set[int]:
    """Every candidate that pairs connect with `start`."""
    known = {start}
    while new := {b for pair in pairs for a, b in (pair, pair[::-1]) if a in known} - known:
        known |= new
    return known


@pytest.mark.parametrize("number", [1, 3, 7, 12, 27, 28, 50])
def test_draw_pairs_gives_each_context_as_many_different_pairs_as_asked_for(number):
    pairs = draw(1, pairs_per_context=number)

    assert Counter(one // 8 for one, _ in set(pairs)) == {0: min(number, 28), 1: min(number, 28), 2: min(number, 28)}
    assert all(one < other and one // 8 == other // 8 for one, other in pairs)


@pytest.mark.parametrize("number", [8, 13, 20, 27])
def test_draw_pairs_asks_about_all_candidates_about_equally_often(number):
    counts = degrees(draw(2, pairs_per_context=number))

    assert max(counts.values()) - min(counts.values()) <= 2


def test_draw_pairs_connects_all_candidates_of_a_context_as_soon_as_the_number_allows():
    pairs = draw(3, pairs_per_context=7)

    assert reached(pairs, 0) == set(CONTEXTS[0])


def test_draw_pairs_asks_about_every_context_before_it_comes_back_to_one():
    pairs = draw(4, pairs_per_context=4)

    rounds = [{one // 8 for one, _ in pairs[start : start + 3]} for start in range(0, 12, 3)]
    assert rounds == [{0, 1, 2}] * 4


def test_draw_pairs_is_the_same_for_the_same_seed_only():
    drawn = [draw(seed, pairs_per_context=9) for seed in (5, 5, 6)]

    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_draw_pairs_takes_the_pairs_that_judges_doubt_most():
    doubts = {(0, 1): 0.9, (0, 2): 0.2, (8, 9): 0.8, (9, 10): 0.7, (16, 17): 0.1}

    limited = draw(1, doubts=doubts, rule="unsure", pair_limit=3)
    of_each_context = draw(1, doubts=doubts, rule="unsure", pairs_per_context=1)

    assert set(limited) == {(0, 1), (8, 9), (9, 10)}
    assert set(of_each_context) == {(0, 1), (8, 9), (16, 17)}


def test_draw_pairs_finds_the_doubt_of_a_pair_whose_keys_are_not_in_the_order_of_the_dataset():
    pairs = draw_pairs([[5, 3]], choice=CampaignSelection("unsure", pair_limit=1), seed=0, doubts={(3, 5): 0.4})

    assert [(pair.one, pair.other) for pair in pairs] == [(5, 3)]


def test_draw_pairs_stays_below_the_limit_of_all_contexts():
    assert len(draw(2, rule="random", pairs_per_context=9, pair_limit=10)) == 10
    assert len(draw(2, rule="all", pair_limit=100)) == 84


@pytest.mark.parametrize("rule", ["d-optimal", "random", "unsure"])
def test_draw_pairs_marks_the_share_of_random_pairs_and_asks_none_twice(rule):
    doubts = dict.fromkeys(combinations(range(8), 2), 0.5)
    choice = CampaignSelection(rule, pairs_per_context=10, random_share=0.3)

    pairs = draw_pairs(CONTEXTS, choice=choice, seed=3, doubts=doubts)

    drawn = [(pair.one, pair.other) for pair in pairs]
    total = 10 if rule == "unsure" else 30
    assert len(set(drawn)) == len(drawn) == total
    assert sum(pair.is_held_out for pair in pairs) == round(0.3 * total)


def test_draw_pairs_keeps_pairs_of_the_rule_beside_the_random_ones():
    doubts = {(0, 1): 0.9, (0, 2): 0.8, (0, 3): 0.7, (0, 4): 0.6}
    choice = CampaignSelection("unsure", pair_limit=4, random_share=0.5)

    pairs = draw_pairs(CONTEXTS, choice=choice, seed=4, doubts=doubts)

    assert [(pair.one, pair.other) for pair in pairs if not pair.is_held_out] == [(0, 1), (0, 2)]


def test_draw_from_all_pairs_reaches_every_pair_equally_often():
    contexts = [[0, 1, 2], [3], [4, 5, 6, 7]]
    every_pair = {pair for context in contexts for pair in combinations(context, 2)}
    rng = np.random.default_rng(5)

    all_of_them = draw_from_all_pairs(contexts, 9, rng)
    counts = Counter(pair for _ in range(2_000) for pair in draw_from_all_pairs(contexts, 3, rng))

    assert set(all_of_them) == every_pair
    assert set(counts) == every_pair
    assert min(counts.values()) > 580  # 667 are expected, with a standard deviation of 21
    assert max(counts.values()) < 755
