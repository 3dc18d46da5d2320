"""Rows of numbers as one array, the same from every database."""

from contextlib import nullcontext

import numpy as np
import pytest
from django.db import connection
from django.db.models import BigIntegerField, ExpressionWrapper, F
from django.db.models.functions import NullIf

from rankings import bulk_reading as reading
from rankings.bulk_reading import MissingNumber, number_rows
from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = pytest.mark.django_db

ROW = np.dtype([("run", np.int64), ("p_first", np.float64)])
PAIR = np.dtype([("first", np.int64), ("second", np.int64), ("p_first", np.float64)])


@pytest.fixture
def run():
    rows = ("a b 0.1", "b a 0.30000000000000004", "a c 5e-324", "c a 1", "b c 0")
    return compared(make_dataset(one_context(1, 2, 3)), answers(*rows))


def test_number_rows_have_every_digit_in_the_order_of_the_keys(run):
    moved = run.comparisons.order_by("pk").first()
    moved.error = "On PostgreSQL, what is changed lies behind all others."
    moved.save()

    found = number_rows(run.comparisons.order_by("-p_first"), ROW, "run", "p_first")

    assert found.tolist() == [(run.pk, p) for p in (0.1, 0.30000000000000004, 5e-324, 1.0, 0.0)]


def test_number_rows_are_the_same_in_several_parts(run, monkeypatch):
    whole = number_rows(run.comparisons.all(), ROW, "run", 1 - F("p_first"))
    monkeypatch.setattr(reading, "KEYS_AT_ONCE", 2)

    parts = number_rows(run.comparisons.all(), ROW, "run", 1 - F("p_first"))

    assert parts.tolist() == whole.tolist()
    assert len(parts) == 5


def test_number_rows_of_no_rows_are_none(run):
    assert number_rows(run.comparisons.filter(outcome="error"), ROW, "run", "p_first").tolist() == []


@pytest.mark.parametrize("exact_bits", [4, 8, 53])
def test_number_rows_have_the_same_keys_however_many_fit_in_one_number(run, monkeypatch, exact_bits):
    monkeypatch.setattr(reading, "_EXACT_BITS", exact_bits)

    found = number_rows(run.comparisons.all(), PAIR, "first", "second", "p_first")

    assert found.tolist() == list(run.comparisons.order_by("pk").values_list("first", "second", "p_first"))


def test_number_rows_have_the_same_key_in_two_columns(run):
    found = number_rows(run.comparisons.all(), ROW, "pk", "p_first")

    assert found.tolist() == list(run.comparisons.order_by("pk").values_list("pk", "p_first"))


def test_number_rows_have_keys_that_came_after_the_bits_were_known(run, monkeypatch):
    monkeypatch.setattr(reading, "_bits_of_keys", lambda *args: {"key": 1, "first": 1, "second": 1})

    found = number_rows(run.comparisons.all(), PAIR, "first", "second", "p_first")

    assert found.tolist() == list(run.comparisons.order_by("pk").values_list("first", "second", "p_first"))


@pytest.mark.parametrize("columns", [("run", "raw_first"), (NullIf("run", "run"), "p_first")])
def test_number_rows_refuse_a_row_that_lacks_a_number(run, columns):
    with pytest.raises(MissingNumber):
        number_rows(run.comparisons.all(), ROW, *columns)


def test_number_rows_never_round_a_whole_number(run):
    huge = ExpressionWrapper(F("run") * 0 + (1 << 53) + 1, BigIntegerField())

    reading_it = nullcontext() if connection.vendor == "postgresql" else pytest.raises(OverflowError)
    with reading_it:
        found = number_rows(run.comparisons.all(), ROW, huge, "p_first")
        assert found["run"].tolist() == [(1 << 53) + 1] * 5
