"""Histograms of human scores."""

import numpy as np
import pytest

from rankings.dataset_figures.human_judgments import HEIGHT, MOST_BARS, WIDTH, histogram_of


def counts_of(histogram):
    return {bar.label: bar.count for bar in histogram.bars}


def test_few_values_have_a_bar_each():
    scores = np.array([1, 4 / 3, (1 + 1 + 2) / 3, 5, np.nan])

    histogram = histogram_of(scores)

    assert counts_of(histogram) == {"1": 1, "1.333": 2, "5": 1}


def test_many_values_are_counted_in_ranges_of_equal_width_at_round_numbers():
    scores = np.arange(101)

    histogram = histogram_of(scores)

    assert counts_of(histogram)["0 to below 5"] == 5
    assert counts_of(histogram)["95 to 100"] == 6
    assert len(histogram.bars) == MOST_BARS
    assert sum(counts_of(histogram).values()) == 101


@pytest.mark.parametrize("scores", [np.linspace(-3.3, 7.7, 500), np.linspace(0.001, 0.0017, 22), np.arange(30) / 10])
def test_ranges_hold_every_score_once(scores):
    histogram = histogram_of(scores)

    assert sum(bar.count for bar in histogram.bars) == len(scores)
    assert 4 <= len(histogram.bars) <= MOST_BARS


def test_height_of_a_bar_is_proportional_to_its_count():
    low, high = histogram_of(np.array([1, 2, 2, 2, 2])).bars

    assert (low.height, high.height) == (HEIGHT / 4, HEIGHT)
    assert (low.y + low.height, high.y + high.height) == (HEIGHT, HEIGHT)


def test_axis_shows_the_whole_declared_scale():
    scores = np.array([2.0, 3.0])

    histogram = histogram_of(scores, minimum=1, maximum=5)

    assert (histogram.start, histogram.end) == ("1", "5")
    assert [bar.x + bar.width / 2 for bar in histogram.bars] == pytest.approx([0.3 * WIDTH, 0.5 * WIDTH])


def test_scores_outside_the_declared_scale_are_drawn():
    histogram = histogram_of(np.array([0.0, 7.0]), minimum=1, maximum=5)

    assert (histogram.start, histogram.end) == ("0", "7")
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH for bar in histogram.bars)


def test_equal_scores_are_one_bar():
    assert counts_of(histogram_of(np.array([3.0, 3.0]))) == {"3": 2}


def test_no_score_has_no_histogram():
    assert histogram_of(np.array([np.nan])) is None
