"""Texts that a spreadsheet would run, in CSV and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.formats import read_comparisons
from judging.formats.spreadsheet_formulas import STARTS, cell_to_text, text_to_cell
from tests.judging.formats.files import csv_file
from tests.judging.formats.thorough import thorough


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1+1", "'=1+1"), ("'=1", "''=1"), ("'tis", "'tis"), ("plain", "plain"), ("", ""), ("a=b", "a=b")],
)
def test_text_to_cell_puts_an_apostrophe_before_formulas_alone(text, cell):
    assert text_to_cell(text) == cell


@thorough
@given(st.text(st.sampled_from([*STARTS, "'", "a"]), max_size=6))
def test_cell_to_text_gives_back_every_text(text):
    assert not text_to_cell(text).startswith(STARTS)
    assert cell_to_text(text_to_cell(text)) == text


def test_read_comparisons_gives_back_texts_that_look_like_formulas():
    file = csv_file(
        ["context", "attribute", "first", "second", "p_first", "text", "raw_first"],
        ["'@home", "overall", "'-1", "+2", "0.5", "'=A1", "-0.5"],
    )

    [comparison] = read_comparisons([file])

    assert (comparison.context, comparison.first, comparison.second) == ("@home", "-1", "+2")
    assert (comparison.text, comparison.raw_first) == ("=A1", -0.5)
