"""Rounds and held-out pairs of one context."""

from collections import Counter

import pytest

from judging.services.plans.adaptive_pairs import (
    ContextBudget,
    count_held_out_pairs,
    draw_held_out_pairs,
    next_adaptive_pairs,
)

SIXTEEN = ContextBudget(n_candidates=16, budget=48)
SEED = (0, 0)


def drawn_to_the_end(room, held_out, *, p_first=0.5):
    drawn = []
    while more := next_adaptive_pairs(
        room,
        held_out=held_out,
        drawn=drawn,
        p_first=dict.fromkeys(drawn, p_first),
        round_size=room.n_candidates,
        seed=SEED,
    ):
        drawn += more
    return drawn


@pytest.mark.parametrize(
    ("rooms", "share", "numbers"),
    [
        ([SIXTEEN] * 5, 0.1, [3, 2, 3, 2, 2]),  # 2.4 pairs each: 12 pairs, 24 of 240 comparisons
        ([ContextBudget(3, 4)] * 6, 0.1, [1, 0, 0, 0, 0, 1]),  # 0.2 each, 1.2 in all, rounded up
        ([SIXTEEN, SIXTEEN], 0.0, [0, 0]),
        (
            [ContextBudget(16, 15), ContextBudget(16, 16), ContextBudget(16, 17), SIXTEEN],
            0.5,
            [0, 0, 1, 12],
        ),  # 15 are left to connect the 16
    ],
)
def test_held_out_pairs_keep_the_share_over_all_contexts(rooms, share, numbers):
    assert list(count_held_out_pairs(rooms, share=share)) == numbers


def test_held_out_pairs_are_in_both_orders():
    pairs = draw_held_out_pairs(6, 4, seed=SEED)

    assert len(set(pairs)) == 8
    assert {(second, first) for first, second in pairs} == set(pairs)


def test_held_out_pairs_are_each_as_likely_as_any_other():
    times = Counter(pair for seed in range(600) for pair in draw_held_out_pairs(4, 2, seed=(seed, 0)))

    assert len(times) == 12
    assert all(150 < number < 250 for number in times.values())  # 200 expected, standard deviation 11.5


def test_rounds_spend_the_budget_without_repeating_pairs():
    held_out = draw_held_out_pairs(16, 3, seed=SEED)

    drawn = drawn_to_the_end(SIXTEEN, held_out)

    assert len(set(drawn)) == len(drawn) == 48 - 6
    assert not set(drawn) & set(held_out)


def test_round_depends_on_answers_except_held_out_ones():
    held_out = draw_held_out_pairs(6, 2, seed=SEED)
    first = next_adaptive_pairs(ContextBudget(6, 24), held_out=held_out, drawn=[], p_first={}, round_size=6, seed=SEED)
    answers = {pair: 0.9 if pair[0] < pair[1] else 0.2 for pair in first}

    def second(p_first):
        return next_adaptive_pairs(
            ContextBudget(6, 24), held_out=held_out, drawn=first, p_first=p_first, round_size=6, seed=SEED
        )

    assert second(answers | dict.fromkeys(held_out, 1.0)) == second(answers | dict.fromkeys(held_out, 0.0))
    assert second(answers) != second(dict.fromkeys(first, 0.5))
