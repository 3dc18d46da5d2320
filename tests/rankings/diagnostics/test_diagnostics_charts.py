"""Charts of a run's diagnostics, as plotly draws them."""

from math import log

import pytest

from evenhand.numerics import Figure
from evenhand.numerics.reliability.calibration import CalibrationBin
from rankings.diagnostics.diagnostics_row import DifferencesAtP, ScoreDifferences
from rankings.diagnostics.diagnostics_tables import joint_chart, reliability_chart
from tests.rankings.charts.plotly import on_a_phone, valid

NOTHING = Figure.missing("no comparison")


def part(p_first, share, *, low=None, high=None, n=4):
    return CalibrationBin(0.0, 1.0, mean_p_first=Figure(p_first), share_first=Figure(share, low, high, n))


def test_reliability_draws_the_parts_that_have_comparisons():
    parts = [part(0.1, 0.25, low=0.05, high=0.5), part(0.9, 1.0), CalibrationBin(0.4, 0.5, NOTHING, NOTHING)]

    chart = valid(reliability_chart(parts))

    trace = chart["data"][1]
    assert (trace["x"], trace["y"], trace["customdata"]) == ([0.1, 0.9], [0.25, 1.0], [4, 4])
    assert trace["error_y"]["array"] == [0.25, 0]
    assert trace["error_y"]["arrayminus"] == pytest.approx([0.2, 0])
    assert chart["layout"]["meta"]["note"].startswith("8 comparisons;")


def test_reliability_without_comparisons_is_not_drawn():
    assert reliability_chart([CalibrationBin(0.4, 0.5, NOTHING, NOTHING)]) is None


def joint(counts):
    return ScoreDifferences(
        correlation=NOTHING,
        p_edges=[0, 0.5, 1],
        difference_edges=[-1, 0, 1],
        counts=counts,
        by_p_first=[
            DifferencesAtP(0.0, 0.5, mean=Figure(-0.5), deviation=Figure(0.2)),
            DifferencesAtP(0.5, 1.0, mean=NOTHING, deviation=NOTHING),
        ],
    )


def test_joint_chart_shades_cells_by_the_logarithm_and_leaves_empty_ones_out():
    chart = valid(joint_chart(joint([[16, 0], [1, 4]])))

    cells = chart["data"][0]
    assert (cells["x"], cells["y"]) == ([0.25, 0.75], [-0.5, 0.5])
    assert (cells["z"], cells["text"]) == ([[log(16), None], [0, log(4)]], [[16, 0], [1, 4]])
    assert chart["layout"]["coloraxis"]["colorbar"]["ticktext"] == ["1", "4", "16"]


def test_joint_chart_draws_the_means_that_exist():
    means = joint_chart(joint([[16, 0], [1, 4]]))["data"][1]

    assert (means["x"], means["y"], means["error_y"]["array"]) == ([0.25], [-0.5], [0.2])


def test_joint_chart_has_no_scale_on_a_phone():
    chart = joint_chart(joint([[16, 0], [1, 4]]))

    assert on_a_phone(chart)["layout"]["coloraxis"]["showscale"] is False


def test_joint_chart_without_scores_is_not_drawn():
    assert joint_chart(joint([])) is None
