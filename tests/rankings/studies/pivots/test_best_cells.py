"""Marks of cells that are not significantly worse than the best: by the tests that compare runs, Holm-adjusted."""

from datetime import UTC, datetime

import pytest

from judging.services.studies.study_changes import create_study
from rankings.compare.all_runs import compare_all
from rankings.frozen.report_content import freeze
from rankings.studies.pivots.best_cells import NO_TEST, SEVERAL_RUNS, ColumnTies, column_ties
from rankings.studies.pivots.pivot import pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import FigureChoice
from rankings.studies.pivots.pivot_source import parts_of_runs
from rankings.studies.pivots.pivot_table import NOT_COMPARED_NOTE, pivot_table
from rankings.studies.study_choice import runs_of_study
from rankings.tables.latex_table import latex_table
from rankings.tables.table import TableStyle, printed_cells
from tests.rankings.studies import compared, make_dataset
from tests.rankings.studies.many_contexts import contexts, right_in, wrong_in

pytestmark = pytest.mark.django_db

BY_JUDGE = PivotChoice(("judge",), ("attribute",))


@pytest.fixture(scope="module")
def study(rows_of_module):
    dataset = make_dataset(contexts(), name="Ties")
    wrong = {"best": range(20, 30), "near": range(12), "next": range(13), "bad": range(30)}
    runs = [compared(dataset, wrong_in(numbers), judge=judge) for judge, numbers in wrong.items()]
    return create_study("Ties", runs=runs)


def ties_of(study, choice):
    parts = parts_of_runs(runs_of_study(study), choice)
    pivot = pivot_of(parts, choice)
    return pivot, column_ties(pivot, parts, choice)


def rows_of(pivot, ties):
    return {pivot.rows[row] for row in ties.rows}


@pytest.mark.parametrize("figure", [FigureChoice(), FigureChoice("spearman", "average-probability")])
def test_ties_are_the_rows_that_do_not_differ_from_the_best(study, figure):
    pivot, [ties] = ties_of(study, PivotChoice(("judge",), ("attribute",), figure))

    assert rows_of(pivot, ties) == {"near", "next"}
    assert ties.untested == {}


def test_runs_as_good_as_the_best_tie_with_it():
    """One has the same answers, and one the same value by other answers."""
    dataset = make_dataset(contexts())
    best, equal = wrong_in(range(20, 30)), wrong_in(range(10))
    runs = {"best": best, "identical": best, "equal": equal, "worse": wrong_in(range(30))}
    study = create_study("Equal", runs=[compared(dataset, each, judge=name) for name, each in runs.items()])

    pivot, [ties] = ties_of(study, BY_JUDGE)

    assert rows_of(pivot, ties) == {"identical", "equal"}
    assert ties.untested == {}


def test_ties_agree_with_the_comparison_of_runs(study):
    pivot, [ties] = ties_of(study, BY_JUDGE)
    runs = runs_of_study(study)
    by_run = {run.pk: run.judge.name for run in runs}

    [accuracy, _] = compare_all(runs).figures

    best = accuracy.runs[0].run
    different = {by_run[pair.other] for pair in accuracy.pairs if pair.one == best and pair.different}
    assert by_run[best] == "best"
    assert rows_of(pivot, ties) == {*by_run.values()} - different - {"best"}


def test_pilot_on_few_contexts_is_not_compared():
    dataset = make_dataset(contexts())
    pilot = "".join(line for line in right_in(30).splitlines(keepends=True) if line[:3] in ("con", "c0,", "c1,", "c2,"))
    runs = {"pilot": pilot, "good": wrong_in([0, 29]), "bad": wrong_in(range(30))}
    study = create_study("Pilot", runs=[compared(dataset, each, judge=name) for name, each in runs.items()])
    parts = parts_of_runs(runs_of_study(study), BY_JUDGE)

    table = pivot_table(parts, BY_JUDGE)

    assert [cell.mark for [cell] in printed_cells(table, TableStyle())] == ["", "best", ""]
    assert [(row.ties, row.untested) for row in table.rows] == [(set(), set())] * 3
    assert NOT_COMPARED_NOTE in table.notes


def test_ties_of_a_subset_come_from_its_contexts(study):
    pivot, ties = ties_of(study, PivotChoice(("judge",), ("subset",)))

    by_subset = dict(zip(pivot.columns, ties, strict=True))
    assert {name: rows_of(pivot, one) for name, one in by_subset.items()} == {
        "all": {"near", "next"},
        "even": {"near", "next"},
        "odd": {"near", "next"},
    }


def test_means_of_several_runs_are_not_tested(study):
    _, [ties] = ties_of(study, PivotChoice(("method",), ("attribute",)))
    other = compared(make_dataset(contexts(2), name="Other"), right_in(2).split("c2,")[0], judge="best")
    study.runs.add(other, through_defaults={"position": 9})
    _, [mixed] = ties_of(study, BY_JUDGE)

    assert ties == ColumnTies()  # one row has no rival
    assert mixed == ColumnTies(why=SEVERAL_RUNS)


def test_figures_without_a_test_say_so(study):
    _, [ties] = ties_of(study, PivotChoice(("judge",), ("attribute",), FigureChoice("kendall")))

    assert ties == ColumnTies(why=NO_TEST)


def test_methods_of_a_frozen_report_name_the_test_behind_the_mark(study):
    choices = {name: PivotChoice(("judge",), ("attribute",), FigureChoice(name)) for name in ("accuracy", "p_first")}
    now = datetime(2026, 1, 1, tzinfo=UTC)

    texts = {
        name: freeze(study, runs_of_study(study), [choice], name="Ties", frozen_at=now, frozen_by="")
        .content.methods[0]
        .text.latex
        for name, choice in choices.items()
    }

    assert r"random signs of the contexts' differences \cite{Fisher1935}, adjusted by Holm" in texts["accuracy"]
    assert "Holm" not in texts["p_first"]


def test_latex_has_the_marks_of_the_page(study):
    parts = parts_of_runs(runs_of_study(study), BY_JUDGE)

    latex = latex_table(pivot_table(parts, BY_JUDGE), TableStyle(interval="none"))

    marked = [line.split(" & ")[0] for line in latex.splitlines() if " & " in line and r"^\dagger$" in line]
    assert marked == ["near", "next"]
