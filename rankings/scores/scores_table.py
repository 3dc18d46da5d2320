"""The table of the page of scores: the candidates of each context, best first unless the address sorts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.core.paginator import Page
from django.http import QueryDict

from evenhand.numerics import Figure
from rankings.scores.score_rows import ScoreRow
from rankings.tables.figure_table import FigureTable, figure_table
from rankings.tables.sorting import Sort, figure_key, natural_key, sort_name
from rankings.tables.table import Column, Row, Table

BY_RANK = Sort("rank")
NAME_FIELDS = {"Candidate": "candidate", "System": "system"}
"""title of a column of names -> its field in a ScoreRow."""
COLUMNS_OF_SCORES = (
    Column(name="rank", title="Rank", kind="number", definition="report/#rank", lowest_first=True),
    Column(name="score", title="Score", kind="coefficient", definition="report/#rankings"),
    Column(
        name="standard_error",
        title="Standard error",
        kind="coefficient",
        definition="report/#standard_error",
        lowest_first=True,
    ),
    Column(name="human", title="Human score", kind="number", definition="report/#scores-and-curves"),
)


def score_sort(address: QueryDict) -> Sort:
    """Return the order that the address chooses; by rank without a choice of a column of this table."""
    sort = Sort.parse(address.get("sort", ""))
    names = (*(column.name for column in COLUMNS_OF_SCORES), *map(sort_name, NAME_FIELDS))
    return sort if sort.name in names else BY_RANK


def sorted_scores(rows: Sequence[ScoreRow], sort: Sort) -> list[ScoreRow]:
    """Return the rows sorted within their contexts. A column that the table lacks leaves the order as it is."""
    contexts = {context: place for place, context in enumerate(dict.fromkeys(row.context for row in rows))}
    if column := next((one for one in COLUMNS_OF_SCORES if one.name == sort.name), None):
        direction = Sort(sort.name, sort.is_opposite != column.lowest_first)
        rows = sorted(rows, key=lambda row: figure_key(Figure(getattr(row, column.name)), direction))
    elif field := next((field for title, field in NAME_FIELDS.items() if sort_name(title) == sort.name), None):
        rows = sorted(rows, key=lambda row: natural_key(getattr(row, field) or ""), reverse=sort.is_opposite)
    return sorted(rows, key=lambda row: contexts[row.context])


def scores_table(page: Page[ScoreRow], address: QueryDict, sort: Sort, *, hrefs: Mapping[str, str]) -> FigureTable:
    """Return the table of one page of the sorted scores. Each context is a section.

    address: the parameters that links for sorting keep. hrefs: context -> its page.
    """
    rows = tuple(_row(score, hrefs.get(score.context, "")) for score in page)
    table = Table(tuple(NAME_FIELDS), COLUMNS_OF_SCORES, rows)
    is_part = page.paginator.num_pages > 1
    return figure_table(table, label="Scores", address=address, sort=sort, headline="Candidate", is_part=is_part)


def _row(score: ScoreRow, href: str) -> Row:
    return Row(
        tuple(getattr(score, field) or "" for field in NAME_FIELDS.values()),
        tuple(_figure(score, column.name) for column in COLUMNS_OF_SCORES),
        section=f"Context {score.context}",
        href=href,
    )


def _figure(score: ScoreRow, field: str) -> Figure:
    value = getattr(score, field)
    return Figure.missing(score.undefined[field]) if value is None else Figure(value)
