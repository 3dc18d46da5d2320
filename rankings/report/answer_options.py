"""Options of the answers that a report reads, of a table of results and of its file, for pages, API and commands."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.options import Option, options_of
from judging.models import Exclusion
from rankings.report.report_choice import ORDERS, SUBSET, UNPARSED, Order, ReportChoice, SubsetGroup, Unparsed
from rankings.report.report_columns import COLUMNS, NAMES
from rankings.report.report_row import ReportRow
from rankings.report.report_table import TableChoice, checked
from rankings.tables.sorting import OPPOSITE
from rankings.tables.table import MOST_DIGITS, IntervalStyle, TableStyle


def chosen_answers(
    *,
    order: Annotated[
        Order,
        Option(
            "given: read only comparisons in the dataset's order of candidates.", "Order of candidates", choices=ORDERS
        ),
    ] = "both",
    unparsed: Annotated[
        Unparsed,
        Option(
            "wrong: count unparsed answers and errors as wrong in every accuracy.",
            "Unparsed and errors",
            choices=UNPARSED,
        ),
    ] = "excluded",
    without_system: Annotated[
        tuple[str, ...], Option("Leave out these systems, as if the dataset lacked them.", "Systems left out")
    ] = (),
    without_context: Annotated[
        tuple[str, ...], Option("Leave out these contexts, as if the dataset lacked them.", "Contexts left out")
    ] = (),
    subsets_by: Annotated[
        str, Option("The field of contexts whose values are the subsets, such as turn.", "Subsets by")
    ] = SUBSET,
    group: Annotated[
        tuple[str, ...],
        Option("NAME=SUBSET,SUBSET: a further row, pooled over these subsets.", "Groups of subsets"),
    ] = (),
) -> ReportChoice:
    """Return the choice of answers. Raises Refused for a group that is written in another way."""
    exclusion = Exclusion.of(systems=without_system, contexts=without_context)
    return ReportChoice(order, unparsed, tuple(map(SubsetGroup.parse, group)), subsets_by, exclusion)


ANSWERS: Mapping[str, Option] = {option.name: option for option in options_of(chosen_answers)}
LEFT_OUT = ("without_system", "without_context")


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
