"""The chart of position bias, as plotly draws it."""

import pytest

from evenhand.numerics import Figure
from rankings.charts.palette import PEOPLE
from rankings.studies.charts.kinds.bias import BiasOfRun, bias_chart, bias_range, most_biased_sentence
from tests.rankings.charts.plotly import valid

BIASED = BiasOfRun("GPT", Figure(0.7, 0.65, 0.75, 100), Figure(0.51, 0.46, 0.55, 100))
HARD = BiasOfRun("Llama", Figure(0.4, 0.35, 0.52, 100), Figure.missing("no threshold"))


def chart(*biases, people=None):
    x_range = bias_range(biases, [people] if people else [])
    return valid(
        bias_chart(biases, [one.label for one in biases], name="bias", title="", x_range=x_range, people=people)
    )


def test_each_run_has_two_dots_with_intervals_and_a_line():
    line, raw, debiased = chart(BIASED)["data"]

    assert line["x"] == [0.7, 0.51]
    assert (raw["x"], debiased["x"]) == ([0.7], [0.51])
    assert raw["error_x"]["array"] == [pytest.approx(0.05)]
    assert (raw["marker"]["symbol"], debiased["marker"]["symbol"]) == ("circle", "circle-open")


def test_run_without_a_debiased_figure_has_one_dot_and_no_line():
    lines = [trace for trace in chart(BIASED, HARD)["data"] if trace["mode"] == "lines"]
    [raw, debiased] = [trace for trace in chart(BIASED, HARD)["data"] if trace["mode"] == "markers"]

    assert (len(lines), len(raw["x"]), len(debiased["x"])) == (1, 2, 1)


def test_people_are_a_line_in_their_colour():
    shapes = chart(BIASED, people=Figure(0.53))["layout"]["shapes"]

    assert [(shape["x0"], shape["line"]["color"]) for shape in shapes][1] == (0.53, PEOPLE)


def test_axis_covers_every_interval_and_one_half():
    low, high = bias_range([BIASED], [])

    assert (low, high) == pytest.approx((0.43, 0.78))


def test_sentence_counts_the_intervals_that_leave_out_one_half():
    assert most_biased_sentence([HARD, BIASED]) == (
        "GPT is furthest from 50\u202f%: P(first) 70.0\u202f% → 51.0\u202f% debiased. "
        "In 1 of 2 runs the 95\u202f% interval excludes 50\u202f%."
    )
