"""Each pair asked in one order against the other, for the runs of a study."""

import csv
import io
import json
import re
from itertools import combinations

import pytest
from django.urls import reverse

from judging.services.studies.study_changes import create_study
from rankings.studies.charts.kinds import order
from tests.commands import printed_json
from tests.rankings.charts.plotly import valid
from tests.rankings.pages import read
from tests.rankings.studies import answers, compared, make_dataset, one_context
from tests.rankings.studies.charts.studies_with_charts import cells_by_row, make_study, p_first

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


def charts(page):
    """Return the charts of a page, as plotly draws them."""
    return [
        valid(json.loads(text))
        for text in re.findall(r'<script id="chart-data-\d+" type="application/json">(.*?)</script>', page)
    ]


def points(client, study, number=1):
    name = "order" if study.runs.count() == 1 else f"order-{number}"
    response = client.get(reverse("study-order", args=[study.pk]), {"picture": f"{name}.csv"})
    rows = csv.DictReader(io.StringIO(response.getvalue().decode()))
    return [(float(row["x"]), float(row["y"])) for row in rows]


def test_each_pair_is_a_point_with_the_answers_of_both_orders(client):
    study = make_study("GPT")

    expected = [(p_first(one, other, 0), 1 - p_first(other, one, 0)) for one, other in combinations("abcd", 2)]
    assert sorted(points(client, study)) == [pytest.approx(pair) for pair in sorted(expected)]


def test_figures_are_those_of_the_report(client, capsys):
    study = make_study("GPT", "Llama")

    rows = cells_by_row(read(client, "study-order", study))

    for row in printed_json(capsys, "report", "--dataset", "Charts")["rows"]:
        own = rows[row["judge"]]
        assert own["flip_rate"] == row["flip_rate"]["value"]
        assert own["lean"] == pytest.approx(own["shown_first"] - own["shown_second"])


def test_runs_with_the_largest_lean_come_first_and_the_page_says_how_many_are_drawn(client, monkeypatch):
    dataset = make_dataset(one_context(2, 1))
    judges = {"fair": ("0.8", "0.2"), "first": ("0.9", "0.9"), "second": ("0.2", "0.3")}
    runs = [compared(dataset, answers(f"a b {p}", f"b a {q}"), judge=judge) for judge, (p, q) in judges.items()]
    study = create_study("Leans", runs=runs)

    assert [points(client, study, number) for number in (1, 2, 3)] == [
        [(0.9, pytest.approx(0.1))],
        [(0.2, pytest.approx(0.7))],
        [(0.8, 0.8)],
    ]
    monkeypatch.setattr("rankings.studies.charts.kinds.order.MOST_PANELS", 2)
    page = read(client, "study-order", study)
    assert len(charts(page)) == 2
    assert "The 2 runs with the largest lean are drawn, of 3; the table has all." in page


def test_pairs_that_share_points_are_counted_in_a_grid(client):
    dataset = make_dataset(one_context(3, 2, 1))
    rows = [f"{one} {other} first" for one in "abc" for other in "abc" if one != other]
    study = create_study("Hard", runs=[compared(dataset, answers(*rows), judge="always first")])

    page = read(client, "study-order", study)

    [chart] = charts(page)
    counts = chart["data"][0]
    assert counts["type"] == "heatmap"
    assert counts["text"][0][-1] == 3
    assert sum(map(sum, counts["text"])) == 3
    assert "the same text has a mean P(better) of 1.00 when shown first, and 0.00 when shown second" in page


def test_many_pairs_are_counted_in_a_grid(client, monkeypatch):
    monkeypatch.setattr(order, "MOST_DRAWN_PAIRS", 5)

    [chart] = charts(read(client, "study-order", make_study("GPT")))

    assert sum(map(sum, chart["data"][0]["text"])) == 6


def test_run_in_one_order_says_why_it_has_no_chart(client):
    dataset = make_dataset(one_context(2, 1))
    study = create_study("One order", runs=[compared(dataset, answers("a b 0.7"), judge="GPT")])

    assert "Nothing to draw: no pair was decided in both orders" in read(client, "study-order", study)
