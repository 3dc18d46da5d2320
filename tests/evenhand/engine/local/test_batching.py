import pytest

from evenhand.engine.local.batching import OutOfMemory, TokenBudget, pack, run_packed


def test_pack_puts_like_lengths_together_the_longest_first_within_the_budget():
    assert pack([10, 50, 12, 49], range(4), budget=100) == [(1, 3), (2, 0)]
    assert pack([50, 10, 10], range(3), budget=100) == [(0, 1), (2,)]
    assert pack([500, 10], range(2), budget=100) == [(0,), (1,)]
    assert pack([10, 12, 10], range(3), budget=100, one_length=True) == [(1,), (0, 2)]


def test_run_packed_returns_results_in_the_order_asked():
    lengths = [3, 9, 1, 5]

    results = run_packed(lengths, lambda batch: [lengths[index] for index in batch], budget=TokenBudget(10))

    assert results == lengths


def test_run_packed_halves_the_budget_until_a_batch_fits():
    tried = []

    def fits_two(batch):
        tried.append(batch)
        if len(batch) > 2:
            raise OutOfMemory
        return batch

    budget = TokenBudget(80)
    assert run_packed([10] * 8, fits_two, budget=budget) == list(range(8))
    assert [len(batch) for batch in tried] == [8, 4, 2, 2, 2, 2]
    assert budget.tokens == 20


def test_run_packed_gives_up_on_a_prompt_that_does_not_fit_alone_and_goes_on():
    def fits_short(batch):
        if 0 in batch:
            raise OutOfMemory
        return batch

    assert run_packed([50, 10, 10], fits_short, budget=TokenBudget(150)) == [None, 1, 2]


def test_run_packed_lets_other_errors_through():
    def fails(batch):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_packed([1], fails, budget=TokenBudget(10))
