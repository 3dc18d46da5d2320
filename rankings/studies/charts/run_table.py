"""The table below the charts of a study: a row per run, by dataset and attribute."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from django.urls import reverse

from evenhand.numerics import Figure
from judging.models import Run
from rankings.studies.charts.run_panels import QuestionOfRuns, question_of, question_titles
from rankings.tables.table import Column, Row, Table

Figures = Sequence[Figure | None]
PEOPLE_ROW = "People"


def table_of_runs(
    columns: Sequence[Column],
    runs: Sequence[Run],
    labels: Mapping[int, str],
    figures: Mapping[int, Figures],
    *,
    people: Mapping[QuestionOfRuns, Figures] = MappingProxyType({}),
    page: str = "run-results",
) -> Table:
    """Return the table of some runs. None is marked as the best, because runs may differ in their pairs.

    figures: run -> one per column. people: of some questions, likewise. page: the name of the address of each run.
    """
    rows: list[Row] = []
    for question, title in question_titles(runs).items():
        if question in people:
            rows.append(Row((title, PEOPLE_ROW), tuple(people[question]), of="people"))
        rows += [
            Row((title, labels[run.pk]), tuple(figures[run.pk]), href=reverse(page, args=[run.pk]))
            for run in runs
            if question_of(run) == question
        ]
    return in_sections("Attribute", "Run", columns, rows)


def in_sections(section: str, name: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    """Return a table of rows with two names: of their section and their own. A single section needs no name."""
    if len({row.names[0] for row in rows}) > 1:
        return Table((section, name), tuple(columns), tuple(rows))
    return Table((name,), tuple(columns), tuple(replace(row, names=row.names[1:]) for row in rows))
