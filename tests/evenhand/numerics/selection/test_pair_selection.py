import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import ImpossibleBudget, UnknownSelection
from evenhand.numerics.fitting.batches import connected_contexts
from evenhand.numerics.selection.d_optimal import design_sequence
from evenhand.numerics.selection.pair_selection import ALL_PAIRS, SELECTIONS, most_comparisons, select_pairs

BUDGETED = [name for name in SELECTIONS if name not in ALL_PAIRS]


def as_comparisons(pairs, n_candidates):
    return Comparisons(n_candidates, pairs.first, pairs.second, np.full(len(pairs), 0.5))


def greedy_by_inverses(n_candidates, length):
    """The published greedy design, inverting the whole matrix at each step; ties to the first in row-major order."""
    information = np.zeros((n_candidates, n_candidates))
    information[0, 0] = 1
    asked = np.zeros((n_candidates, n_candidates), dtype=int)
    for step in range(length):
        if step < n_candidates - 1:
            i, j = step, step + 1
        else:
            inverse = np.linalg.inv(information)
            gain = np.diag(inverse)[:, None] + np.diag(inverse) - 2 * inverse
            gain[np.tril_indices(n_candidates)] = -1
            gain[asked == 2] = -1
            i, j = divmod(int(np.argmax(gain >= gain.max() * (1 - 1e-9))), n_candidates)
        asked[i, j] += 1
        information[[i, j], [i, j]] += 1
        information[[i, j], [j, i]] -= 1
        yield i, j


def test_full_is_every_ordered_pair():
    pairs = select_pairs("full", 3, None, np.random.default_rng(0))

    asked = list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    assert asked == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_as_given_is_every_pair_once_in_the_order_of_the_candidates():
    pairs = select_pairs("as-given", 3, None, np.random.default_rng(0))

    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert most_comparisons("as-given", 3) == 3


def test_as_given_refuses_a_budget():
    with pytest.raises(ImpossibleBudget, match='selection "as-given" makes 3 comparisons of 3 candidates, not 2'):
        select_pairs("as-given", 3, 2, np.random.default_rng(0))


@pytest.mark.parametrize("selection", BUDGETED)
@given(n_candidates=st.integers(2, 9), share=st.floats(0, 1), seed=st.integers(0, 100))
def test_selections_give_distinct_ordered_pairs_that_connect_where_they_can(selection, n_candidates, share, seed):
    budget = 1 + round(share * (most_comparisons(selection, n_candidates) - 1))
    if selection == "symmetric":
        budget += budget % 2

    pairs = select_pairs(selection, n_candidates, budget, np.random.default_rng(seed))

    assert len(set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))) == len(pairs) == budget
    needed = (n_candidates - 1) * (2 if selection == "symmetric" else 1)
    comparisons = as_comparisons(pairs, n_candidates)
    if budget >= needed:
        assert comparisons.compared.all()
        assert connected_contexts(comparisons).all()


@pytest.mark.parametrize("selection", BUDGETED)
def test_selections_are_the_same_for_the_same_generator(selection):
    once = select_pairs(selection, 8, 20, np.random.default_rng(5))
    again = select_pairs(selection, 8, 20, np.random.default_rng(5))
    other = select_pairs(selection, 8, 20, np.random.default_rng(6))

    assert (once.first.tolist(), once.second.tolist()) == (again.first.tolist(), again.second.tolist())
    assert (once.first.tolist(), once.second.tolist()) != (other.first.tolist(), other.second.tolist())


def test_symmetric_asks_both_orders_one_after_the_other():
    pairs = select_pairs("symmetric", 6, 10, np.random.default_rng(0))

    assert pairs.first[::2].tolist() == pairs.second[1::2].tolist()
    assert pairs.second[::2].tolist() == pairs.first[1::2].tolist()


def test_no_repeat_asks_no_pair_twice():
    pairs = select_pairs("no-repeat", 6, 15, np.random.default_rng(0))

    assert len(np.unique(as_comparisons(pairs, 6).pair_keys)) == 15


@pytest.mark.parametrize("selection", ["random", "no-repeat", "d-optimal"])
def test_selections_favour_no_candidate_and_no_side(selection):
    rng = np.random.default_rng(1)
    drawn = [select_pairs(selection, 5, 6, rng) for _ in range(2000)]
    asked = np.zeros((5, 5))
    for pairs in drawn:
        asked[pairs.first, pairs.second] += 1

    expected = 2000 * 6 / 20
    assert np.abs(asked[~np.eye(5, dtype=bool)] - expected).max() < 5 * np.sqrt(expected)


@pytest.mark.parametrize("n_candidates", [2, 5, 9])
def test_design_sequence_is_that_of_the_published_greedy_search(n_candidates):
    length = n_candidates * (n_candidates - 1)

    design = design_sequence(n_candidates, length)

    assert [tuple(pair) for pair in design.tolist()] == list(greedy_by_inverses(n_candidates, length))


def test_design_sequences_are_prefixes_of_each_other():
    short, long = design_sequence(20, 33), design_sequence(20, 199)

    assert short.tolist() == long[:33].tolist()


def test_design_carries_more_information_than_random_pairs():
    def information(pairs):
        laplacian = np.zeros((30, 30))
        np.add.at(laplacian, (pairs.first, pairs.first), 1)
        np.add.at(laplacian, (pairs.second, pairs.second), 1)
        np.subtract.at(laplacian, (pairs.first, pairs.second), 1)
        np.subtract.at(laplacian, (pairs.second, pairs.first), 1)
        return np.linalg.slogdet(laplacian + 1).logabsdet

    rng = np.random.default_rng(0)
    random = [information(select_pairs("no-repeat", 30, 90, rng)) for _ in range(20)]

    assert information(select_pairs("d-optimal", 30, 90, rng)) > max(random) + 1


def test_select_refuses_a_selection_that_does_not_exist():
    with pytest.raises(UnknownSelection, match='no selection is called "best"; there are full, as-given, random'):
        select_pairs("best", 4, 3, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("selection", "budget", "message"),
    [
        ("random", 13, '13 comparisons of 4 candidates cannot be chosen by "random"; give 1 to 12'),
        ("random", 0, "give 1 to 12"),
        ("no-repeat", 7, "give 1 to 6"),
        ("symmetric", 5, "5 comparisons are not even"),
        ("random", None, 'selection "random" needs a number of comparisons per context'),
        ("full", 5, 'selection "full" makes 12 comparisons of 4 candidates, not 5'),
    ],
)
def test_select_refuses_impossible_budgets(selection, budget, message):
    with pytest.raises(ImpossibleBudget, match=message):
        select_pairs(selection, 4, budget, np.random.default_rng(0))
