"""CSV files: every text can be read again, and no spreadsheet runs one as a formula."""

import csv
import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand.csv_text import FORMULA_STARTS, csv_lines, csv_text, escape_formula, unescape_formula
from evenhand.formats import read_comparisons
from tests.evenhand.formats.small_files import csv_file, many_examples


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *((f"{start}1", f"'{start}1") for start in ("=", "+", "-", "@", "\t", "\r")),
        *(("'=1", "''=1"), ("'tis", "'tis"), ("plain", "plain"), ("", ""), ("a=b", "a=b")),
    ],
)
def test_escape_formula_puts_an_apostrophe_only_before_formulas(text, cell):
    assert escape_formula(text) == cell


@many_examples
@given(st.text(st.sampled_from([*FORMULA_STARTS, "'", "a"]), max_size=6))
def test_unescape_formula_restores_every_text(text):
    assert not escape_formula(text).startswith(FORMULA_STARTS)
    assert unescape_formula(escape_formula(text)) == text


@many_examples
@given(st.lists(st.text(st.sampled_from([*FORMULA_STARTS, "'", '"', ",", "\n", "a"]), max_size=6), min_size=1))
def test_every_text_of_a_file_is_read_again(texts):
    rows = [["name", "number"], *([text, number] for number, text in enumerate(texts))]

    [heading, *cells] = csv.reader(StringIO(csv_text(rows), newline=""))

    assert heading == ["name", "number"]
    assert [unescape_formula(name) for name, _ in cells] == texts
    assert [number for _, number in cells] == [str(number) for number in range(len(texts))]


def test_no_other_module_writes_csv():
    house = Path(evenhand.__file__).parents[1]
    modules = [file for app in ("evalsite", "evenhand", "judging", "rankings") for file in (house / app).rglob("*.py")]

    assert [file.name for file in modules if re.search(r"csv\.(Dict)?[Ww]riter", file.read_text())] == ["csv_text.py"]


def test_lines_of_rows_by_name_are_those_of_their_cells():
    rows = [{"number": -1.5, "name": "=A1", "flag": True, "none": None}]

    assert "".join(csv_lines(rows, columns=["name", "number", "flag", "none"])) == (
        "name,number,flag,none\n'=A1,-1.5,true,\n"
    )


def test_read_comparisons_unescapes_texts_that_look_like_formulas():
    file = csv_file(
        ["context", "attribute", "first", "second", "p_first", "text", "raw_first"],
        ["'@home", "overall", "'-1", "+2", "0.5", "'=A1", "-0.5"],
    )

    [comparison] = read_comparisons([file])

    assert (comparison.context, comparison.first, comparison.second) == ("@home", "-1", "+2")
    assert (comparison.text, comparison.raw_first) == ("=A1", -0.5)
