"""Comparisons of runs in long form, by command, page and HTTP API."""

import pytest

from rankings.compare.all_runs import compare_all
from rankings.compare.long_lines import compared_long_form
from rankings.compare.two_runs import compare_runs
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset


@pytest.fixture
def runs(db):
    dataset = make_dataset()
    return [compared(dataset, WORKED_ANSWERS.replace("0.9", p_first), judge=p_first) for p_first in ("0.9", "0.2")]


def lines_of(report, **names):
    lines = list(compared_long_form(report).lines)
    return [line for line in lines if all(line[name] == value for name, value in names.items())]


def number_of(report, **names):
    [line] = lines_of(report, **names)
    return {part: line[part] for part in ("value", "low", "high", "n", "undefined")}


def test_two_runs_have_a_line_for_each_of_their_figures_and_for_what_is_between_them(runs):
    report = compare_runs(*runs)

    for run, side in zip(runs, (report.one, report.other), strict=True):
        assert number_of(report, run=run.pk, figure="accuracy", other_run=None) == vars(side.accuracy)
        assert number_of(report, run=run.pk, figure="p_first")["value"] == side.p_first.value

    assert number_of(report, figure="percent_agreement") == vars(report.percent_agreement)
    assert number_of(report, figure="mcnemar", variant="n")["value"] == report.mcnemar.n
    for one in report.pooled:
        assert number_of(report, figure="pooled", variant=f"{one.ranking}.between")["value"] == one.between


def test_two_runs_have_a_line_for_each_difference_and_its_p_values(runs):
    report = compare_runs(*runs)

    for row in report.differences:
        names = {"variant": ".".join(filter(None, (row.figure, row.ranking))), "other_run": runs[1].pk}
        line = number_of(report, figure="difference", **names)
        assert line == {
            **{"value": row.difference, "low": row.low, "high": row.high},
            **{"n": row.contexts, "undefined": row.undefined},
        }
        assert number_of(report, figure="p_value_holm", **names)["value"] == row.p_value_holm
        assert number_of(report, figure="perm_both", **names)["value"] == row.perm_both.value


def test_all_runs_have_lines_with_letters_and_a_line_for_each_pair(runs):
    dataset = runs[0].dataset
    silent = compared(dataset, "context,attribute,first,second,choice\nc0,overall,a,b,error\n", judge="silent")
    report = compare_all([*runs, silent])

    for block in report.figures:
        for row in block.runs:
            [line] = lines_of(report, run=row.run, figure=block.figure)
            assert (line["value"], line["letters"]) == (row.figure.value, " ".join(row.letters) or None)
        assert len(lines_of(report, figure="difference")) == sum(len(one.pairs) for one in report.figures)
        [line] = lines_of(report, run=silent.pk, figure=block.figure)
        assert (line["value"], line["undefined"]) == (None, "has no answer yet")


def test_every_line_without_a_value_has_a_reason(runs):
    for report in (compare_runs(*runs), compare_all(runs)):
        reasons = [line["undefined"] for line in compared_long_form(report).lines if line["value"] is None]
        assert all(reasons)
