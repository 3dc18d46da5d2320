"""The lines of the long form: which figure, variant, interval, n and reason each has."""

import pytest

from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import agreement_long_form
from rankings.curves.curve_page import curve_long_form
from rankings.curves.curve_records import CurveChoice
from rankings.curves.curve_report import curve_report
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.diagnostics.diagnostics_row import diagnostics_long_form
from rankings.report.figures.figure_definitions import FIGURES
from rankings.report.long_lines import figure_lines, report_long_form
from rankings.report.report_rows import report_rows
from rankings.scores.score_rows import scores_long_form, scores_of
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.studies import compared, make_dataset

pytestmark = pytest.mark.django_db


def line_of(form, **names):
    """The one line with these names, as the numbers of its figure."""
    [line] = [line for line in form.lines if all(line[name] == value for name, value in names.items())]
    return {part: line[part] for part in ("value", "low", "high", "n", "undefined")}


@pytest.fixture
def run():
    return compared(make_dataset(), judge="gpt-4")


def test_line_names_its_run_and_subset_and_has_a_value_or_a_reason(run):
    form = report_long_form(report_rows(run.dataset))

    named = {tuple(line[name] for name in ("run", "judge", "method", "prompt", "attribute")) for line in form.lines}
    assert named == {(run.pk, "gpt-4", "comparative", "recorded", "overall")}
    assert list(dict.fromkeys(line["subset"] for line in form.lines)) == ["all", "scored", "voted"]

    assert [line for line in form.lines if line["value"] is None and not line["undefined"]] == []


OF_THINKING = ("thinking_shift", "thinking_flips")


def test_report_has_no_line_for_figures_of_thinking_if_the_judge_does_not_think(run):
    lines = report_long_form(report_rows(run.dataset)).lines

    assert not {line["figure"] for line in lines} & set(OF_THINKING)


def test_report_has_a_line_for_every_figure(run):
    row = report_rows(run.dataset)[0]

    form = report_long_form([row])

    for figure in FIGURES.keys() - OF_THINKING:
        line, expected = line_of(form, figure=figure, variant=None), row.value_of(FIGURES[figure])
        assert (line["value"], line["undefined"]) == (expected.value, expected.undefined), figure


def test_correlation_has_a_line_for_every_ranking_bias_and_level(run):
    row = report_rows(run.dataset)[0]
    block = row.spearman["win-ratio"].raw

    form = report_long_form([row])

    per_context = line_of(form, figure="spearman", variant="win-ratio.raw.per_context")
    assert (per_context["value"], per_context["low"], per_context["n"]) == (
        block.per_context,
        block.per_context_low,
        block.contexts,
    )
    assert line_of(form, figure="spearman", variant="win-ratio.raw.system")["value"] == block.system
    assert line_of(form, figure="spearman", variant="win-ratio.debiased.skipped")["value"] == 1
    ties = row.accuracy_with_ties["win-ratio"].raw
    line = line_of(form, figure="accuracy_with_ties", variant="win-ratio.raw.pooled")
    assert (line["value"], line["n"]) == (ties.pooled, ties.pooled_pairs)


def test_counts_preferences_and_trust_checks_have_lines(run):
    row = report_rows(run.dataset)[0]
    form = report_long_form([row])

    assert line_of(form, figure="unparsed")["value"] == 1.0
    assert line_of(form, figure="length_preference", variant="human")["n"] == row.length_preference.human.n
    assert line_of(form, figure="length_preference", variant="accuracy_by_gap.0-0.1")["n"] == 7
    assert line_of(form, figure="trust", variant="both-orders")["value"] == 0.75
    assert line_of(form, figure="trust", variant="both-orders.passed")["undefined"].startswith("a note")
    assert line_of(form, figure="trust", variant="errors.passed")["value"] == 0.0
    assert line_of(form, figure="trust", variant="connected.passed")["value"] == 1.0
    assert line_of(form, figure="trust", variant="better-than-constant.passed")["undefined"].startswith("accuracy is")
    assert line_of(form, figure="trust", variant="better-than-constant.needed")["value"] == 8


def test_figure_with_parts_has_a_line_for_each():
    document = {"share": {"value": 1, "n": 2, "human": {"value": None, "undefined": "no votes"}, "name": "x"}}

    assert [
        (line["figure"], line["variant"], line["value"], line["undefined"]) for line in figure_lines(document, {})
    ] == [("share", None, 1.0, None), ("share", "human", None, "no votes")]


def test_agreement_names_the_raters_of_a_line():
    dataset = voted_dataset(contexts=4)
    run = judged(dataset, "careful")
    report = agreement_report(dataset, attributes=[run.attribute], runs=[run])
    [row] = report.attributes

    form = agreement_long_form(report)

    judge = next(rater for rater in row.raters if rater.run == run.pk)
    assert line_of(form, rater=judge.name, figure="accuracy")["value"] == judge.accuracy.value
    pair = row.pairs_of_raters[0]
    assert line_of(form, rater=pair.one, other=pair.other, figure="cohen_kappa")["value"] == pair.cohen_kappa.value
    alpha = row.people.krippendorff_alpha
    assert line_of(form, figure="krippendorff_alpha", variant="people") == {
        **{"value": alpha.value, "low": alpha.low, "high": alpha.high},
        **{"n": alpha.n, "undefined": alpha.undefined},
    }


def test_diagnostics_name_the_part_that_a_line_is_about():
    run = judged(voted_dataset(contexts=4), "careful")
    report = diagnostics_of(run, runs=[run])

    form = diagnostics_long_form(report)

    split = report.own.reliability["bradley-terry"].split_half
    assert line_of(form, figure="reliability", variant="bradley-terry.split_half")["value"] == split.value
    rater = report.rater_fit.raters[0]
    assert line_of(form, figure="rater_fit", variant=f"raters.{rater.name}.infit")["value"] == rater.infit.value


def test_curve_has_a_line_for_every_point():
    run = judged(voted_dataset(contexts=4), "careful")
    report = curve_report(run, CurveChoice(("win-ratio",), biases=("raw", "debiased"), people=True, draws=3))

    form = curve_long_form(report)

    assert len(list(form.lines)) == len(report.points) + len(report.worth)
    point = next(point for point in report.points if point.debiased)
    assert line_of(form, source="judge", figure="spearman", bias="debiased", comparisons=point.comparisons) == {
        **{"value": point.mean, "low": point.low, "high": point.high},
        **{"n": point.draws, "undefined": point.undefined},
    }


def test_scores_have_a_line_for_every_number_of_a_candidate_and_every_win_rate(run):
    report = scores_of(run, ranking="win-ratio")

    form = scores_long_form(report)

    assert len(list(form.lines)) == 4 * len(report.scores) + len(report.systems)
    assert line_of(form, context="c0", candidate="a", figure="score")["value"] == report.scores[0].score
    assert line_of(form, context="c0", candidate="a", figure="standard_error")["undefined"]
