"""Recognise rows above the header, such as a title: the lines below them have many more cells."""

from collections.abc import Sequence

from evenhand.file_problems import ProblemLog
from evenhand.units import counted

COMPARED_LINES = 20  # below the first row

Lines = Sequence[tuple[int, Sequence[str]]]


def refuse_title(file: str, header: tuple[int, Sequence[str]], below: Lines, log: ProblemLog, *, advice: str) -> bool:
    """Log a problem if the first row is no header. Return True then.

    header: line and cells of the first row. below: the first lines under it. advice: what else may be wrong.
    """
    line, names = header
    wider = [(number, _filled(cells)) for number, cells in below if _is_wider(cells, names)]
    if 2 * len(wider) <= len(below):
        return False
    number, cells = wider[0]
    found = f"{counted(_filled(names), 'cell')}, but line {number} has {counted(cells, 'cell')}"
    log.add(file, line, "", found, f"the column names in the first row; delete the rows above them{advice}")
    return True


def _is_wider(cells: Sequence[str], names: Sequence[str]) -> bool:
    """Return True if a line has at least twice the cells. One column without a name is no title."""
    named, filled = _filled(names), _filled(cells)
    return filled >= 2 * named and (filled >= named + 2 or filled > _last_filled(names))


def _filled(cells: Sequence[str]) -> int:
    return sum(1 for cell in cells if cell.strip())


def _last_filled(cells: Sequence[str]) -> int:
    """Return the position of the last cell that is not empty, from 1."""
    return max((position for position, cell in enumerate(cells, start=1) if cell.strip()), default=0)
