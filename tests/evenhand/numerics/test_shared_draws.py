import numpy as np
import pytest

from evenhand.numerics import resampling
from evenhand.numerics.intervals import statistic_of_sums
from evenhand.numerics.shared_draws import figure_threads, percentiles, row_percentiles, shared_draws, with_drawn_sums

CONTEXTS = 700  # more than are cached between calls
RNG = np.random.default_rng(3)
WINS = RNG.random((CONTEXTS, 3))
SIZES = np.stack([np.ones(CONTEXTS), np.ones(CONTEXTS), RNG.integers(0, 3, CONTEXTS).astype(float)], axis=1)


def ratio(number):
    parts = np.stack([WINS[:, number], SIZES[:, number]], axis=1)
    return statistic_of_sums(lambda total: total[:, 0] / total[:, 1], parts, n=CONTEXTS, if_undefined="")


def every_figure():
    return [
        *(ratio(number) for number in range(3)),
        statistic_of_sums(lambda total: total[:, 0] - total[:, 1], WINS, n=CONTEXTS, if_undefined=""),
    ]


def test_figures_of_one_block_are_those_computed_alone():
    alone = every_figure()

    with shared_draws():
        together = every_figure()

    for one, other in zip(alone, together, strict=True):
        assert (other.value, other.n) == (one.value, one.n)
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)


@pytest.mark.parametrize(("most_bytes", "times"), [(4 * 8 * (CONTEXTS + 1_000), 1), (1, 2)])
def test_figures_of_one_block_share_one_drawing_unless_it_takes_too_much_memory(monkeypatch, most_bytes, times):
    monkeypatch.setattr("evenhand.numerics.shared_draws._MOST_BYTES", most_bytes)
    drawings, draw = [], resampling.resamples
    monkeypatch.setattr("evenhand.numerics.resampling.resamples", lambda n: drawings.append(n) or draw(n))

    with shared_draws():
        one = ratio(0)
        other = ratio(1)

    assert None not in (one.low, other.high)
    assert drawings == [CONTEXTS] * times


@pytest.mark.parametrize("contexts", [3, CONTEXTS, 140_000])
def test_sums_are_those_of_the_drawn_contexts(contexts):
    column = np.random.default_rng(5).normal(size=contexts)
    sums = []

    with_drawn_sums(column[:, None], sums.append)

    expected = np.concatenate([column[drawn].sum(axis=1) for drawn in resampling.resamples(contexts)])
    np.testing.assert_allclose(sums[0][:, 0], expected, atol=1e-9)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_figures_of_several_threads_are_those_of_one(threads):
    alone = every_figure()

    with figure_threads(threads) as start:
        first = start(every_figure)
        second = start(lambda: [first(), every_figure()])
        third = start(every_figure)

    assert second()[0] is first()
    for figures in (first(), second()[1], third()):
        for one, other in zip(alone, figures, strict=True):
            assert (other.value, other.n) == (one.value, one.n)
            assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)


def test_intervals_do_not_depend_on_the_number_of_threads():
    intervals = []
    for threads in (1, 2):
        with shared_draws(), figure_threads(threads) as start:
            begun = [start(every_figure) for _ in range(4)]
        intervals.append([(figure.low, figure.high) for figures in begun for figure in figures()])

    assert intervals[0] == intervals[1]


def test_an_error_in_a_thread_reaches_the_waiting_function():
    with pytest.raises(ZeroDivisionError), figure_threads(2) as start:
        start(lambda: 1 / 0)()

    assert ratio(0).low is not None


def test_a_block_inside_another_leaves_the_intervals_to_the_outer_one():
    with shared_draws():
        with shared_draws():
            figure = ratio(0)
        assert figure.low is None

    assert figure.low < figure.value < figure.high


def test_a_block_that_fails_leaves_the_next_figures_alone():
    with pytest.raises(ZeroDivisionError), shared_draws():
        raise ZeroDivisionError

    assert ratio(0).low is not None


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_row_percentiles_are_the_quantiles_of_each_row(n):
    rows = np.random.default_rng(n).normal(size=(4, n))

    assert row_percentiles(rows) == [pytest.approx(percentiles(row), abs=1e-15) for row in rows]


def test_row_percentiles_leave_out_undefined_values():
    row = np.array([3.0, np.nan, 1.0, 2.0])

    assert row_percentiles(row[None]) == [percentiles(np.array([3.0, 1.0, 2.0]))]
