"""The long form of reports, for pandas and R: one line per figure, as CSV, JSON Lines or Parquet."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from types import MappingProxyType

from django.http import Http404
from django.http.response import HttpResponseBase

from evenhand.csv_text import csv_lines
from judging.web.downloads import attachment, json_lines

Line = Mapping[str, str | int | float | None]
NAME_COLUMNS = ("run", "judge", "method", "prompt", "attribute", "subset")
FIGURE_COLUMNS = ("figure", "variant", "value", "low", "high", "n", "undefined")
LINES_AT_ONCE = 10_000
WHOLE_NUMBERS = frozenset({"run", "other_run", "n", "beam"})
NUMBERS = frozenset({"value", "low", "high", "sd", "comparisons"})


@dataclass(frozen=True, slots=True)
class LongForm:
    """The figures of a report, made when they are written: a large report has a million lines.

    make_lines: returns the lines. extra: columns of this kind of report, behind the columns of every report.
    """

    make_lines: Callable[[], Iterable[Line]]
    extra: tuple[str, ...] = ()

    @property
    def lines(self) -> Iterator[Line]:
        """Yield the lines. A missing column is None."""
        empty: Line = dict.fromkeys(self.columns)
        return ({**empty, **line} for line in self.make_lines())

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return (*NAME_COLUMNS, *FIGURE_COLUMNS, *self.extra)


def long_csv(form: LongForm) -> Iterator[str]:
    """Yield the lines of a CSV file, the names of the columns first."""
    return csv_lines(form.lines, columns=form.columns)


def long_json_lines(form: LongForm) -> Iterator[str]:
    """Yield a JSON object per line."""
    return json_lines(form.lines)


def long_parquet(form: LongForm) -> Iterator[bytes]:
    """Yield a Parquet file. Numbers of observations are whole numbers, values are floats, the rest is text."""
    import pyarrow
    from pyarrow import parquet

    kinds = dict.fromkeys(WHOLE_NUMBERS, pyarrow.int64()) | dict.fromkeys(NUMBERS, pyarrow.float64())
    schema = pyarrow.schema([(column, kinds.get(column, pyarrow.string())) for column in form.columns])
    file, lines = BytesIO(), form.lines
    with parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(lines, LINES_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))
    yield file.getvalue()


LONG_FORMATS: Mapping[str, Callable[[LongForm], Iterator[str] | Iterator[bytes]]] = MappingProxyType(
    {"csv": long_csv, "jsonl": long_json_lines, "parquet": long_parquet}
)
"""ending of a file name -> its writer."""


def long_attachment(form: LongForm, *, name: str, ending: str) -> HttpResponseBase:
    """Return a download. Raises Http404 for an unknown ending."""
    if ending not in LONG_FORMATS:
        raise Http404(f"no long form ends in .{ending}")
    return attachment(LONG_FORMATS[ending](form), name=f"{name}-long.{ending}")
