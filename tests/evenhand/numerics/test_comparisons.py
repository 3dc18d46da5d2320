import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons

TWO_CONTEXTS = {"n_candidates": 5, "first": [0, 3], "second": [1, 4], "p_first": [0.9, 0.2], "starts": [0, 2]}


def test_comparisons_without_starts_are_of_few_contexts():
    comparisons = Comparisons(3, [0, 1], [1, 2], [0.5, 1.0])

    assert comparisons.n_contexts == 1
    assert comparisons.contexts.tolist() == [0, 0]


def test_comparisons_know_the_context_of_candidates_and_of_pairs_also_after_a_selection():
    comparisons = Comparisons(**TWO_CONTEXTS)

    assert comparisons.candidate_contexts.tolist() == [0, 0, 1, 1, 1]
    assert comparisons.contexts.tolist() == [0, 1]
    assert comparisons.compared.tolist() == [True, True, False, True, True]

    part = comparisons.select(np.array([1]))

    assert part.contexts.tolist() == [1]
    with pytest.raises(ValueError, match="read-only"):
        part.contexts[0] = 0


def test_comparisons_of_some_contexts_keep_all_numbers():
    part = Comparisons(**TWO_CONTEXTS).of_contexts(np.array([False, True]))

    assert (part.n_candidates, part.n_contexts) == (5, 2)
    assert (part.first.tolist(), part.second.tolist(), part.p_first.tolist()) == ([3], [4], [0.2])


def test_comparisons_number_a_pair_alike_in_both_orders():
    comparisons = Comparisons(4, [2, 0, 1], [3, 1, 0], [0.5, 0.5, 0.5])

    keys, pair = comparisons.unordered_pairs

    assert keys.tolist() == [0 * 4 + 1, 2 * 4 + 3]
    assert pair.tolist() == [1, 0, 0]
    assert comparisons.pair_keys.tolist() == keys[pair].tolist()


def test_comparisons_keep_their_own_copy():
    p_first = np.array([0.5])
    comparisons = Comparisons(2, [0], [1], p_first)

    p_first[0] = 0.9

    assert comparisons.p_first.tolist() == [0.5]
    with pytest.raises(ValueError, match="read-only"):
        comparisons.p_first[0] = 0.1


def test_comparisons_may_be_empty():
    comparisons = Comparisons(0, [], [], [], [])

    assert (len(comparisons), comparisons.n_contexts) == (0, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p_first": [0.9, np.nan]}, r"p_first\[1\] is nan; give a probability from 0 to 1"),
        ({"p_first": [1.5, 0.2]}, r"p_first\[0\] is 1.5"),
        ({"p_first": [0.9]}, "lengths 2, 2 and 1"),
        ({"p_first": 0.5}, "p_first has 0 dimensions"),
        ({"first": [0, 5]}, r"first\[1\] is 5; give a candidate from 0 to 4"),
        ({"second": [-1, 4]}, r"second\[0\] is -1"),
        ({"first": [0.0, 3.0]}, "first is of type float64; give integers"),
        ({"first": [[0, 3]]}, "first has 2 dimensions; give one"),
        ({"second": [0, 4]}, "comparison 0: candidate 0 is compared with itself"),
        ({"second": [2, 4]}, "candidate 0 is compared with a candidate of another context"),
        ({"starts": [1, 2]}, "starts must rise from 0"),
        ({"starts": [0, 9]}, "starts must rise from 0 to at most n_candidates = 5"),
        ({"starts": []}, "starts is empty although there are 5 candidates"),
        ({"n_candidates": -1}, "n_candidates is -1"),
    ],
)
def test_comparisons_refuse_what_is_none(changes, message):
    with pytest.raises(InvalidComparisons, match=message):
        Comparisons(**(TWO_CONTEXTS | changes))


def test_comparisons_with_other_answers_keep_what_rests_on_their_pairs():
    comparisons = Comparisons(**TWO_CONTEXTS)
    computed = []

    for some in (comparisons, comparisons.with_p_first([0.1, 0.2]), comparisons.with_p_first([0.3, 0.4])):
        some.of_pairs("pairs", lambda of=some: computed.append(of.first.tolist()))

    assert computed == [[0, 3]]


def test_comparisons_with_other_answers_need_one_for_each_pair():
    with pytest.raises(InvalidComparisons, match="lengths 2, 2 and 1; give equal lengths"):
        Comparisons(**TWO_CONTEXTS).with_p_first([0.5])


def test_comparisons_tell_whether_others_are_of_the_same_pairs():
    pairs = Comparisons(3, np.array([0, 1]), np.array([1, 2]), np.array([0.5, 1.0]))

    same = Comparisons(3, pairs.first, pairs.second, np.array([0.25, 0.0]))
    others = [
        Comparisons(3, pairs.second, pairs.first, pairs.p_first),
        Comparisons(3, pairs.first[::-1], pairs.second[::-1], pairs.p_first),
        Comparisons(3, pairs.first[:1], pairs.second[:1], pairs.p_first[:1]),
        Comparisons(4, pairs.first, pairs.second, pairs.p_first),
        Comparisons(4, pairs.first, pairs.second, pairs.p_first, np.array([0, 3])),
    ]

    assert pairs.same_pairs(same)
    assert not any(pairs.same_pairs(other) for other in others)
