"""Ranking curves of experts that are written as expressions, by command, page and API."""

import pytest
from django.urls import reverse

from rankings.curves.curve_choice import CurveChoice
from rankings.curves.curve_report import curve_report
from rankings.report.report_choice import parse_experts
from tests.commands import printed, printed_json, refused
from tests.factories import make_user
from tests.rankings.charts.plotly import valid
from tests.rankings.studies import compared, make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

BT = "own=p*d - logaddexp(0, d)"
CORNER = "corner=-abs(d - (p - 0.5))"


@pytest.fixture
def run():
    return compared(make_dataset())


@pytest.fixture
def page(client, run):
    client.force_login(make_user("ada", "admin"))
    return lambda **query: client.get(reverse("run-curve", args=[run.pk]), query)


def means(points, ranking):
    return [point["mean"] for point in points if point["ranking"] == ranking]


def test_command_draws_the_curve_of_an_expert(run, capsys):
    curve = printed_json(capsys, "curve", run.pk, "--ranking", "poe-bt", "--expert", BT, "--both", "--draws", 5)

    assert curve["experts"] == [BT]
    assert {point["ranking"] for point in curve["points"]} == {"poe-bt", "own"}
    assert means(curve["points"], "own") == pytest.approx(means(curve["points"], "poe-bt"), abs=1e-12)


def test_long_form_has_the_expression_of_an_expert(run, capsys):
    lines = printed(capsys, "curve", run.pk, "--ranking", "poe-bt", "--expert", BT, "--draws", 2, "--long").splitlines()

    assert "expert" in lines[0].split(",")
    assert any('"p*d - logaddexp(0, d)"' in line for line in lines[1:])


@pytest.mark.parametrize(
    ("expert", "problem"),
    [("x=d**2", "expert: d**2 — it is not concave"), ("pairs=-d**2", 'expert: "pairs" is the name of a ranking')],
)
def test_command_refuses_wrong_experts(run, capsys, expert, problem):
    assert any(problem in line for line in refused(capsys, "curve", run.pk, "--expert", expert))


def test_api_draws_the_curve_of_an_expert(run, client, researcher):
    client.force_login(researcher)
    address = f"/api/runs/{run.pk}/curve/"

    curve = client.get(address, {"ranking": "poe-bt", "expert": BT, "draws": 3}).json()
    wrong = client.get(address, {"expert": "x=d**2"})

    assert curve["experts"] == [BT]
    assert means(curve["points"], "own") == pytest.approx(means(curve["points"], "poe-bt"), abs=1e-12)
    assert (wrong.status_code, "it is not concave" in wrong.content.decode()) == (400, True)


def test_page_draws_the_curve_of_an_expert_in_a_colour_of_its_own(page):
    answer = page(ranking=["poe-bt", "win-ratio"], expert=BT)

    lines = [trace for trace in valid(answer.context["chart"])["data"] if "name" in trace]
    assert [line["name"] for line in lines] == ["PoE, Bradley-Terry", "win ratio", "own"]
    assert len({line["line"]["color"] for line in lines}) == 3
    assert "<code>own=p*d - logaddexp(0, d)</code>" in answer.content.decode()


def test_page_shows_the_problems_of_an_expert_and_refuses_its_download(page, client, run):
    shown = page(ranking="poe-bt", expert="x=d**2").content.decode()
    download = client.get(reverse("run-curve-long", args=[run.pk, "csv"]), {"expert": "x=d**2"})

    assert "<li>expert: d**2 — it is not concave" in shown
    assert download.status_code == 404


def test_choice_limits_the_fits_of_single_contexts(run):
    choice = CurveChoice(("poe-bt",), experts=parse_experts([CORNER]), draws=5, most_single_fits=10)

    points = curve_report(run, choice).points

    assert {point.ranking for point in points if point.mean is None} == {"corner"}
