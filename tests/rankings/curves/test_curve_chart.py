"""Charts of ranking curves, as plotly draws them."""

from dataclasses import replace

import pytest

from rankings.charts.palette import PEOPLE
from rankings.curves.curve_chart import curve_chart
from rankings.curves.curve_records import Point
from tests.rankings.charts.plotly import valid

POINT = Point(
    ranking="poe-bt",
    selection="random",
    debiased=False,
    average_orders=False,
    comparisons=10,
    mean=0.5,
    low=0.4,
    high=0.6,
    draws=50,
    undefined=None,
    beam=None,
    source="judge",
    measure="spearman",
    against="human scores",
)


def missing(point: Point) -> Point:
    return replace(point, mean=None, low=None, high=None, undefined="no human scores")


def lines_of(*points):
    """The lines of a valid chart of these points, without their bands."""
    chart = valid(curve_chart(points, measure="Spearman"))
    return [trace for trace in chart["data"] if trace["mode"] == "lines+markers"]


def test_curve_has_a_line_for_each_ranking_and_selection():
    lines = lines_of(POINT, replace(POINT, comparisons=20), replace(POINT, selection="symmetric"))

    assert [(line["name"], line["x"], line["line"]["dash"]) for line in lines] == [
        ("PoE, Bradley-Terry, random", [10, 20], "solid"),
        ("PoE, Bradley-Terry, symmetric", [10], "dash"),
    ]


def test_curve_keeps_the_colour_of_a_ranking_whatever_else_is_drawn():
    alone = lines_of(POINT)
    second = lines_of(replace(POINT, ranking="win-ratio"), POINT)

    assert second[1]["line"]["color"] == alone[0]["line"]["color"]
    assert second[0]["line"]["color"] != alone[0]["line"]["color"]


@pytest.mark.parametrize(
    ("bias", "name", "marks"),
    [
        ({}, "PoE, Bradley-Terry", ""),
        ({"debiased": True}, "PoE, Bradley-Terry, debiased", "-open"),
        ({"average_orders": True}, "PoE, Bradley-Terry, orders averaged", "-open-dot"),
    ],
)
def test_curve_marks_debiased_lines_and_averaged_orders(bias, name, marks):
    [line] = lines_of(replace(POINT, **bias))

    assert (line["name"], line["marker"]["symbol"]) == (name, f"triangle-up{marks}")


def test_curve_of_pairs_is_one_line_whatever_selections_are_drawn():
    pairs = replace(POINT, ranking="pairs", selection="pairs")

    lines = lines_of(POINT, replace(POINT, selection="symmetric"), pairs, replace(pairs, comparisons=12.5))

    assert (lines[2]["name"], lines[2]["x"], lines[2]["line"]["dash"]) == ("PairS", [10, 12.5], "solid")


def test_curve_has_one_line_of_people():
    """The line of the first ranking that has a value for people."""
    people = [replace(POINT, source="people", ranking=ranking) for ranking in ("win-ratio", "poe-bt", "likelihood")]
    points = [POINT, missing(people[0]), people[1], people[2]]

    lines = lines_of(*points)

    title = curve_chart(points, measure="Spearman")["layout"]["xaxis"]["title"]["text"]
    assert title == "Comparisons or votes per context"
    assert [line["name"] for line in lines] == ["PoE, Bradley-Terry", "people, PoE, Bradley-Terry"]
    assert (lines[1]["line"]["color"], lines[1]["line"]["width"]) == (PEOPLE, 4)


def test_curve_has_a_band_along_its_intervals():
    points = [POINT, replace(POINT, comparisons=20, mean=0.7, low=0.6, high=0.8)]

    band = curve_chart(points, measure="Spearman")["data"][0]

    assert (band["x"], band["y"]) == ([10, 20, 20, 10], [0.6, 0.8, 0.6, 0.4])


def test_curve_names_its_lines_at_their_ends_and_on_a_phone_in_a_legend():
    points = [POINT, replace(POINT, ranking="win-ratio", mean=0.2)]

    chart = valid(curve_chart(points, measure="Spearman"))

    wide, phone = chart["layout"], chart["layout"]["meta"]["narrow"]
    assert [label["text"] for label in wide["annotations"]] == ["win ratio", "PoE, Bradley-Terry"]
    assert [label["y"] for label in wide["annotations"]] == [0.2, 0.5]
    assert (wide["showlegend"], phone["showlegend"], phone["annotations"]) == (False, True, [])


def test_curve_leaves_out_points_without_a_value():
    assert curve_chart([missing(POINT)], measure="Spearman") is None


def test_curve_has_no_tick_between_two_comparisons():
    few = curve_chart([POINT, replace(POINT, comparisons=12)], measure="Spearman")
    many = curve_chart([POINT, replace(POINT, comparisons=90)], measure="Spearman")

    assert few["layout"]["xaxis"]["dtick"] == 1
    assert "dtick" not in many["layout"]["xaxis"]


def test_curve_says_below_its_picture_how_many_draws_it_has():
    points = [replace(POINT, draws=40), replace(POINT, draws=50)]

    note = curve_chart(points, measure="Spearman")["layout"]["meta"]["note"]

    assert note == ("Lines: means of 50 draws of the comparisons; bands: the middle 95 % of the draws.")
