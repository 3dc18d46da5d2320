"""Columns in the binary format of COPY, byte by byte."""

from datetime import UTC, datetime

import pytest

from judging.services.execution.copying import numbers, one_moment, rows_of, texts, whole_numbers

LENGTH_8, NOTHING = b"\0\0\0\x08", b"\xff\xff\xff\xff"
ONE, MINUS_ONE, HALF = b"\0\0\0\0\0\0\0\x01", b"\xff" * 8, b"\x3f\xe0\0\0\0\0\0\0"


def test_rows_have_their_number_of_cells_and_each_cell_its_length():
    columns = [whole_numbers((1, -1)), numbers((0.5, 0.5)), texts(("a", "a"))]

    assert rows_of(columns) == (
        b"\0\x03" + LENGTH_8 + ONE + LENGTH_8 + HALF + b"\0\0\0\x01a"
        b"\0\x03" + LENGTH_8 + MINUS_ONE + LENGTH_8 + HALF + b"\0\0\0\x01a"
    )


def test_cells_of_different_lengths_stay_in_their_rows_and_columns():
    columns = [texts(("ü", "")), whole_numbers((1, 1)), numbers((None, 0.5)), numbers((None, None))]

    assert rows_of(columns) == (
        b"\0\x04" + b"\0\0\0\x02\xc3\xbc" + LENGTH_8 + ONE + NOTHING + NOTHING + b"\0\x04"
        b"\0\0\0\0" + LENGTH_8 + ONE + LENGTH_8 + HALF + NOTHING
    )


def test_moment_is_in_microseconds_since_2000():
    moment = datetime(2000, 1, 1, 0, 0, 0, 1, tzinfo=UTC)

    assert rows_of([one_moment(moment, 1)]) == b"\0\x01" + LENGTH_8 + ONE


@pytest.mark.parametrize("wrong", [1.5, "1", None])
def test_what_is_no_whole_number_is_refused_and_not_rounded(wrong):
    with pytest.raises(TypeError):
        whole_numbers((1, wrong))


@pytest.mark.parametrize("column", [("0.5",), (None, "0.5")])
def test_what_is_no_number_is_refused(column):
    with pytest.raises(TypeError):
        numbers(column)
