"""Marks of cells that are not significantly worse than the best: by the tests that compare runs, Holm-adjusted."""

import pytest

from judging.services.studies.study_changes import create_study
from rankings.compare.all_runs import compare_all
from rankings.studies.best_cells import NO_TEST, SEVERAL_RUNS, column_ties
from rankings.studies.pivot import pivot_of
from rankings.studies.pivot_choice import PivotChoice
from rankings.studies.pivot_figures import FigureChoice
from rankings.studies.pivot_source import parts_of_runs
from rankings.studies.study_choice import runs_of_study
from tests.rankings.studies import compared, make_dataset
from tests.rankings.studies.many_contexts import contexts, right_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

BY_JUDGE = PivotChoice(("judge",), ("attribute",))


@pytest.fixture
def study():
    dataset = make_dataset(contexts())
    runs = [compared(dataset, right_in(right), judge=f"right in {right}") for right in (28, 27, 26, 8)]
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

    assert rows_of(pivot, ties) == {"right in 27", "right in 26"}
    assert ties.untested == ""


def test_runs_as_good_as_the_best_tie_with_it():
    """One has the same answers, and one the same value by other answers."""
    dataset = make_dataset(contexts())
    best, others = right_in(28), right_in(28).replace("c0,", "c30,").replace("c29,", "c0,").replace("c30,", "c29,")
    runs = {"best": best, "identical": best, "equal": others, "worse": right_in(8)}
    study = create_study("Equal", runs=[compared(dataset, each, judge=name) for name, each in runs.items()])

    pivot, [ties] = ties_of(study, BY_JUDGE)

    assert rows_of(pivot, ties) == {"identical", "equal"}
    assert ties.untested == ""


def test_ties_agree_with_the_comparison_of_runs(study):
    pivot, [ties] = ties_of(study, BY_JUDGE)
    runs = runs_of_study(study)
    by_run = {run.pk: run.judge.name for run in runs}

    [accuracy, _] = compare_all(runs).figures

    best = accuracy.runs[0].run
    different = {by_run[pair.other] for pair in accuracy.pairs if pair.one == best and pair.different}
    assert by_run[best] == "right in 28"
    assert rows_of(pivot, ties) == {*by_run.values()} - different - {"right in 28"}


def test_ties_of_a_subset_come_from_its_contexts(study):
    pivot, ties = ties_of(study, PivotChoice(("judge",), ("subset",)))

    by_subset = dict(zip(pivot.columns, ties, strict=True))
    assert {name: rows_of(pivot, one) for name, one in by_subset.items()} == {
        "all": {"right in 27", "right in 26"},
        "even": {"right in 27", "right in 26"},
        "odd": {"right in 27", "right in 26"},
    }


def test_means_of_several_runs_are_not_tested(study):
    _, [ties] = ties_of(study, PivotChoice(("method",), ("attribute",)))
    other = compared(make_dataset(contexts(2), name="Other"), right_in(2).split("c2,")[0], judge="right in 28")
    study.runs.add(other, through_defaults={"position": 9})
    _, [mixed] = ties_of(study, BY_JUDGE)

    assert (ties.rows, ties.untested) == (frozenset(), "")  # one row has no rival
    assert (mixed.rows, mixed.untested) == (frozenset(), SEVERAL_RUNS)


def test_figures_without_a_test_say_so(study):
    _, [ties] = ties_of(study, PivotChoice(("judge",), ("attribute",), FigureChoice("kendall")))

    assert (ties.rows, ties.untested) == (frozenset(), NO_TEST)
