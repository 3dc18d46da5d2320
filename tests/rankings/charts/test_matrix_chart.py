"""A matrix of numbers, as plotly draws it, and as a picture."""

import re

import pytest

from rankings.charts.matrix_chart import MOST_WITH_NUMBERS, matrix_chart
from rankings.charts.palette import INK
from rankings.charts.paper_pictures import picture_file
from tests.rankings.charts.plotly import valid


def matrix(names, values):
    return valid(matrix_chart(names, values, name="agreement", title="Alpha", note="Note.", ends=(0, 1)))


def test_matrix_has_a_numbered_row_and_column_for_each_name():
    chart = matrix(["GPT", "Llama"], [[None, 0.5], [0.5, None]])

    assert chart["layout"]["yaxis"]["ticktext"] == ["GPT  1", "Llama  2"]
    assert chart["layout"]["xaxis"]["ticktext"] == ["1", "2"]
    assert chart["data"][0]["text"] == [["", "0.50"], ["0.50", ""]]


@pytest.mark.parametrize(("n", "has_numbers"), [(MOST_WITH_NUMBERS, True), (MOST_WITH_NUMBERS + 1, False)])
def test_large_matrix_has_no_numbers_in_its_cells(n, has_numbers):
    chart = matrix([f"judge {number}" for number in range(n)], [[0.5] * n] * n)

    assert ("texttemplate" in chart["data"][0]) == has_numbers


def test_scale_of_probabilities_turns_at_one_half():
    chart = valid(
        matrix_chart(["GPT", "Llama"], [[None, 0.2], [0.7, None]], name="matrix", title="", note="", ends=(0.2, 0.8))
        | {"data": []}
    )

    assert chart["layout"]["coloraxis"]["colorbar"]["tickvals"] == [0.2, 0.5, 0.8]


def test_numbers_of_cells_are_in_the_ink_of_the_page_and_of_the_picture():
    chart = matrix(["GPT", "Llama"], [[None, 0.25], [0.98, None]])

    assert chart["data"][0]["textfont"] == {"color": INK}
    svg = picture_file(chart, "svg", width=14).decode()
    assert re.findall(r"<text[^>]*fill: (#\w+)[^>]*>0.98<", svg) == ["#1a1e24"]


def test_picture_of_a_matrix_has_its_numbers_and_names():
    svg = picture_file(matrix(["GPT", "Llama"], [[None, 0.25], [0.75, None]]), "svg", width=14).decode()

    assert all(text in svg for text in ("GPT", "Llama", "0.25", "0.75", "Alpha"))
