"""Intervals drawn in cells: positions on the scale of columns."""

import pytest

from evenhand.numerics import Figure
from rankings.tables.figure_cells import IntervalPlot, scale_of

LOW, HIGH = Figure(0.3, 0.2, 0.4), Figure(0.6, 0.5, 0.7)


def test_scale_reaches_from_the_lowest_to_the_highest_end():
    scale = scale_of([LOW, HIGH, Figure(0.99), Figure.missing("no votes"), None])

    assert scale.plot(LOW) == IntervalPlot(dot=21.8, low=3.0, high=40.6, reference=None)
    assert scale.plot(HIGH).high == 97.0


@pytest.mark.parametrize(("reference", "drawn"), [(0.45, 50.0), (0.1, None)])
def test_reference_is_drawn_only_between_the_ends(reference, drawn):
    assert scale_of([LOW, HIGH]).plot(LOW, reference).reference == drawn


def test_figures_without_an_interval_have_no_plot():
    assert scale_of([LOW]).plot(Figure(0.3)) is None
    assert scale_of([Figure(0.3)]) is None


def test_interval_of_one_point_stands_in_the_middle():
    assert scale_of([Figure(1.0, 1.0, 1.0)]).plot(Figure(1.0, 1.0, 1.0)).dot == 50.0
