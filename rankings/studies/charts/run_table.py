"""The table below the charts of a study: a row per run, by dataset and attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.urls import reverse

from evenhand.numerics import Figure
from judging.models import Run
from rankings.studies.charts.run_labels import QuestionOfRuns, question_of, question_titles
from rankings.tables.table import Column, Row, Table

Figures = Sequence[Figure | None]
PEOPLE_ROW = "People"


def table_of_runs(
    columns: Sequence[Column],
    runs: Sequence[Run],
    labels: Mapping[int, str],
    figures: Mapping[int, Figures],
    *,
    people: Mapping[QuestionOfRuns, Figures],
    page: str = "run-results",
) -> Table:
    """Return the table of some runs. Runs of one dataset and attribute compete for the marks.

    figures: run -> one per column. people: of some questions, likewise. page: the name of the address of each run.
    """
    titles = question_titles(runs)
    rows: list[Row] = []
    for question, title in titles.items():
        if question in people:
            rows.append(Row((title, PEOPLE_ROW), tuple(people[question]), is_people=True))
        rows += [
            Row((title, labels[run.pk]), tuple(figures[run.pk]), rivals=title, href=reverse(page, args=[run.pk]))
            for run in runs
            if question_of(run) == question
        ]
    if len(titles) > 1:
        return Table(("Attribute", "Run"), tuple(columns), tuple(rows))
    alone = (Row(row.names[1:], row.figures, rivals=row.rivals, is_people=row.is_people, href=row.href) for row in rows)
    return Table(("Run",), tuple(columns), tuple(alone))
