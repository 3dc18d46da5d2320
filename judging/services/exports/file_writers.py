"""Writers of rows into CSV, JSON Lines and Parquet files."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from evenhand.csv_text import csv_lines
from evenhand.refusals import Refused

FileRow = Mapping[str, Any]

PARQUET_ROWS_AT_ONCE = 10_000
FLAG_COLUMNS = ("excluded",)
"""Columns of true and false, in every file."""

FileWriter = Callable[[Iterable[FileRow], Path], int]


def writer_for(ending: str, *, columns: Sequence[str], numbers: Sequence[str]) -> FileWriter:
    """Return a function that writes rows into a file and returns their number.

    numbers: names of numeric columns. Raises Refused for an unknown ending.
    """
    if ending == ".csv":
        return partial(_write_csv, columns)
    if ending == ".jsonl":
        return partial(_write_json_lines, columns)
    if ending == ".parquet":
        return partial(_write_parquet, columns, numbers)
    raise Refused(f'output: the ending "{ending}" is unknown; give a name that ends in .csv, .jsonl or .parquet')


def json_line(row: FileRow) -> str:
    """Return a row as one line of JSON. Infinite numbers, which JSON lacks, become the text "-inf"."""
    plain = {name: str(v) if isinstance(v, float) and not math.isfinite(v) else v for name, v in row.items()}
    return json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"


def _write_csv(columns: Sequence[str], rows: Iterable[FileRow], file: Path) -> int:
    number = 0
    with file.open("w", encoding="utf-8", newline="\n") as opened:
        for number, line in enumerate(csv_lines(rows, columns=columns)):  # noqa: B007 - the last number is the count
            opened.write(line)
    return number


def _write_json_lines(columns: Sequence[str], rows: Iterable[FileRow], file: Path) -> int:
    number = 0
    with file.open("w", encoding="utf-8", newline="\n") as opened:
        for number, row in enumerate(rows, start=1):  # noqa: B007 - the last number is the count
            opened.write(json_line({name: row[name] for name in columns}))
    return number


def _write_parquet(columns: Sequence[str], numbers: Sequence[str], rows: Iterable[FileRow], file: Path) -> int:
    import pyarrow
    from pyarrow import parquet

    kinds = dict.fromkeys(numbers, pyarrow.float64()) | dict.fromkeys(FLAG_COLUMNS, pyarrow.bool_())
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in columns])
    number, remaining = 0, iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(remaining, PARQUET_ROWS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))
            number += len(some)
    return number
