"""The tab of agreement: a matrix for each dataset and attribute."""

from __future__ import annotations

from typing import Annotated

from django.urls import reverse

from evenhand.options import Option
from judging.models import NOTHING_LEFT_OUT, Dataset, Exclusion
from rankings.loading import candidate_table
from rankings.report.report_choice import ReportChoice
from rankings.studies.charts.agreement.agreement_matrix import (
    AGREEMENT_MEASURES,
    ALPHA,
    MEAN_PEOPLE,
    agreement_chart,
    agreement_matrix,
    agreement_sentence,
    agreement_table,
)
from rankings.studies.charts.chart_tab import IN_FILES_NOTE, MOST_COLUMNS_ON_PAGE, ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.panels import panel_name
from rankings.studies.charts.run_panels import panels_of_questions

PEOPLE_IN_MATRIX = (
    "People with each other: all couples, on all contexts. A judge with people: on the pairs that both judged."
)


def agreement_tab(
    chosen: ChosenRuns,
    *,
    measure: Annotated[str, Option("Of agreement.", "Measured by", choices=AGREEMENT_MEASURES)] = ALPHA,
) -> ChartTab:
    """Draw a matrix for each dataset and attribute. It reads answers as they are."""
    runs, labels, answers, members = chosen.runs, chosen.labels, chosen.rows.answers, chosen.subsets
    matrices = [
        agreement_matrix(
            panel.runs,
            labels,
            measure,
            ReportChoice(order=answers.order, exclusion=_other_contexts(panel.runs[0].dataset, answers, members)),
            title=panel.title,
        )
        for panel in panels_of_questions(runs, labels)
    ]
    drawn = [matrix for matrix in matrices if matrix.has_value]
    charts = [
        agreement_chart(matrix, name=panel_name("agreement", number, len(drawn)), measure=measure)
        for number, matrix in enumerate(drawn, start=1)
    ]
    table = agreement_table(matrices, {run.pk: reverse("run-results", args=[run.pk]) for run in runs}, measure)
    is_wide = len(table.columns) > MOST_COLUMNS_ON_PAGE
    has_people = table.columns[0].name == MEAN_PEOPLE
    return ChartTab(
        name="agreement",
        title=f"Agreement: {AGREEMENT_MEASURES[measure]}",
        definition=f"agreement/#{measure}",
        sentence=agreement_sentence(matrices, measure),
        charts=named_charts([matrix.title for matrix in drawn], charts),
        table=table,
        usual_sort=MEAN_PEOPLE if is_wide else "none",
        empty="" if charts else "no two of the chosen runs answered a common pair",
        notes=[PEOPLE_IN_MATRIX] * has_people + [IN_FILES_NOTE] * is_wide,
        columns_on_page=int(has_people) if is_wide else None,
        are_tables=True,
    )


def _other_contexts(dataset: Dataset, answers: ReportChoice, members: frozenset[str] | None) -> Exclusion:
    """Return the contexts of all other subsets. members: the chosen subsets; None for all."""
    if members is None:
        return NOTHING_LEFT_OUT
    table = candidate_table(dataset, subsets_by=answers.subsets_by)
    contexts = zip(table.context_keys, table.subsets, strict=True)
    return Exclusion.of(contexts=(key for key, subset in contexts if subset not in members))
