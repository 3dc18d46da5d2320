import numpy as np
import pytest

from evenhand.numerics.selection.pairs_sort import merged_orders
from tests.evenhand.numerics.curves.plain_pairs_sort import pairs_sort

CONTEXTS, PROBLEMS = 3, 20


def recorded(size, *, decimals=9):
    """Answers of some contexts, the context of each problem, and its starting order."""
    rng = np.random.default_rng(size)
    answers = rng.uniform(size=(CONTEXTS, size, size)).round(decimals)
    rows = rng.integers(0, CONTEXTS, PROBLEMS)
    return answers, rows, rng.permuted(np.tile(np.arange(size), (PROBLEMS, 1)), axis=1)


@pytest.mark.parametrize("beam", [1, 2, 5])
@pytest.mark.parametrize(("size", "decimals"), [(2, 9), (5, 1), (9, 9), (9, 0)])
def test_many_orders_are_sorted_as_one_by_one(size, decimals, beam):
    answers, rows, starts = recorded(size, decimals=decimals)

    found = merged_orders(answers, rows, starts, beam=beam)

    alone = [
        pairs_sort(start, lambda i, j, row=row: answers[row, i, j], beam=beam)
        for row, start in zip(rows, starts.tolist(), strict=True)
    ]
    assert found.orders.tolist() == [each.order.tolist() for each in alone]
    assert found.comparisons.tolist() == [each.comparisons for each in alone]


@pytest.mark.parametrize("beam", [1, 4])
def test_orders_that_come_to_a_pair_without_an_answer_say_so(beam):
    """Only problems that ask for the pair, in that order, are touched."""
    answers, rows, starts = recorded(4)
    answers[0, 0, 1] = np.nan

    def asks_for_it(row, start):
        asked = []
        pairs_sort(
            start, lambda i, j: asked.append((i, j)) or float(np.nan_to_num(answers[row, i, j], nan=0.5)), beam=beam
        )
        return row == 0 and (0, 1) in asked

    found = merged_orders(answers, rows, starts, beam=beam)

    assert found.unanswered.tolist() == [
        asks_for_it(row, start) for row, start in zip(rows, starts.tolist(), strict=True)
    ]
    assert 0 < found.unanswered.sum() < (rows == 0).sum()
