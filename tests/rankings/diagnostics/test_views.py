"""The page of a run's diagnostics: sentences, tables and charts."""

import pytest
from django.urls import reverse

from judging.models import Run
from tests.commands import printed_json
from tests.factories import make_dataset as make_unjudged_dataset
from tests.factories import make_run
from tests.rankings.charts.plotly import valid
from tests.rankings.pages import read
from tests.rankings.report.report_figures import diagnostics_json
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


@pytest.fixture(scope="module")
def run(rows_of_module):
    return compared(make_dataset(name="Worked"))


def blocks(client, run):
    """Return name of a table or chart of the page -> the block as it is drawn."""
    shown = client.get(reverse("run-diagnostics", args=[run.pk])).context["blocks"]
    return {one.name: one for one in shown if one.name}


def report(run):
    return diagnostics_json(run, runs=Run.objects.filter(attribute=run.attribute).order_by("pk"))


def test_page_begins_with_the_calibration(client, run):
    page = read(client, "run-diagnostics", run)

    assert "differs on average by 34.3 points" in page
    assert "(n = 7)." in page
    assert 'id="chart-reliability"' in page
    assert 'id="chart-joint"' in page


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("calibration", ("expected_calibration_error", "brier_score")),
        ("consistency", ("cyclic_triads", "weak_violations", "moderate_violations", "strong_violations")),
    ],
)
def test_figures_of_the_report_are_the_row_of_a_table(client, run, table, names):
    own = report(run)[table]

    [row] = blocks(client, run)[table].table.sections[0].rows

    shown = {cell.column.definition.partition("#")[2]: float(cell.sort_value) for cell in row.cells}
    expected = {name: own[name]["value"] for name in names if own[name]["value"] is not None}
    assert {name: shown[name] for name in expected} == pytest.approx(expected)
    assert expected


def test_charts_draw_the_parts_that_have_comparisons(client, run):
    shown = blocks(client, run)

    _, parts = valid(shown["chart-reliability"].block.chart)["data"]
    cells, means = valid(shown["chart-joint"].block.chart)["data"]
    assert parts["y"] == [0, 0, 0, 0, 1, 1, 1]
    assert len(means["y"]) == 6
    assert (len(cells["x"]), len(cells["y"])) == (20, 21)


def test_page_leads_from_a_cycle_to_its_comparisons(client):
    run = compared(make_dataset(one_context(3, 2, 1)), answers("a b 0.9", "b c 0.8", "a c 0.3"))

    assert f"{reverse('run-comparisons', args=[run.pk])}?context=c0" in read(client, "run-diagnostics", run)


def test_page_gives_the_reasons_of_undefined_figures(client):
    run = scored(make_dataset(), "context,attribute,candidate,score\nc0,overall,a,3\nc0,overall,b,1\n")

    page = read(client, "run-diagnostics", run)

    assert "No calibration error: a run that scores candidates one by one gives no probability." in page
    assert "(scores of single candidates have neither comparisons to split nor standard errors)" in page
    assert "chart-reliability" not in page


def test_page_of_a_run_without_answers_says_so(client, researcher):
    page = read(client, "run-diagnostics", make_run(make_unjudged_dataset(), owner=researcher))

    assert "No calibration error: no comparison has an answer." in page
    assert "nobody has answered anything" in page


def test_systems_show_the_estimates_with_the_judge(client):
    """Four systems; people voted in the first half of thirty contexts, the judge answered all."""
    contexts = [system_context(number) for number in range(30)]
    lines = [
        f"c{number},overall,{first},{second},0.{6 + number % 3}" for number in range(30) for first, second in PAIRS_SORT
    ]
    run = compared(make_dataset(contexts), "\n".join(["context,attribute,first,second,p_first", *lines]))

    page = read(client, "run-diagnostics", run)

    assert "People voted on 90 of the pairs of two systems, in 15 contexts; the judge alone answered 90 more." in page
    systems = report(run)["prediction_powered"]["systems"]
    assert figures(client, run, "prediction-powered-estimate") == {
        one["system"]: {
            "labelled_pairs": str(one["labelled_pairs"]),
            "win_rate_people": f"{100 * one['win_rate_people']['value']:.1f}",
            "win_rate_effective_n": f"{one['win_rate_effective_n']['value']:,.0f}",
        }
        for one in systems
    }


def figures(client, run, table):
    """Return name of a row -> column -> number, for some columns of a table of the page."""
    shown = blocks(client, run)[table].table
    columns = ("labelled_pairs", "win_rate_people", "win_rate_effective_n")
    rows = [row for section in shown.sections for row in section.rows]
    return {
        row.name: {cell.column.name: cell.number for cell in row.cells if cell.column.name in columns} for row in rows
    }


def test_every_rater_is_shown_judges_before_people(client, run):
    for number in range(45):
        compared(run.dataset, judge=f"judge-{number}")

    sections = blocks(client, run)["fit-of-the-raters"].table.sections

    assert [section.title for section in sections] == ["Judges", "People"]
    assert sum(len(section.rows) for section in sections) == len(report(run)["rater_fit"]["raters"]) > 45


PAIRS_SORT = ("ab", "ac", "ad", "bc", "bd", "cd")


def system_context(number):
    votes = [
        {"attribute": "overall", "first": first, "second": second, "choice": choice(number, place), "rater": "h1"}
        for place, (first, second) in enumerate(PAIRS_SORT)
    ]
    candidates = [{"candidate": key, "system": key.upper(), "text": key} for key in "abcd"]
    return {
        "context": f"c{number}",
        "text": "An article.",
        "candidates": candidates,
        "votes": votes if number < 15 else [],
    }


def choice(number, place):
    return "second" if (number + place) % 3 == 0 else "first"


def test_page_and_command_plan_votes_for_a_width(client, capsys):
    """People voted on one pair of each of 24 contexts; the judge answered 120."""
    contexts = [
        {
            "context": f"c{number}",
            "text": "Article",
            "candidates": [{"candidate": key, "system": key, "text": key} for key in "ab"],
            "votes": [{"attribute": "overall", "first": "a", "second": "b", "choice": choice, "rater": "h"}]
            if number < 24
            else [],
        }
        for number in range(120)
        for choice in [("first", "second", "first")[number % 3]]
    ]
    lines = [f"c{number},overall,a,b,{0.8 if number % 3 != 1 else 0.3}," for number in range(120)]
    run = compared(make_dataset(contexts), "\n".join(["context,attribute,first,second,p_first,choice", *lines]) + "\n")

    wide, narrow = (
        printed_json(capsys, "diagnostics", run.pk, *options)["votes_to_buy"] for options in (("--width", "0.3"), ())
    )

    assert (wide["width"], narrow["width"], wide["contexts"]) == (0.3, 0.1, 24)
    assert wide["with_judge"]["value"] < wide["people_alone"]["value"] < narrow["people_alone"]["value"]
    page = client.get(reverse("run-diagnostics", args=[run.pk]), {"width": "0.3"}).content.decode()
    assert f"Intervals of 30.0 points for every win rate take votes in {wide['with_judge']['value']} contexts" in page
    assert "So far 24 have votes." in page
    assert client.get(f"/api/runs/{run.pk}/diagnostics/?width=0.3").json()["votes_to_buy"] == wide
