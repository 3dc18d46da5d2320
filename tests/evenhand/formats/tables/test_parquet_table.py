"""Parquet files: values, missing ones, and files that are broken."""

import datetime
from decimal import Decimal

import pytest

from evenhand.formats import SourceFile, TableMapping, read_dataset
from tests.evenhand.formats.people_tables import parquet_bytes
from tests.evenhand.formats.small_files import dataset_problems, problems

MAPPING = TableMapping("candidates", {"context_text": "q", "text": "a", "system": "m", "score:x": "s"})


def read(*rows):
    return read_dataset([SourceFile("d.parquet", parquet_bytes(rows))], mapping=MAPPING)


def test_values_of_parquet_are_those_of_json():
    record = read(
        {"q": "Why?", "a": "So.", "m": datetime.date(2026, 1, 2), "s": Decimal("1.5")},
        {"q": "Why?", "a": "No.", "m": None, "s": None},
    )

    first, second = record.contexts[0].candidates
    assert (first.system, first.scores) == ("2026-01-02", {"x": 1.5})
    assert (second.system, second.scores) == ("", {})


def test_problems_name_the_row():
    table = SourceFile("d.parquet", parquet_bytes([{"q": "Why?", "a": "So.", "m": "M", "s": "x"}] * 1))

    assert problems(lambda: read_dataset([table], mapping=MAPPING)) == [
        'd.parquet:1: s: "x" — expected a number, or an empty cell for no score; for words: --choice NUMBER=WORD'
    ]


def test_read_dataset_refuses_broken_parquet():
    content = parquet_bytes([{"q": "Why?"}])

    [problem] = dataset_problems(SourceFile("d.parquet", content[: len(content) // 2]))

    assert problem.startswith("d.parquet: not readable as Parquet")


@pytest.mark.parametrize("rows", [49, 51, 120])
def test_rows_of_several_batches_keep_their_order(rows):
    record = read(*({"q": f"Question {i}", "a": "So.", "m": "M", "s": 1.0} for i in range(rows)))

    assert [context.text for context in record.contexts] == [f"Question {i}" for i in range(rows)]
