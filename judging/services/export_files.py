"""Rows into a file: CSV, JSON Lines or Parquet, by its ending. The file is there when it is whole, or not at all."""

from __future__ import annotations

import csv
import importlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from judging.exceptions import Refused
from judging.formats.formulas import text_to_cell

Row = Mapping[str, Any]

ROWS_AT_ONCE = 10_000


def write_rows(rows: Iterable[Row], output: Path, *, columns: Sequence[str], numbers: Sequence[str]) -> int:
    """Write rows and return their number. numbers: the columns that hold numbers. Raises Refused before it writes."""
    writer = _writer(output)
    count = 0

    def counted() -> Iterator[Row]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    part = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        writer(counted(), part, columns, numbers)
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
    return count


def check_output(output: Path) -> None:
    """Raises Refused where `write_rows` could not write."""
    _writer(output)


def _writer(output: Path) -> Callable[[Iterable[Row], Path, Sequence[str], Sequence[str]], None]:
    writers = {".csv": _write_csv, ".jsonl": _write_json_lines, ".parquet": _write_parquet}
    if output.suffix not in writers:
        raise Refused(f'output: "{output.name}" — give a name that ends in one of: {", ".join(writers)}')
    if not output.parent.is_dir():
        raise Refused(f'output: there is no folder "{output.parent}"; make it first')
    if output.suffix == ".parquet":
        _pyarrow()
    return writers[output.suffix]


def csv_cell(value: object) -> object:
    """A value as CSV has it: nothing for None, texts kept from being formulas, numbers in full."""
    return text_to_cell(value) if isinstance(value, str) else value


def json_line(row: Row) -> str:
    """A row as one line of JSON; minus infinity, which JSON has not, as the text "-inf"."""
    plain = {name: str(v) if isinstance(v, float) and not math.isfinite(v) else v for name, v in row.items()}
    return json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"


def _write_csv(rows: Iterable[Row], file: Path, columns: Sequence[str], numbers: Sequence[str]) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(columns)
        writer.writerows([csv_cell(row[name]) for name in columns] for row in rows)


def _write_json_lines(rows: Iterable[Row], file: Path, columns: Sequence[str], numbers: Sequence[str]) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        opened.writelines(json_line({name: row[name] for name in columns}) for row in rows)


def _write_parquet(rows: Iterable[Row], file: Path, columns: Sequence[str], numbers: Sequence[str]) -> None:
    pyarrow, parquet = _pyarrow()
    schema = pyarrow.schema([(name, pyarrow.float64() if name in numbers else pyarrow.string()) for name in columns])
    remaining = iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(remaining, ROWS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    """pyarrow and pyarrow.parquet, which are an extra. Raises Refused where they are missing."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise Refused("output: Parquet needs pyarrow; install evenhand[parquet], or write .csv or .jsonl") from error
