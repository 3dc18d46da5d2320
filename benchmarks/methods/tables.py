"""The tables of outcomes that `python -m benchmarks.methods` prints."""

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.methods.cells import Cell
from benchmarks.methods.methods_and_datasets import TASKS

LETTERS = {"unparsed": "u", "errors": "e", "written": "w", "metrics": "m"}


def tables(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the lines of two tables: methods by language models, and metrics by the text they compare with."""
    models = [cell for cell in cells if not cell.is_metric]
    yield from table({(cell.way, cell.judge): (cell.way, cell.judge) for cell in models}, cells)
    yield ""
    measured = [cell for cell in cells if cell.is_metric]
    yield from table({(cell.judge, cell.way): (cell.way, cell.judge) for cell in measured}, cells)


def table(places: dict[tuple[str, str], tuple[str, str]], cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the lines of a table. places: (row, column) -> (way, judge)."""
    rows, columns = (list(dict.fromkeys(place[axis] for place in places)) for axis in (0, 1))
    yield f"| | {' | '.join(f'`{column}`' for column in columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for row in rows:
        texts = (both(cells, places.get((row, column))) for column in columns)
        yield f"| `{row}` | {' | '.join(texts)} |"


def both(cells: Iterable[Cell], wanted: tuple[str, str] | None) -> str:
    """Return the texts of both datasets' cells, or "refused" once if both were."""
    by_dataset = {cell.dataset: cell for cell in cells if (cell.way, cell.judge) == wanted}
    texts = [short(by_dataset[task.dataset]) for task in TASKS if task.dataset in by_dataset]
    return "refused" if set(texts) == {"refused"} else " · ".join(texts)


def short(cell: Cell) -> str:
    if cell.status:
        return "refused" if cell.status == 2 else "failed"
    more = (f"{getattr(cell, name)}{letter}" for name, letter in LETTERS.items() if getattr(cell, name))
    accuracy = [f"({cell.accuracy:.3f})"] if cell.is_metric and cell.accuracy is not None else []
    return " ".join((str(cell.answered), *more, *accuracy))
