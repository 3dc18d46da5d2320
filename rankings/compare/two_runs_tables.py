"""The tables of the page that compares two runs. Each row is a figure; each has a column for each run."""

from __future__ import annotations

from functools import partial

from django.http import QueryDict
from django.urls import reverse

from rankings.compare.comparison_of_runs import FigureDifference, PooledTest, PooledTests, RunsCompared
from rankings.numerics import Figure
from rankings.report.figures.figure_definitions import FIGURES
from rankings.report.pages.headline_figures import variant_title
from rankings.tables.figure_table import FigureTable, table_by_address
from rankings.tables.table import Column, Kind, Row, Table

UNTESTED_SHARES = ("p_first", "order_agreement")
"""Figures of each run that have no test."""
_P = partial(Column, kind="p", parts=(), lowest_first=True)
P_COLUMN = _P(name="p_value", title="p", definition="agreement/#p_value")
SWAPPED_P = _P(name="perm_both", title="p, scores swapped", definition="agreement/#perm_both")
POOLED_P_COLUMNS = (
    _P(name="williams", title="Williams", group="p", definition="agreement/#pooled"),
    _P(name="steiger", title="Steiger", group="p", definition="agreement/#pooled"),
)
NOTES_ON_TESTS = (
    "p, scores swapped: permutation test PERM-BOTH, which swaps the two standardised scores of a candidate; "
    "not adjusted.",
    "A scoring run has the same scores for every ranking.",
)


def shares_table(result: RunsCompared, address: QueryDict) -> FigureTable:
    """Return accuracy, with the test of its difference, P(first) and order agreement of both runs."""
    columns = (*_run_columns(result, "share"), _difference_column("share"), _noise_column("share"), P_COLUMN)
    tested = _accuracy_row(result)
    others = (
        Row(
            (FIGURES[name].title,),
            (getattr(result.one, name), getattr(result.other, name), None, None, None, None),
            href=_definition(f"report/#{name}"),
        )
        for name in UNTESTED_SHARES
    )
    table = Table(("Figure",), columns, (tested, *others), notes=(_difference_note(result, "percentage points"),))
    return _page_table(table, "Accuracy and position bias", address)


def correlations_table(result: RunsCompared, address: QueryDict) -> FigureTable:
    """Return Spearman’s correlation per context of both runs by each ranking, with the tests of their difference."""
    tests = (_difference_column("coefficient"), _noise_column("coefficient"), P_COLUMN, SWAPPED_P)
    columns = (*_run_columns(result, "coefficient"), *tests)
    rows = tuple(
        Row(
            (variant_title(row.ranking),),
            (_of_run(row, row.one), _of_run(row, row.other), *_tested(row), row.perm_both),
        )
        for row in result.differences
        if row.ranking
    )
    notes = (_difference_note(result, "correlation"), *NOTES_ON_TESTS)
    return _page_table(Table(("Ranking",), columns, rows, notes=notes), "Spearman per context", address)


def pooled_table(result: RunsCompared, address: QueryDict) -> FigureTable:
    """Return Spearman’s correlation over all candidates pooled, by each ranking, with two tests."""
    between = Column(name="between", title="Between the two", kind="coefficient", definition="agreement/#pooled")
    rows = tuple(_pooled_row(line) for line in result.pooled)
    columns = (*_run_columns(result, "coefficient"), between, *POOLED_P_COLUMNS)
    return _page_table(Table(("Ranking",), columns, rows), "Pooled correlations", address)


def short_names(result: RunsCompared) -> tuple[str, str]:
    """Return short names that distinguish both runs: their judges, else their prompts, else their numbers."""
    one, other = result.one.name, result.other.name
    if one.judge != other.judge:
        return one.judge, other.judge
    if one.prompt != other.prompt:
        return one.prompt, other.prompt
    return f"run {one.run}", f"run {other.run}"


def _difference_note(result: RunsCompared, unit: str) -> str:
    one, other = short_names(result)
    return f"Difference: {one} minus {other}, in {unit}, with its 95 % interval; its n counts contexts."


def _run_columns(result: RunsCompared, kind: Kind) -> tuple[Column, Column]:
    one, other = short_names(result)
    reference = 0.5 if kind == "share" else None
    return (
        Column(name="one", title=one, kind=kind, reference=reference),
        Column(name="other", title=other, kind=kind, reference=reference),
    )


def _difference_column(kind: Kind) -> Column:
    return Column(
        name="difference",
        title="Difference",
        kind=kind,
        definition="agreement/#differences",
        reference=0,
        observations="context",
    )


def _noise_column(kind: Kind) -> Column:
    return Column(name="noise_floor", title="Noise floor", kind=kind, parts=(), definition="agreement/#noise_floor")


def _accuracy_row(result: RunsCompared) -> Row:
    row = result.differences[0]
    return Row(
        (FIGURES["accuracy"].title,),
        (result.one.accuracy, result.other.accuracy, *_tested(row)),
        href=_definition("report/#accuracy"),
    )


def _tested(row: FigureDifference) -> tuple[Figure, Figure, Figure]:
    """Return the difference of a figure, its noise floor, and its p-value, where enough contexts differ for a test."""
    why = row.undefined or "no value"
    difference = Figure(row.difference, row.low, row.high, row.contexts, row.undefined)
    return difference, row.noise_floor, Figure.missing(why) if row.p_value_holm is None else Figure(row.p_value_holm)


def _of_run(row: FigureDifference, value: float | None) -> Figure:
    return Figure.missing(row.undefined or "no value") if value is None else Figure(value)


def _pooled_row(line: PooledTests) -> Row:
    values = (line.one, line.other, line.between)
    figures = (
        Figure.missing(line.undefined or "no value") if value is None else Figure(value, n=line.candidates)
        for value in values
    )
    return Row((variant_title(line.ranking),), (*figures, *map(_p_of, (line.williams, line.steiger))))


def _p_of(test: PooledTest) -> Figure:
    return Figure.missing(test.undefined or "no value") if test.p_value is None else Figure(test.p_value)


def _definition(address: str) -> str:
    return f"{reverse('docs')}reference/{address}"


_page_table = partial(table_by_address, first_on_cards="difference")
