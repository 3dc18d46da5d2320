"""The page of a tab: its charts, its table, which of them is first, and what is folded."""

import csv
import io
import json
import re

import pytest
from django.urls import reverse

from rankings.studies.charts.chart_tab import SCREEN, ChartTab, named_charts
from rankings.studies.charts.kinds.bias import MOST_BIAS_ROWS
from rankings.tables.table import Table
from tests.rankings.pages import read
from tests.rankings.studies.charts.studies_with_charts import make_grid, make_study

JUDGES = tuple(f"judge {letter}" for letter in "ABCDEF")
PROMPTS = tuple(f"prompt {number}" for number in range(1, 7))
TITLES = [f"{judge} ({number} of 2)" for judge in JUDGES for number in (1, 2)]
DATA = re.compile(r'<script id="chart-data-\d+" type="application/json">(.*?)</script>')


def tab(*heights, **more):
    """Return a tab with charts of these heights."""
    charts = named_charts([""] * len(heights), [{"data": [], "layout": {"height": height}} for height in heights])
    return ChartTab(
        name="curves", title="", definition="", sentence="", charts=charts, table=Table(("Run",), (), ()), **more
    )


def charts(page):
    return [json.loads(text) for text in DATA.findall(page)]


@pytest.mark.parametrize(
    ("heights", "more", "is_first"),
    [
        ((340, 340), {}, False),
        ((340, 340, 340), {}, True),
        ((SCREEN,), {}, False),
        ((SCREEN + 1,), {}, True),
        ((340, 340, 340), {"are_tables": True}, False),
        ((SCREEN + 1,), {"are_tables": True}, True),
    ],
)
def test_table_is_first_where_charts_are_many_or_higher_than_a_screen(heights, more, is_first):
    assert tab(*heights, **more).has_table_first == is_first


@pytest.fixture(scope="module")
def of_module(rows_of_module):
    return make_grid(JUDGES, PROMPTS)


@pytest.fixture
def grid(db, of_module, researcher):
    return of_module


@pytest.mark.parametrize("name", ["study-curves", "study-length", "study-coverage", "study-calibration"])
def test_panels_of_many_runs_are_those_of_one_judge_each(client, grid, name):
    page = read(client, name, grid)

    assert sorted(re.findall("<h2>(.*?)</h2>", page)) == TITLES
    lines = [[one["name"] for one in chart["data"] if one.get("mode") == "lines+markers"] for chart in charts(page)]
    assert {tuple(sorted(first + second)) for first, second in zip(lines[::2], lines[1::2], strict=True)} == {PROMPTS}


def test_table_of_many_panels_is_first_and_further_panels_are_folded_with_their_number(client, grid):
    page = read(client, "study-curves", grid)

    table, first, more = (page.index(text) for text in ("<table class=", "<figure", "<summary>4 more panels</summary>"))
    assert table < first < more
    assert (page[:more].count("<figure"), page[more:].count("<figure")) == (8, 4)
    assert page.count("<table class=") == 1


def test_few_charts_are_before_their_table_and_nothing_is_folded(client, db, researcher):
    page = read(client, "study-curves", make_study("GPT", "Llama"))

    assert page.index("<figure") < page.index("<table class=")
    assert "more panel" not in page


def test_panels_share_their_axes_and_margins(client, grid):
    layouts = [chart["layout"] for chart in charts(read(client, "study-length", grid))]

    shared = {json.dumps([one["margin"], one["height"], one["xaxis"], one["yaxis"]]) for one in layouts}
    assert (len(layouts), len(shared)) == (12, 1)
    assert layouts[0]["margin"]["autoexpand"] is False


def test_files_of_a_panel_name_the_judge_and_the_prompt_of_each_line(client, grid):
    response = client.get(reverse("study-curves", args=[grid.pk]), {"picture": "curves-1.csv"})

    rows = csv.DictReader(io.StringIO(response.getvalue().decode()))
    page = read(client, "study-curves", grid)
    judge = re.findall("<h2>(.*?) \\(1 of 2\\)</h2>", page)[0]
    names = [one["name"] for one in charts(page)[0]["data"] if one.get("mode") == "lines+markers"]
    assert list(dict.fromkeys(row["series"] for row in rows)) == [f"{judge} · {name}" for name in names]


def test_position_bias_of_many_runs_has_a_chart_for_each_judge_that_fits_a_screen(client, grid):
    page = read(client, "study-bias", grid)

    drawn = charts(page)
    assert sorted(re.findall("<h2>(.*?)</h2>", page)) == list(JUDGES)
    assert {tuple(sorted(chart["layout"]["yaxis"]["ticktext"])) for chart in drawn} == {PROMPTS}
    assert max(chart["layout"]["height"] for chart in drawn) < SCREEN
    assert page.index("<table class=") < page.index("<figure")


def test_position_bias_of_few_runs_is_one_chart(client, db, researcher):
    page = read(client, "study-bias", make_study(*(f"judge {number}" for number in range(MOST_BIAS_ROWS))))

    assert len(charts(page)) == 1
    assert charts(page)[0]["layout"]["height"] < SCREEN


def test_grids_of_several_runs_have_one_scale(client, db, researcher, monkeypatch):
    monkeypatch.setattr("rankings.studies.charts.kinds.order.MOST_DRAWN_PAIRS", 1)

    drawn = charts(read(client, "study-order", make_study("GPT", "Llama", "Falcon")))

    counts = [max(n for row in chart["data"][0]["text"] for n in row) for chart in drawn]
    assert len(set(counts)) > 1
    assert len({json.dumps(chart["layout"]["coloraxis"]) for chart in drawn}) == 1
    assert drawn[0]["layout"]["coloraxis"]["colorbar"]["ticktext"][-1] == str(max(counts))
