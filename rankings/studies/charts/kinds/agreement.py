"""The agreement between the runs of a study, and with people, as a matrix."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from django.urls import reverse

from evenhand.numerics import Figure
from evenhand.numerics.figure import FigureOver, defined
from evenhand.options import Option
from judging.models import NOTHING_LEFT_OUT, Dataset, Exclusion, Run
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AttributeAgreement
from rankings.charts.matrix_chart import matrix_chart
from rankings.charts.plotly_chart import Chart
from rankings.loading import candidate_table
from rankings.report.printed_numbers import coefficient
from rankings.report.report_choice import ReportChoice
from rankings.studies.charts.chart_tab import IN_FILES_NOTE, MOST_COLUMNS_ON_PAGE, ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.panels import panel_name
from rankings.studies.charts.run_panels import in_sections, panels_of_questions
from rankings.tables.table import Column, Row, Table

ALPHA = "order_free_alpha"
AGREEMENT_MEASURES = {ALPHA: "Alpha, order-free", "cohen_kappa": "Cohen’s kappa", "percent_agreement": "Equal answers"}
WITHIN_A_SENTENCE = {ALPHA: "order-free alpha", "cohen_kappa": "Cohen’s kappa", "percent_agreement": "equal answers"}
MEAN_OVER_PEOPLE = {ALPHA: "mean_order_free_alpha", "cohen_kappa": "mean_cohen_kappa"}
"""measure -> the mean over people that stands in the row of people. The others have none."""
MEAN_PEOPLE = "Mean over people"
COUPLES_OF_PEOPLE = ("couple of people", "couples of people")
PEOPLE_IN_MATRIX = (
    "People with each other: all couples, on all contexts. A judge with people: on the pairs that both judged."
)
NO_COMMON_PAIRS = "no pair has the answers of both"
NO_PEOPLE_MEAN = "this measure has no mean over people"


@dataclass(frozen=True, slots=True)
class AgreementMatrix:
    """The agreement of all pairs of raters of one question. Cells of a rater with itself are None."""

    title: str
    names: Sequence[str]
    runs: Sequence[Run | None]
    cells: Sequence[Sequence[Figure | None]]

    @property
    def values(self) -> list[list[float | None]]:
        return [[cell.value if cell else None for cell in row] for row in self.cells]

    @property
    def has_value(self) -> bool:
        return any(value is not None for row in self.values for value in row)


def agreement_tab(
    chosen: ChosenRuns,
    *,
    measure: Annotated[str, Option("Of agreement.", "Measured by", choices=AGREEMENT_MEASURES)] = ALPHA,
) -> ChartTab:
    """Draw a matrix for each dataset and attribute. It reads answers as they are."""
    runs, labels, answers, members = chosen.runs, chosen.labels, chosen.rows.answers, chosen.subsets
    matrices = [
        _matrix(
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
        _chart(matrix, name=panel_name("agreement", number, len(drawn)), measure=measure)
        for number, matrix in enumerate(drawn, start=1)
    ]
    table = _table(matrices, measure)
    is_wide = len(table.columns) > MOST_COLUMNS_ON_PAGE
    has_people = table.columns[0].name == MEAN_PEOPLE
    return ChartTab(
        name="agreement",
        title=f"Agreement: {AGREEMENT_MEASURES[measure]}",
        definition=f"agreement/#{measure}",
        sentence=_sentence(matrices, measure),
        charts=named_charts([matrix.title for matrix in drawn], charts),
        table=table,
        usual_sort=MEAN_PEOPLE if is_wide else "none",
        empty="" if charts else "no two of the chosen runs answered a common pair",
        notes=[PEOPLE_IN_MATRIX] * has_people + [IN_FILES_NOTE] * is_wide,
        columns_on_page=int(has_people) if is_wide else None,
        are_tables=True,
    )


def _matrix(
    runs: Sequence[Run], labels: Mapping[int, str], measure: str, answers: ReportChoice, *, title: str
) -> AgreementMatrix:
    """Return the matrix of the runs of one dataset and attribute; people, where somebody voted, come first."""
    report = agreement_report(runs[0].dataset, attributes=[runs[0].attribute], runs=runs, choice=answers)
    [row] = report.attributes
    pairs = _figures_of_pairs(row, measure)
    names = {rater.run: rater.name for rater in row.raters if rater.run}
    judged = [
        [
            None if one is other else pairs.get((names[one.pk], names[other.pk]), Figure.missing(NO_COMMON_PAIRS))
            for other in runs
        ]
        for one in runs
    ]
    if not row.people.raters:
        return AgreementMatrix(title, [labels[run.pk] for run in runs], runs, judged)
    with_people, among_people = _of_people(row, runs, measure)
    return AgreementMatrix(
        title,
        [MEAN_PEOPLE, *(labels[run.pk] for run in runs)],
        [None, *runs],
        [[among_people, *with_people], *([one, *line] for one, line in zip(with_people, judged, strict=True))],
    )


def _chart(matrix: AgreementMatrix, *, name: str, measure: str) -> Chart:
    """Draw the matrix. Shades go from 0, or the lowest value below it, to 1."""
    values = [value for row in matrix.values for value in row if value is not None]
    title = AGREEMENT_MEASURES[measure]
    note = f"{title}: 1 is perfect agreement."
    return matrix_chart(
        matrix.names,
        matrix.values,
        name=name,
        title=title,
        note=f"{matrix.title}. {note}" if matrix.title else note,
        ends=(min(0.0, *values), 1.0) if values else (0.0, 1.0),
    )


def _table(matrices: Sequence[AgreementMatrix], measure: str) -> Table:
    """Return the matrices as one table."""
    names = list(dict.fromkeys(name for matrix in matrices for name in matrix.names))
    column = partial(Column, kind="share" if measure == "percent_agreement" else "coefficient")
    rows = []
    for matrix in matrices:
        for name, run, line in zip(matrix.names, matrix.runs, matrix.cells, strict=True):
            of_column = dict(zip(matrix.names, line, strict=True))
            row = Row((matrix.title, name), tuple(map(of_column.get, names)), of="people")
            rows.append(replace(row, of="judge", href=reverse("run-results", args=[run.pk])) if run else row)
    columns = [column(name=name, title=name, definition=f"agreement/#{measure}") for name in names]
    return in_sections("Attribute", "Run", columns, rows)


def _sentence(matrices: Sequence[AgreementMatrix], measure: str) -> str:
    """Write the two runs that agree most, and the run that agrees most with people; "" without a pair of runs."""
    pairs = [
        (defined(cell.value), matrix.names[one], matrix.names[other])
        for matrix in matrices
        for one, line in enumerate(matrix.cells)
        for other, cell in enumerate(line)
        if one < other and cell and cell.value is not None and matrix.runs[one] and matrix.runs[other]
    ]
    with_people = [
        (defined(cell.value), name)
        for matrix in matrices
        if matrix.runs[0] is None
        for name, cell in zip(matrix.names[1:], matrix.cells[0][1:], strict=True)
        if cell and cell.value is not None
    ]
    title = WITHIN_A_SENTENCE[measure]
    sentences = []
    if pairs:
        value, one, other = max(pairs)
        sentences.append(f"Highest agreement: {one} with {other} ({title} {coefficient(value, 2)}).")
    if with_people:
        value, name = max(with_people)
        sentences.append(f"{name} agrees most with people (mean {coefficient(value, 2)}).")
    return " ".join(sentences)


def _figures_of_pairs(row: AttributeAgreement, measure: str) -> dict[tuple[str, str], Figure]:
    figures = {(pair.one, pair.other): getattr(pair, measure) for pair in row.pairs_of_raters}
    return figures | {(other, one): figure for (one, other), figure in figures.items()}


def _of_people(row: AttributeAgreement, runs: Sequence[Run], measure: str) -> tuple[list[Figure], Figure]:
    """Return the agreement of each run with people, and of people with each other: means over people."""
    if measure not in MEAN_OVER_PEOPLE:
        return [Figure.missing(NO_PEOPLE_MEAN) for _ in runs], Figure.missing(NO_PEOPLE_MEAN)
    raters = {rater.run: rater for rater in row.raters if rater.run}
    mean = MEAN_OVER_PEOPLE[measure]
    of_couples: Figure = getattr(row.people, mean)
    return (
        [FigureOver.people(getattr(raters[run.pk], mean)) for run in runs],
        FigureOver(of_couples.value, n=of_couples.n, undefined=of_couples.undefined, counted=COUPLES_OF_PEOPLE),
    )


def _other_contexts(dataset: Dataset, answers: ReportChoice, members: frozenset[str] | None) -> Exclusion:
    """Return the contexts of all other subsets. members: the chosen subsets; None for all."""
    if members is None:
        return NOTHING_LEFT_OUT
    table = candidate_table(dataset, subsets_by=answers.subsets_by)
    contexts = zip(table.context_keys, table.subsets, strict=True)
    return Exclusion.of(contexts=(key for key, subset in contexts if subset not in members))
