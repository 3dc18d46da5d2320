import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.engine.local.batching import OutOfMemory, TokenBudget
from evenhand.engine.local.tree.prefix_tree import (
    Node,
    Sight,
    known_beginning,
    known_beginnings,
    like_lengths,
    next_pack,
    prefix_tree,
    walk,
)

ROWS = [(1, 2, 3, 4, 5), (1, 2, 3, 6), (1, 2, 7, 8), (9,)]


def tree_of(*rows, shortest=1):
    return prefix_tree(rows, shortest=shortest)


def tokens_on_the_way(tree, row):
    """The tokens of a row, read from its nodes."""
    path = tree.path(tree.last[row])
    return tuple(token for number in path for token in tree.nodes[number].ids)


def test_prefix_tree_holds_what_rows_share_once_and_finds_the_node_of_a_position():
    tree = tree_of(*ROWS)

    assert tree.nodes == (
        Node((1, 2), 0, None, 5),
        Node((3,), 2, 0, 4),
        Node((4, 5), 3, 1, 3),
        Node((6,), 3, 1, 4),
        Node((7, 8), 2, 0, 5),
        Node((9,), 0, None, 6),
    )
    assert tree.last == (2, 3, 4, 5)
    assert [tree.node_at(0, position) for position in range(5)] == [0, 0, 1, 2, 2]


def test_prefix_tree_has_each_row_once_leaves_short_beginnings_to_rows_and_lets_one_end_where_another_goes_on():
    assert [node.ids for node in tree_of(*ROWS, shortest=3).nodes] == [(1, 2, 3), (4, 5), (6,), (1, 2, 7, 8), (9,)]

    tree = tree_of((1, 2), (1, 2))

    assert (tree.nodes, tree.last) == ((Node((1, 2), 0, None, 1),), (0, 0))

    tree = tree_of((1, 2), (1, 2, 3))

    assert [node.ids for node in tree.nodes] == [(1, 2), (3,)]
    assert tree.last == (0, 1)
    assert len(prefix_tree([(0,) * n for n in range(1, 1500)], shortest=1).nodes) == 1499


def test_prefix_tree_refuses_an_empty_row():
    with pytest.raises(ValueError, match="a row is empty"):
        tree_of(())


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=9).map(tuple), max_size=12), st.integers(1, 4))
def test_prefix_tree_gives_every_row_back(rows, shortest):
    tree = prefix_tree(rows, shortest=shortest)

    assert [tokens_on_the_way(tree, row) for row in range(len(rows))] == rows
    assert all(node.ids for node in tree.nodes)


def test_prefix_tree_leaves_out_what_is_known():
    tree = prefix_tree([(1, 2, 3, 4), (1, 2, 5), (6,)], known=[(1, 2, 3)], shortest=1)

    assert [node.ids for node in tree.nodes] == [(1, 2), (3,), (4,), (5,), (6,)]
    assert tree.known == {0, 1}
    assert tree.tokens == 3

    tree = prefix_tree([(1, 2, 3, 4), (1, 2, 5, 6), (1, 2, 7)], known=[(1, 2, 3), (1, 2, 5)], shortest=1)

    assert [node.ids for node in tree.nodes] == [(1, 2), (3,), (4,), (5,), (6,), (7,)]
    assert tree.known == {0, 1, 3}


def test_known_beginnings_are_those_of_each_row_alone():
    rows = [((1, 2, 3, 4, 9), 4), ((1, 2, 5, 6), 2), ((1, 2, 5, 7), 3), ((8, 9), 1), ((1, 3), 1)]
    earlier = [(1, 2, 3, 4, 5), (1, 2, 5, 7, 7), (1, 3, 4), (7, 7), (8, 8)]

    assert known_beginnings(earlier, rows) == [known_beginning(ids, rows) for ids in earlier]
    assert known_beginnings(earlier, rows) == [(1, 2, 3, 4), (1, 2), (1,), (), (8,)]


def test_known_beginning_is_the_longest_that_some_row_shares_before_it_predicts_a_label():
    assert known_beginning((1, 2, 3, 4), [((1, 2, 9), 2), ((1, 2, 3, 9), 3), ((7, 8), 1)]) == (1, 2, 3)
    assert known_beginning((1, 2, 3, 4, 5, 6), [((1, 2, 3, 4, 5), 4), ((1, 2, 3), 2)]) == (1, 2)
    assert known_beginning((1, 2), [((3,), 0)]) == ()


def test_next_pack_takes_nodes_while_they_fit_and_at_least_one_and_says_who_sees_which_above():
    tree = tree_of(*ROWS)
    pack = next_pack(tree, 0, budget=5)

    assert (pack.begin, pack.end, pack.tokens, pack.lengths) == (0, 3, 5, (2, 1, 2))
    assert next_pack(tree_of((1, 2, 3)), 0, budget=1).tokens == 3

    first, second = next_pack(tree, 0, budget=3), next_pack(tree, 2, budget=5)

    assert first.sights == (Sight(seen=0, low=2, high=3),)
    assert second.sights == (Sight(seen=0, low=0, high=5), Sight(seen=1, low=0, high=3))


@pytest.mark.parametrize("budget", [1, 100])
def test_packs_hold_no_tokens_of_known_nodes(budget):
    tree = prefix_tree([(1, 2, 3, 4), (1, 2, 5), (6,)], known=[(1, 2, 3)], shortest=1)
    ran = []

    walk(
        tree,
        lambda pack: ran.extend(zip(range(pack.begin, pack.end), pack.lengths, strict=True)),
        budget=TokenBudget(budget),
    )

    assert sorted(ran) == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1)]


@pytest.mark.parametrize("budget", [1, 3, 4, 100])
def test_packs_let_every_token_see_its_own_beginning_and_nothing_else(budget):
    tree = tree_of(*ROWS)
    sees = {node: set() for node in range(len(tree.nodes))}

    def work(pack):
        places = {pack.slice_of(node).start: node for node in range(pack.begin, pack.end)}
        for sight, (place, node) in itertools.product(pack.sights, places.items()):
            if sight.low <= place < sight.high:
                sees[node].add(sight.seen)

    walk(tree, work, budget=TokenBudget(budget))

    assert sees == {node: set(tree.path(node)[:-1]) for node in sees}


def test_walk_halves_the_budget_until_a_pack_fits():
    tree, ran, budget = tree_of(*ROWS), [], TokenBudget(100)

    def work(pack):
        if pack.tokens > 4:
            raise OutOfMemory
        ran.append((pack.begin, pack.end))

    lost = walk(tree, work, budget=budget)

    assert (lost, ran, budget.tokens) == (frozenset(), [(0, 2), (2, 4), (4, 6)], 4)


def test_walk_gives_up_on_a_node_that_does_not_fit_alone_and_on_those_below():
    tree, ran = tree_of(*ROWS), []

    def work(pack):
        if pack.begin <= 1 < pack.end:
            raise OutOfMemory
        ran.append((pack.begin, pack.end))

    assert walk(tree, work, budget=TokenBudget(100)) == {1, 2, 3}
    assert ran == [(0, 1), (4, 5), (5, 6)]


def test_like_lengths_keeps_padding_below_a_quarter():
    assert like_lengths([100, 4, 126, 12, 0, 101, 13]) == [(1, 3), (6,), (0, 5), (2,)]
