import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.draws import draw_orders
from evenhand.numerics.fitting.batches import batches
from evenhand.numerics.selection.adaptive_selection import select_next_pairs
from evenhand.numerics.selection.pair_selection import OrderedPairs
from tests.evenhand.numerics.simulation import ranking_curve, run_with_people, simulated_run


def one_batch(comparisons):
    [batch] = batches(comparisons, np.ones(comparisons.n_contexts, dtype=bool))
    return batch


def unordered(first, second):
    return [tuple(sorted(pair)) for pair in zip(first.tolist(), second.tolist(), strict=True)]


@pytest.mark.parametrize("share", [1.0, 0.7])
def test_replay_asks_what_an_adaptive_run_would_ask(share):
    """Round by round; what has no answer counts as asked, so that it is not asked."""
    rng = np.random.default_rng(2)
    size = 6
    comparisons, _ = simulated_run(rng, n_candidates=size, n_contexts=1)
    comparisons = comparisons.select(rng.random(len(comparisons)) < share)
    left_out = OrderedPairs(*np.nonzero(~np.eye(size, dtype=bool)))
    answered = set(zip(comparisons.first, comparisons.second, strict=True))
    missing = [pair not in answered for pair in zip(left_out.first, left_out.second, strict=True)]

    steps = draw_orders("bt-optimal", one_batch(comparisons), comparisons.p_first, 2, rng).steps

    for order in steps[0]:
        for done in range(size - 1, len(order), size):
            so_far, now = order[:done], order[done : done + size]
            asked = OrderedPairs(
                np.r_[comparisons.first[so_far], left_out.first[missing]],
                np.r_[comparisons.second[so_far], left_out.second[missing]],
            )
            chosen = select_next_pairs(asked, comparisons.select(so_far), len(now), rng)
            assert unordered(comparisons.first[now], comparisons.second[now]) == unordered(chosen.first, chosen.second)


def test_replay_asks_everything_once_and_connects_first():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_candidates=5, n_contexts=4)
    short = comparisons.select(np.arange(len(comparisons)) % 20 != 3)
    batch = one_batch(short)

    drawn = draw_orders("bt-optimal", batch, short.p_first, 3, np.random.default_rng(1))

    assert drawn.covering.tolist() == [4, 4, 4, 4]
    for context, order in np.ndindex(4, 3):
        steps = drawn.steps[context, order]
        assert sorted(steps[steps >= 0]) == np.flatnonzero(batch.rows == context).tolist()
        assert (np.diff((steps >= 0).astype(int)) <= 0).all()


def test_replay_leaves_unconnected_contexts_at_random():
    comparisons = Comparisons(4, [0, 1, 2, 3], [1, 0, 3, 2], [0.7, 0.2, 0.6, 0.5])

    drawn = draw_orders("bt-optimal", one_batch(comparisons), comparisons.p_first, 2, np.random.default_rng(0))

    assert [sorted(order) for order in drawn.steps[0].tolist()] == [[0, 1, 2, 3]] * 2


def test_curve_of_an_adaptive_selection_says_where_there_are_too_many_candidates(monkeypatch):
    comparisons, people = run_with_people()
    monkeypatch.setattr("evenhand.numerics.curves.draws.LARGEST_REPLAYED", 5)

    [point] = ranking_curve("poe-bt", comparisons, people, selection="bt-optimal")

    assert point.undefined == "bt-optimal is replayed for at most 5 candidates of a context; one has 6"
