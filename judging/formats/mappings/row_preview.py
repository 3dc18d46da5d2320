"""The first rows of a table as they will be read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from judging.file_problems import Problem, ProblemLog
from judging.formats.checked_rows import FileRows
from judging.formats.mappings.choice_reading import find_meanings
from judging.formats.mappings.mapped_rows import MappedRow
from judging.formats.mappings.reading_notes import is_missing_score
from judging.formats.mappings.table_mapping import TableMapping, is_choice

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
    def summary(self) -> str:
        """Say how many of the first lines cannot be read."""
        lines = len(self.rows) + self.unreadable
        of_first = "The first line" if lines == 1 else f"{self.unreadable:,} of the first {lines:,} lines"
        return f"{of_first} cannot be read."


def preview_rows(file: FileRows, mapping: TableMapping) -> RowPreview:
    """Read the first rows of a file. A choice is shown by its meaning."""
    fields = list(mapping.columns.items())
    rows = []
    log = ProblemLog()
    for row in file.first_rows(PREVIEWED_ROWS, log):
        mapped = MappedRow(replace(row, log=ProblemLog()), mapping)  # wrong cells are no problems of the line
        cells = [_cell(mapped, field) for field, _ in fields]
        rows.append((row.line, [cell and cell[:PREVIEWED_LENGTH] for cell in cells]))
    return RowPreview(fields, rows, log.listed(), len(log))


def _cell(row: MappedRow, field: str) -> str | None:
    value = row.value(field)
    if value is None:
        return ""
    if field.startswith("score"):
        if isinstance(value, str) and (meaning := row.mapping.meaning_of(value)):
            return meaning
        if is_missing_score(value):
            return ""
        number = row.row.parse_number(row.mapping.columns[field])
        return None if number is None else f"{number:g}"
    if is_choice(field):
        found = find_meanings(row.row, row.mapping.columns[field], row.mapping)
        return (found[0] if len(found) == 1 else None) if row.has(field) else ""
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return "\n\n".join(value)
    return row.read_text(field)
