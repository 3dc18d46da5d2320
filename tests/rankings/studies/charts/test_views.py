"""The tabs of a study with charts: every number is one of a report, choices are in the address, runs stay private."""

import csv
import io
import re
from itertools import pairwise

import pytest
from django.urls import reverse

from judging.models import Run, Study
from judging.services.studies.study_changes import create_study
from rankings.studies.charts.chart_request import CHART_TABS
from tests.commands import printed_json
from tests.rankings.pages import hide, read
from tests.rankings.studies import answers, compared, make_dataset, one_context
from tests.rankings.studies.charts.studies_with_charts import (
    VOTES,
    add_metric,
    cells_by_row,
    contexts_with_systems,
    judged,
    make_study,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]

TABS = tuple(
    f"study-{tab}" for tab in ("curves", "bias", "order", "coverage", "agreement", "calibration", "length", "score-gap")
)


@pytest.fixture(scope="module")
def of_module(rows_of_module):
    """Two judges, and a run outside of the study."""
    make_study("outsider", name="Other")
    return make_study("GPT", "Llama")


@pytest.fixture
def study(of_module):
    return Study.objects.get(pk=of_module.pk)


def curve_points(capsys, run, *options):
    return printed_json(capsys, "curve", str(run.pk), "--ranking", "bradley-terry", *options)["points"]


def test_table_of_curves_has_the_figures_of_the_command_and_what_is_needed_for_the_share(client, study, capsys):
    page = read(client, "study-curves", study, budget=8)

    rows = cells_by_row(page)
    for run in study.runs.all():
        points = curve_points(capsys, run)
        row, wanted = rows[run.judge.name], 0.98 * points[-1]["mean"]
        assert row["value"] == pytest.approx(points[-1]["mean"])
        assert row["comparisons"] == points[-1]["comparisons"] == 12
        assert row["at_budget"] == pytest.approx(next(one["mean"] for one in points if one["comparisons"] == 8))
        assert row["share_98"] == pytest.approx(row["needed_98"] / 12)
        around = [two for two in pairwise(points) if two[0]["mean"] < wanted <= two[1]["mean"]]
        assert around or run.judge.name == "GPT"  # which needs the fewest
        assert all(one["comparisons"] <= row["needed_98"] <= other["comparisons"] for one, other in around[:1])
    assert "outsider" not in rows
    assert (
        f"({rows['GPT']['needed_98']:.0f} of 12 per context) reach 98\u202f% of the correlation of GPT (1.000)" in page
    )
    assert "over all 2 runs" in page


def test_value_at_a_budget_beyond_all_comparisons_says_why_there_is_none(client, study):
    page = read(client, "study-curves", study, budget=500)

    assert "there are 12 comparisons per context" in page
    assert "Budget: 500 of 12 per context" in page


def test_choices_of_the_curves_hold(client, study, capsys):
    chosen = {"ranking": "win-ratio", "draw": "symmetric", "debias": "yes", "budget": 7}

    page = read(client, "study-curves", study, **chosen)

    run = study.runs.get(judge__name="Llama")
    options = ("--ranking", "win-ratio", "--selection", "symmetric", "--debias")
    points = printed_json(capsys, "curve", str(run.pk), *options)["points"]
    assert cells_by_row(page)["Llama"]["value"] == pytest.approx(points[-1]["mean"])
    assert list(cells_by_row(read(client, "study-curves", study, judge="Llama"))) == ["Llama"]
    assert re.search(r'<option value="win-ratio" selected>', page)
    assert re.search(r'<option value="symmetric" selected>', page)
    assert 'name="budget" value="7"' in page


def test_people_are_drawn_where_there_are_votes(client, study):
    voted = make_study("GPT", votes=VOTES, name="Voted")

    assert 'name="people"' not in read(client, "study-curves", study)
    assert "People" in cells_by_row(read(client, "study-curves", voted, people="on"))


def test_scoring_runs_are_named_as_without_a_curve(client, study):
    add_metric(study)

    assert "1 of the runs score candidates one by one and have no curve" in read(client, "study-curves", study)


def test_tables_of_bias_and_coverage_have_the_figures_of_the_report(client, study, capsys):
    bias, coverage = (cells_by_row(read(client, name, study)) for name in ("study-bias", "study-coverage"))

    for row in printed_json(capsys, "report", "--dataset", "Charts")["rows"]:
        for figure in ("p_first", "p_first_debiased", "order_agreement", "threshold"):
            value = row[figure]["value"] if isinstance(row[figure], dict) else row[figure]
            assert bias[row["judge"]].get(figure) == pytest.approx(value)
        assert coverage[row["judge"]]["coverage_100"] == pytest.approx(row["accuracy"]["value"])


def test_sentence_names_the_run_with_most_position_bias(client):
    dataset = make_dataset(one_context(4, 3, 2))
    fair = compared(dataset, answers("a b 0.9", "b a 0.2", "a c 0.8", "c a 0.1"), judge="fair")
    first = compared(dataset, answers("a b 0.9", "b a 0.8", "a c 0.8", "c a 0.6"), judge="first")

    page = read(client, "study-bias", create_study("Bias", runs=[fair, first]))

    assert "first is furthest from 50\u202f%: P(first) 100.0\u202f% → 50.0\u202f% debiased" in page


def test_surest_comparisons_are_those_furthest_from_one_half(client):
    dataset = make_dataset(one_context(4, 3, 2, 1))
    sure = [f"a {other} 0.9" for other in "bcd"] + [f"{other} a 0.4" for other in "bcd"]
    unsure = ["b c 0.45", "c d 0.45", "b d 0.55", "c b 0.55"]
    run = compared(dataset, answers(*sure, *unsure), judge="sure")

    [row] = cells_by_row(read(client, "study-coverage", create_study("Sure", runs=[run]))).values()

    assert row == pytest.approx(
        {"coverage_100": 0.7, "coverage_80": (6 + 2 / 4) / 8, "coverage_60": 1, "coverage_40": 1, "coverage_20": 1}
    )


@pytest.mark.parametrize("measure", ["order_free_alpha", "cohen_kappa", "percent_agreement"])
def test_matrix_of_agreement_has_the_figures_of_the_command(client, study, capsys, measure):
    voted = make_study("GPT", "Llama", votes=VOTES, name="Voted")
    [attribute] = printed_json(capsys, "agreement", "--dataset", "Voted")["attributes"]

    page = read(client, "study-agreement", voted, measure=measure)

    rows = cells_by_row(page)
    if measure == "order_free_alpha":
        assert "Highest agreement: GPT with Llama (order-free alpha " in page
        assert "GPT agrees most with people (mean 1.00)" in page
    gpt, llama = (f"{run.judge.name} (run {run.pk})" for run in voted.runs.order_by("pk"))
    [pair] = [one for one in attribute["pairs_of_raters"] if {one["one"], one["other"]} == {gpt, llama}]
    assert rows["GPT"]["Llama"] == rows["Llama"]["GPT"] == pytest.approx(pair[measure]["value"])
    assert "GPT" not in rows["GPT"]
    if measure != "percent_agreement":
        raters = {rater["name"]: rater for rater in attribute["raters"]}
        assert rows["Mean over people"].get("GPT") == pytest.approx(raters[gpt][f"mean_{measure}"]["value"])
        among_people = attribute["people"][f"mean_{measure}"]["value"]
        assert rows["Mean over people"].get("Mean over people") == pytest.approx(among_people)


def test_runs_without_a_common_pair_have_no_agreement_and_say_so(client):
    dataset = make_dataset(one_context(3, 2, 1))
    runs = [compared(dataset, answers("a b 0.9"), judge="GPT"), compared(dataset, answers("b c 0.9"), judge="Llama")]

    page = read(client, "study-agreement", create_study("Apart", runs=runs))

    assert "Nothing to draw: no two of the chosen runs answered a common pair" in page


def test_table_and_lines_of_calibration_have_the_figures_of_the_diagnostics(client, study, capsys):
    rows = cells_by_row(read(client, "study-calibration", study))
    address = reverse("study-calibration", args=[study.pk])
    file = client.get(address, {"picture": "calibration.csv"}).getvalue().decode()

    for run in study.runs.all():
        own = printed_json(capsys, "diagnostics", str(run.pk))["calibration"]
        expected = {name: own[name]["value"] for name in ("expected_calibration_error", "brier_score")}
        assert rows[run.judge.name] == pytest.approx(expected)
        parts = [one for one in own["bins"] if one["share_first"]["n"]]
        drawn = [(float(x), float(y)) for series, x, y, *_ in csv.reader(io.StringIO(file)) if series == run.judge.name]
        assert drawn == [pytest.approx((one["mean_p_first"]["value"], one["share_first"]["value"])) for one in parts]


def test_table_of_lengths_has_the_figures_of_the_report(client, capsys):
    texts = {"a": "a" * 10, "b": "b" * 20, "c": "c" * 22}
    candidates = [
        {"candidate": key, "text": text, "scores": {"overall": score}}
        for (key, text), score in zip(texts.items(), (3, 1, 2), strict=True)
    ]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates}], name="Lengths")
    run = compared(dataset, answers("a b 0.2", "b c 0.7", "c b 0.8", "c a 0.6"), judge="GPT")

    [row] = cells_by_row(read(client, "study-length", create_study("Lengths", runs=[run]))).values()

    [report] = printed_json(capsys, "report", "--dataset", "Lengths")["rows"]
    own = report["length_preference"]
    by_gap = {f"gap_{place}": one["value"] for place, one in enumerate(own["accuracy_by_gap"], start=1)}
    sides = {name: own[name]["value"] for name in ("accuracy_longer_right", "accuracy_shorter_right")}
    expected = {**by_gap, **sides, "length_preference": own["value"]}
    assert row == pytest.approx({name: value for name, value in expected.items() if value is not None})
    assert len(row) > 3


def test_runs_of_choices_have_no_coverage_and_say_why(client):
    dataset = make_dataset(one_context(2, 1))
    run = compared(dataset, answers("a b first", "b a second"), judge="hard")

    page = read(client, "study-coverage", create_study("Hard", runs=[run]))

    assert re.findall(r'<div class="empty"><p>(.*?)</p>', page) == ["These runs recorded choices, not probabilities."]
    assert "Not available" not in page


@pytest.mark.parametrize("tab", CHART_TABS)
def test_names_that_no_run_has_together_leave_nothing_to_draw(client, tab):
    datasets = [make_dataset(contexts_with_systems(), name=name) for name in "AB"]
    study = create_study("Apart", runs=[judged(datasets[0], "GPT"), judged(datasets[1], "Llama")])

    page = read(client, f"study-{tab}", study, dataset="A", judge="Llama")

    assert "Nothing to draw: no run of the study has all these names." in page


def test_unknown_choices_are_ignored(client, study):
    unknown = dict.fromkeys(("attribute", "ranking", "judge", "sort", "budget"), "x")
    for tab in TABS:
        assert {"GPT", "Llama"} <= cells_by_row(read(client, tab, study, **unknown)).keys(), tab


def test_page_keeps_the_choices_of_other_tabs(client, study):
    for tab in TABS:
        page = read(client, tab, study, figure="p_first", judge="GPT")

        assert '<input type="hidden" name="figure" value="p_first">' in page, tab
        for name in ("study", "study-systems", "study-runs", "study-reports"):
            assert f"{reverse(name, args=[study.pk])}?figure=p_first&amp;judge=GPT" in page, tab


def test_runs_of_the_study_keep_the_choices_of_the_tabs(client, study):
    page = client.get(reverse("study-runs", args=[study.pk]), {"debias": "yes"}).content.decode()

    assert f"{reverse('study-bias', args=[study.pk])}?debias=yes" in page


@pytest.mark.parametrize("tab", TABS)
def test_charts_and_tables_can_be_downloaded(client, study, tab):
    page = read(client, tab, study)

    files = set(re.findall(r'href="[^"]*\?(picture|table)=([\w-]+)\.?(\w*)', page))

    assert {("table", ending, "") for ending in ("tex", "md", "html", "csv", "xlsx")} <= files
    assert {ending for kind, _, ending in files if kind == "picture"} == {"pdf", "svg", "png", "csv", "tex"}
    for kind, name, ending in files - {one for one in files if one[2] in ("pdf", "svg", "png")}:
        value = f"{name}.{ending}" if ending else name
        assert client.get(reverse(tab, args=[study.pk]), {kind: value}).status_code == 200
    assert client.get(reverse(tab, args=[study.pk]), {"table": "doc"}).status_code == 404


def test_runs_of_somebody_else_are_on_no_tab(client, researcher, study):
    study.owner = researcher
    study.save()
    hide(Run.objects.get(judge__name="Llama"))

    for tab in TABS:
        page = read(client, tab, study)

        assert "Llama" not in page, tab
        assert "1 run of this study is not visible to you" in page, tab


def test_study_without_runs_says_what_to_do(client, researcher):
    study = create_study("Empty", owner=researcher)

    for tab in TABS:
        assert "This study has no runs yet" in read(client, tab, study), tab


def test_tabs_take_the_same_queries_for_any_number_of_runs(client, django_assert_max_num_queries):
    study = make_study(*(f"judge {number}" for number in range(4)), name="Four")

    for tab in TABS:
        read(client, tab, study)  # fills the cache
        with django_assert_max_num_queries(20, info=tab):
            read(client, tab, study)


def test_table_of_score_gaps_has_the_accuracy_of_each_difference(client, study):
    """Scores go from 1 to 4, so differences are one, two or three thirds of their range."""
    rows = cells_by_row(read(client, "study-score-gap", study))

    run = study.runs.get(judge__name="Llama")
    right = {1: [], 2: [], 3: []}
    for first, second, p_first in run.comparisons.values_list("first__key", "second__key", "p_first"):
        gap = "abcd".index(second) - "abcd".index(first)  # the earlier candidate has the higher score
        right[abs(gap)].append((p_first > 0.5) == (gap > 0))
    assert rows["GPT"] == {"score_gap_3": 1, "score_gap_4": 1}
    assert rows["Llama"]["score_gap_3"] == pytest.approx(sum(right[1]) / len(right[1]))
    assert rows["Llama"]["score_gap_4"] == pytest.approx(sum(right[2] + right[3]) / len(right[2] + right[3]))
