"""The panels of a study's ranking curves."""

import pytest

from rankings.charts.palette import PEOPLE
from rankings.curves.curve_records import CurveChoice
from rankings.studies.charts.kinds.curves import curve_charts, curves_of_runs, panels_of_curves
from rankings.studies.charts.run_panels import MOST_LINES
from rankings.studies.dimensions import names_of_runs
from rankings.studies.study_choice import runs_of_study
from tests.rankings.charts.plotly import valid
from tests.rankings.studies.charts.studies_with_charts import VOTES, add_metric, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]
CHOICE = CurveChoice(rankings=("bradley-terry",))


def curves(study, choice=CHOICE):
    runs = runs_of_study(study)
    return curves_of_runs(runs, names_of_runs(runs), choice)


def charts(study, choice=CHOICE):
    drawn, names = curves(study, choice), names_of_runs(runs_of_study(study))
    made = curve_charts(drawn, panels_of_curves(drawn, names), measure="Spearman", budget=6, subject="Bradley-Terry")
    return [valid(one) for one in made]


def lines(chart):
    return [trace for trace in chart["data"] if trace["mode"] == "lines+markers"]


def test_each_run_has_a_line_with_its_name_at_the_end():
    [chart] = charts(make_study("GPT", "Llama"))

    assert [line["name"] for line in lines(chart)] == ["GPT", "Llama"]
    assert {note["text"] for note in chart["layout"]["annotations"]} == {"GPT", "Llama"}
    assert chart["layout"]["showlegend"] is False


def test_more_runs_than_fit_are_split_over_panels_with_the_same_axes():
    one, other = charts(make_study(*(f"judge {number}" for number in range(MOST_LINES + 2))))

    assert [len(lines(chart)) for chart in (one, other)] == [4, 3]
    assert [one["layout"][axis]["range"] for axis in ("xaxis", "yaxis")] == [
        other["layout"][axis]["range"] for axis in ("xaxis", "yaxis")
    ]
    assert [chart["layout"]["meta"]["name"] for chart in (one, other)] == ["curves-1", "curves-2"]
    assert len({line["line"]["color"] for chart in (one, other) for line in lines(chart)}) == 7


def test_people_are_drawn_once_and_heaviest():
    [chart] = charts(make_study("GPT", "Llama", votes=VOTES), CurveChoice(rankings=("bradley-terry",), people=True))

    *judges, people = lines(chart)
    assert (people["name"], people["line"]["color"]) == ("people", PEOPLE)
    assert people["line"]["width"] > max(line["line"]["width"] for line in judges)
    assert len(judges) == 2


def test_scoring_runs_have_no_curve():
    study = make_study("GPT")
    add_metric(study)

    assert [curve.label for curve in curves(study)] == ["GPT"]


def test_runs_of_one_name_are_told_apart_by_their_number():
    study = make_study("GPT", "GPT ")

    labels = [curve.label for curve in curves(study)]

    assert labels[0] != labels[1]


def test_budget_is_a_line_across_the_chart():
    [chart] = charts(make_study("GPT"))

    [shape] = chart["layout"]["shapes"]
    assert (shape["x0"], shape["x1"]) == (6, 6)
