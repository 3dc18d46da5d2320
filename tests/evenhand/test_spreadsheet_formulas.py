"""Escaping texts that a spreadsheet would run as formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.formats import read_comparisons
from evenhand.spreadsheet_formulas import FORMULA_STARTS, escape_formula, unescape_formula
from tests.evenhand.formats.small_files import csv_file, many_examples


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1+1", "'=1+1"), ("'=1", "''=1"), ("'tis", "'tis"), ("plain", "plain"), ("", ""), ("a=b", "a=b")],
)
def test_escape_formula_puts_an_apostrophe_only_before_formulas(text, cell):
    assert escape_formula(text) == cell


@many_examples
@given(st.text(st.sampled_from([*FORMULA_STARTS, "'", "a"]), max_size=6))
def test_unescape_formula_restores_every_text(text):
    assert not escape_formula(text).startswith(FORMULA_STARTS)
    assert unescape_formula(escape_formula(text)) == text


def test_read_comparisons_unescapes_texts_that_look_like_formulas():
    file = csv_file(
        ["context", "attribute", "first", "second", "p_first", "text", "raw_first"],
        ["'@home", "overall", "'-1", "+2", "0.5", "'=A1", "-0.5"],
    )

    [comparison] = read_comparisons([file])

    assert (comparison.context, comparison.first, comparison.second) == ("@home", "-1", "+2")
    assert (comparison.text, comparison.raw_first) == ("=A1", -0.5)
