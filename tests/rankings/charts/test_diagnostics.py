"""Charts of a run's diagnostics, as plotly draws them."""

import pytest

from rankings.charts.diagnostics import joint_chart, reliability_chart
from tests.rankings.charts.plotly import on_a_phone, valid

NOTHING = {"value": None, "low": None, "high": None, "undefined": "no comparison"}


def found(**calibration):
    return {"calibration": calibration}


def part(p_first, share, *, low=None, high=None, n=4):
    return {
        "mean_p_first": {"value": p_first},
        "share_first": {"value": share, "low": low, "high": high, "n": n},
    }


def test_reliability_draws_the_parts_that_have_comparisons():
    parts = [part(0.1, 0.25, low=0.05, high=0.5), part(0.9, 1.0), {"mean_p_first": NOTHING, "share_first": NOTHING}]

    chart = valid(reliability_chart(found(bins=parts)))

    trace = chart["data"][1]
    assert (trace["x"], trace["y"], trace["customdata"]) == ([0.1, 0.9], [0.25, 1.0], [4, 4])
    assert trace["error_y"]["array"] == [0.25, 0]
    assert trace["error_y"]["arrayminus"] == pytest.approx([0.2, 0])
    assert chart["layout"]["meta"]["picture"]["title"]["text"].startswith("8 comparisons;")


def test_reliability_without_comparisons_is_not_drawn():
    assert reliability_chart(found(bins=[{"mean_p_first": NOTHING, "share_first": NOTHING}])) is None


def joint(counts):
    return found(
        score_differences={
            "counts": counts,
            "p_edges": [0, 0.5, 1],
            "difference_edges": [-1, 0, 1],
            "by_p_first": [
                {"mean": {"value": -0.5}, "deviation": {"value": 0.2}},
                {"mean": {"value": None}, "deviation": {"value": None}},
            ],
        }
    )


def test_joint_chart_shades_cells_by_the_square_root_and_leaves_empty_ones_out():
    chart = valid(joint_chart(joint([[16, 0], [1, 4]])))

    cells = chart["data"][0]
    assert (cells["x"], cells["y"]) == ([0.25, 0.75], [-0.5, 0.5])
    assert (cells["z"], cells["text"]) == ([[4, None], [1, 2]], [[16, 0], [1, 4]])
    assert chart["layout"]["coloraxis"]["colorbar"]["ticktext"] == ["1", "4", "16"]


def test_joint_chart_draws_the_means_that_exist():
    means = joint_chart(joint([[16, 0], [1, 4]]))["data"][1]

    assert (means["x"], means["y"], means["error_y"]["array"]) == ([0.25], [-0.5], [0.2])


def test_joint_chart_has_no_scale_on_a_phone():
    chart = joint_chart(joint([[16, 0], [1, 4]]))

    assert on_a_phone(chart)["layout"]["coloraxis"]["showscale"] is False


def test_joint_chart_without_scores_is_not_drawn():
    assert joint_chart(joint([])) is None
