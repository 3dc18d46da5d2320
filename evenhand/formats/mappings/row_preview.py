"""The first rows of a table as they will be read."""

from dataclasses import dataclass, replace

from evenhand.file_problems import Problem, ProblemLog
from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.mappings.choice_reading import read_choice
from evenhand.formats.mappings.mapped_rows import MappedRow, is_text_field
from evenhand.formats.mappings.table_mapping import TableMapping, is_choice

PREVIEWED_ROWS = 20
PREVIEWED_LENGTH = 300  # characters of a cell


@dataclass(frozen=True, slots=True)
class RowPreview:
    """Rows of a table.

    fields: field and column of each cell. rows: line and cells; a wrong cell is None.
    problems: of the lines among them that cannot be read. unreadable: their number.
    """

    fields: list[tuple[str, str]]
    rows: list[tuple[int, list[str | None]]]
    problems: tuple[Problem, ...] = ()
    unreadable: int = 0

    @property
    def has_wrong_texts(self) -> bool:
        """True if a text cannot be read, as a list of all candidates of a context cannot."""
        texts = [number for number, (field, _) in enumerate(self.fields) if is_text_field(field)]
        return any(cells[number] is None for _, cells in self.rows for number in texts)

    @property
    def summary(self) -> str:
        """Say how many of the first lines cannot be read."""
        lines = len(self.rows) + self.unreadable
        of_first = "The first line" if lines == 1 else f"{self.unreadable:,} of the first {lines:,} lines"
        return f"{of_first} cannot be read."


def preview_rows(file: FileRows, mapping: TableMapping) -> RowPreview:
    """Read the first rows of a file. A choice is shown by its meaning."""
    fields = list(mapping.columns.items())
    log = ProblemLog()
    rows = [
        (row.line, [_cell(row, mapping, field) for field in mapping.columns])
        for row in file.first_rows(PREVIEWED_ROWS, log)
    ]
    return RowPreview(fields, rows, log.listed(), len(log))


def _cell(row: CheckedRow, mapping: TableMapping, field: str) -> str | None:
    """Return the start of a cell; None for a wrong one, which is no problem of the line."""
    log = ProblemLog()
    text = _read(MappedRow(replace(row, log=log), mapping), field)
    return None if len(log) else text[:PREVIEWED_LENGTH]


def _read(row: MappedRow, field: str) -> str:
    if is_choice(field):
        return read_choice(row, field) if row.has(field) else ""
    if field.startswith("score"):
        number = row.score(row.mapping.columns[field])
        return "" if number is None else f"{number:g}"
    return "\n\n".join(row.texts(field)) if field in ("chosen", "rejected") else row.text(field)
