"""Charts as files: pictures for papers, numbers, and a LaTeX figure."""

import csv
import re

import pytest
from django.urls import reverse

from judging.models import Candidate, HumanScore, Run
from rankings.charts.paper_pictures import picture_file
from rankings.charts.picture_formats import WIDTHS
from rankings.charts.plotly_chart import figure
from tests.factories import answer_run, make_dataset, make_run

CENTIMETRE = 72 / 2.54  # points


def chart(**changes):
    """Two lines with an interval, and a label at one."""
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "line": {"color": "var(--series-1)"},
        "x": [1, 2],
        "y": [0.25, 0.5],
    }
    layout = {"height": 300, "xaxis": {"title": "Comparisons"}, "yaxis": {"title": "A &amp; B", "tickformat": ".0%"}}
    label = {"text": "alpha", "x": 2, "y": 0.5, "xanchor": "left", "font": {"color": "var(--people)"}}
    traces = [
        line | {"name": "alpha", "line": {"color": "var(--series-1)"}},
        line | {"name": "beta", "line": {"color": "var(--people)", "dash": "dash"}},
    ]
    return figure(traces, layout | {"annotations": [label]} | changes, name="some", note="Two lines.")


@pytest.mark.parametrize("width", sorted(WIDTHS))
def test_picture_is_as_wide_as_a_column_and_its_texts_stay_texts(width):
    picture = picture_file(chart(), "svg", width=width).decode()

    assert float(re.search(r'width="([\d.]+)pt"', picture)[1]) == pytest.approx(width * CENTIMETRE, abs=0.5)
    assert ">Comparisons</text>" in picture
    assert ">A &amp; B</text>" in picture
    assert ">alpha</text>" in picture


def test_narrow_picture_names_its_lines_in_a_legend():
    assert ">beta</text>" in picture_file(chart(), "svg", width=7).decode()


@pytest.mark.parametrize("width", sorted(WIDTHS))
def test_picture_of_a_chart_with_a_legend_names_each_line_once(width):
    picture = picture_file(chart(showlegend=True, annotations=[]), "svg", width=width).decode()

    assert [picture.count(f">{name}</text>") for name in ("alpha", "beta")] == [1, 1]


def test_picture_has_the_light_colours_of_the_pages_and_without_a_legend_names_no_further_lines():
    picture = picture_file(chart(), "svg", width=14).decode()

    assert [picture.count(f">{name}</text>") for name in ("alpha", "beta")] == [1, 0]
    assert "#0064a4" in picture
    assert "#c4001d" in picture


def test_same_chart_gives_the_same_file():
    assert picture_file(chart(), "svg", width=14) == picture_file(chart(), "svg", width=14)


@pytest.mark.parametrize(("ending", "start"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_picture_is_written_in_every_format(ending, start):
    assert picture_file(chart(), ending, width=7).startswith(start)


@pytest.mark.parametrize(
    "trace",
    [
        {"type": "bar", "x": [0.25, 0.75], "y": [3, 4], "marker": {"color": "var(--series-1)"}},
        {
            "type": "heatmap",
            "x": [0.25, 0.75],
            "y": [-1, 1],
            "z": [[1.0, None], [2.0, 1.0]],
            "text": [[1, 0], [4, 1]],
            "coloraxis": "coloraxis",
        },
    ],
)
def test_bars_and_heat_maps_are_drawn(trace):
    shades = {
        "colorscale": [[0, "var(--surface)"], [1, "var(--series-1)"]],
        "cmin": 0,
        "cmax": 2,
        "colorbar": {"title": {"text": "comparisons"}, "tickvals": [1, 2], "ticktext": ["1", "4"]},
    }
    one = figure(
        [trace], {"height": 300, "xaxis": {}, "yaxis": {}, "coloraxis": shades}, name="some", note="One trace."
    )

    assert b"<path" in picture_file(one, "svg", width=14)


@pytest.fixture
def run(researcher) -> Run:
    dataset = make_dataset(candidates=(4, 4), owner=researcher)
    HumanScore.objects.all().delete()
    for number, candidate in enumerate(Candidate.objects.all()):
        HumanScore.objects.create(candidate=candidate, attribute=dataset.attributes.get(), value=number % 3)
    return answer_run(make_run(dataset, owner=researcher))


def chart_of(client, run, picture, **query):
    return client.get(
        reverse("run-curve", args=[run.pk]), {"picture": picture, "draws": 5, "measure": "spearman", **query}
    )


@pytest.mark.django_db
def test_numbers_of_a_curve_have_its_bands(client, run):
    lines = chart_of(client, run, "curve.csv").getvalue().decode().splitlines()

    rows = list(csv.DictReader(lines))
    assert {row["series"] for row in rows} >= {"Bradley-Terry"}
    assert all(float(row["low"]) <= float(row["y"]) <= float(row["high"]) for row in rows)


@pytest.mark.django_db
def test_figure_for_latex_includes_the_picture_and_says_what_it_shows(client, run):
    text = chart_of(client, run, "curve.tex").getvalue().decode()

    assert "\\includegraphics[width=\\linewidth]{curve-14cm.pdf}" in text
    assert "\\caption{Lines: means of" in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("picture", "query"), [("other.svg", {}), ("curve.exe", {}), ("curve.svg", {"width": "900"}), ("curve", {})]
)
def test_unknown_chart_format_or_width_is_404(client, run, picture, query):
    assert chart_of(client, run, picture, **query).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "picture"),
    [("run-first-probabilities", "p-first.svg"), ("run-diagnostics", "joint.svg"), ("run-curve", "curve.svg")],
)
def test_every_chart_of_a_run_is_a_picture(client, run, name, picture):
    answer = client.get(reverse(name, args=[run.pk]), {"picture": picture})

    assert answer.headers["Content-Type"] == "image/svg+xml"
