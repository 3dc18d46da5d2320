"""The options of a table of results and of its file, for API and command."""

from collections.abc import Sequence
from typing import Annotated

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.options import Option
from rankings.report.report_columns import COLUMNS, NAMES
from rankings.report.report_row import ReportRow
from rankings.report.report_table import TableChoice, checked
from rankings.tables.sorting import OPPOSITE
from rankings.tables.table import MOST_DIGITS, IntervalStyle, TableStyle

COLUMN_TITLES = {**{name: name for name in NAMES}, **{name: one.column.full_title for name, one in COLUMNS.items()}}
SORTS = ["", *(f"{sign}{name}" for name in COLUMN_TITLES for sign in ("", OPPOSITE))]
RANKING_OF_TABLE = Option(
    "Ranking of the correlations.", name="ranking", choices=RANKING_TITLES, default=DEFAULT_RANKING
)


def chosen_table(
    rows: Sequence[ReportRow],
    usual: tuple[str, ...],
    over_prompts: bool = False,
    *,
    column: Annotated[tuple[str, ...], Option("Columns.", choices=COLUMN_TITLES, if_none="those of the page")] = (),
    subset: Annotated[tuple[str, ...], Option("Rows of these subsets, or all.", if_none="all rows")] = (),
    ranking: Annotated[str, RANKING_OF_TABLE] = DEFAULT_RANKING,
    sort: Annotated[
        str,
        Option(
            "A column: figures highest first, with - lowest first.",
            choices={name: name for name in SORTS},
            if_none="order of the runs",
        ),
    ] = "",
) -> TableChoice:
    """Return the choice of a table. usual: its columns without a choice. Raises Refused for a subset without rows."""
    return checked(TableChoice(column or usual, ranking, subset, sort, over_prompts=over_prompts), rows)


def chosen_style(
    usual: TableStyle,
    *,
    digits: Annotated[int, Option("Decimals of percentages; coefficients have two more.", low=0, high=MOST_DIGITS)] = 1,
    interval: Annotated[IntervalStyle, Option("Notation of intervals.")] = "brackets",
    caption: Annotated[str | None, Option("Default: names dataset or study, and figures.")] = None,
    label: Annotated[str | None, Option("For \\ref in LaTeX. Default: names the same.")] = None,
) -> TableStyle:
    """Return the looks of a printed table. usual: its caption and label. Raises Refused for an odd label."""
    text = usual.caption if caption is None else " ".join(caption.split())
    return TableStyle(digits, interval, text, usual.label if label is None else label)
