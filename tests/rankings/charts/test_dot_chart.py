"""Charts with a dot for each run or rater, as plotly draws them."""

import pytest

from evenhand.numerics import Figure
from rankings.charts.dot_chart import Dot, dots_chart, fitting
from rankings.report.pages.dataset_page import accuracy_chart
from tests.rankings.charts.plotly import on_a_phone, valid
from tests.rankings.report.report_figures import make_row


def row(human: float | None = 0.74, accuracy: float | None = 0.7):
    return make_row(accuracy=Figure(accuracy, 0.65, 0.75, 1800), human=Figure(human))


def dot(name="ann", value=0.7, low=0.6, high=0.9, n=12):
    return Dot(name, name, Figure(value, low, high, n))


def drawn(*dots, people=None):
    return valid(dots_chart(dots, name="raters", title="Agreement with the majority of people", people=people))


def test_agreement_names_each_run_with_its_comparisons():
    chart = valid(accuracy_chart([row()]))

    assert chart["layout"]["yaxis"]["ticktext"] == ["flan, comparative-1, coherence (run 3), n = 1,800"]
    assert on_a_phone(chart)["layout"]["yaxis"]["ticktext"] == ["run 3"]


def test_agreement_has_the_line_of_people_only_where_it_is_one_line():
    one, two = accuracy_chart([row(), row()]), accuracy_chart([row(), row(human=0.8)])

    assert [shape["x0"] for shape in one["layout"]["shapes"]] == [0.74]
    assert one["layout"]["annotations"][0]["text"] == "people 74.0 %"
    assert "shapes" not in two["layout"]


def test_agreement_without_an_accuracy_is_not_drawn():
    assert accuracy_chart([row(accuracy=None)]) is None


def test_dots_have_their_intervals():
    [trace] = drawn(dot(), dot("bob", low=None, high=None))["data"]

    assert trace["x"] == [0.7, 0.7]
    assert trace["error_x"]["array"] == pytest.approx([0.2, 0])
    assert trace["error_x"]["arrayminus"] == pytest.approx([0.1, 0])


def test_dots_stand_below_each_other_in_their_order():
    layout = drawn(dot("ann"), dot("bob"))["layout"]

    assert layout["yaxis"]["ticktext"] == ["ann, n = 12", "bob, n = 12"]
    assert layout["yaxis"]["range"] == [1.5, -0.5]


def test_dots_reach_from_chance_to_the_highest_interval_and_not_past_one():
    assert drawn(dot(low=0.6, high=0.99), people=0.75)["layout"]["xaxis"]["range"] == [0.47, 1]


def test_long_names_are_shortened_in_their_middle():
    assert fitting(["abcdefghijkl", "short"], 9) == ["abcde…jkl", "short"]


def test_long_names_stay_whole_where_two_would_read_the_same():
    names = ["abcdefghijkl", "abcdeXXXXjkl"]

    assert fitting(names, 9) == names


def test_names_are_shown_as_text():
    assert fitting(["<i>tiny</i> &amp;"], 40) == ["&lt;i>tiny&lt;/i> &amp;amp;"]
