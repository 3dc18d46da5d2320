"""Sides of an added sentence are random, the same in both orders, and each candidate gets it equally often."""

from itertools import combinations

import numpy as np
import pytest

from evenhand.numerics.selection.sentence_sides import draw_sentence_sides


def holders(systems, *, seed=0):
    """Return for each context: pair of positions -> the position that gets the sentence."""
    sides, start, drawn = draw_sentence_sides(systems, seed=seed), 0, []
    for size in map(len, systems):
        pairs = np.array(list(combinations(range(start, start + size), 2)), dtype=int).reshape(-1, 2)
        is_first = sides.first_gets_it(pairs[:, 0], pairs[:, 1])
        assert (is_first == ~sides.first_gets_it(pairs[:, 1], pairs[:, 0])).all()
        chosen = np.where(is_first, pairs[:, 0], pairs[:, 1]) - start
        drawn.append({tuple(pair): one for pair, one in zip((pairs - start).tolist(), chosen.tolist(), strict=True)})
        start += size
    return drawn


@pytest.mark.parametrize("size", [2, 3, 4, 7, 16])
def test_each_candidate_and_each_couple_of_systems_get_it_equally_often(size):
    names = [f"M{number}" for number in range(size)]
    turned = names[::-1]
    drawn = holders([names, turned] * 5)

    for one, other in combinations(range(size), 2):
        got_it = [of_context[one, other] == one for of_context in drawn[::2]]
        got_it += [of_context[size - 1 - other, size - 1 - one] == size - 1 - one for of_context in drawn[1::2]]
        assert sum(got_it) == 5
    for of_context in drawn:
        numbers = np.bincount(list(of_context.values()), minlength=size)
        assert numbers.max() - numbers.min() <= 1


def test_sides_depend_on_the_seed_alone_and_differ_between_seeds():
    assert holders([["a", "b", "c", "d"]] * 20) == holders([["a", "b", "c", "d"]] * 20)
    assert holders([["a", "b", "c", "d"]] * 20) != holders([["a", "b", "c", "d"]] * 20, seed=1)


def test_candidates_without_systems_get_it_equally_often_by_position():
    assert sum(of_context[0, 1] == 0 for of_context in holders([["", ""]] * 10)) == 5


def test_contexts_without_candidates_do_not_matter():
    sides = draw_sentence_sides([[], ["a", "b"], ["c"], ["a", "b"], []], seed=3)

    assert sides.sizes.tolist() == [2, 2, 1, 2, 2]
    assert sides.places.tolist() == draw_sentence_sides([["a", "b"], ["c"], ["a", "b"]], seed=3).places.tolist()
