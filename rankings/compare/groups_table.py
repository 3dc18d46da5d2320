"""The table of all compared runs: their figures, and which do not differ significantly from the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.http import QueryDict
from django.urls import reverse

from rankings.compare.comparison_of_runs import AllCompared, ComparedRun, FigureCompared, FigureOfRun
from rankings.tables.few_observations import few_observations
from rankings.tables.figure_table import FigureTable, figure_table
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import Column, Row, Table

NAME_TITLES = ("Run", "Judge", "Method", "Prompt")


def groups_table(result: AllCompared, address: QueryDict) -> FigureTable:
    """Return the table of a page. Runs that are not significantly worse than the best are marked as ties."""
    sort = Sort.parse(address.get("sort", "accuracy"))
    blocks = [{row.run: row for row in block.runs} for block in result.figures]
    rows = (*_simple_rows(result), *(_row(run, blocks) for run in result.runs))
    table = Table(NAME_TITLES, tuple(map(_column, result.figures)), rows)
    return figure_table(sorted_table(table, sort), label="Runs", address=address, sort=sort, headline="Judge")


def _simple_rows(result: AllCompared) -> Iterator[Row]:
    """Yield the judges that read nothing, with the figures that they have."""
    for one in result.simple_judges:
        figures = [one.accuracy if block.is_share else one.spearman for block in result.figures]
        if any(figure.value is not None for figure in figures):
            own = tuple(None if figure.value is None else figure for figure in figures)
            yield Row(("", one.judge, "", ""), own, is_people=True)


def _column(block: FigureCompared) -> Column:
    if block.is_share:
        return Column(name="accuracy", title="Accuracy", marks_best=True, definition="report/#accuracy", reference=0.5)
    return Column(
        name="spearman",
        title=block.title,
        kind="coefficient",
        marks_best=True,
        definition="report/#spearman",
    )


def _row(run: ComparedRun, blocks: Sequence[Mapping[int, FigureOfRun]]) -> Row:
    name = run.name
    own = [block[name.run] for block in blocks]
    contexts = [one.figure.n for one in own if one.ranking and one.figure.n is not None]
    few = few_observations(min(contexts, default=None), "context")
    standings = [one.against_best for one in own]
    return Row(
        (name.run, name.judge, name.method, name.prompt),
        tuple(one.figure for one in own),
        rivals="all",
        ties=frozenset(place for place, standing in enumerate(standings) if standing == "not worse"),
        untested=frozenset(place for place, standing in enumerate(standings) if standing == "not tested"),
        detail=", ".join(filter(None, [name.settings.removeprefix(", "), few])),
        href=reverse("run-results", args=[name.run]),
    )
