"""Rankings by experts that are written as expressions, in reports by command, page and API."""

import json

import pytest
from django.urls import reverse

from tests.commands import printed, refused
from tests.rankings.studies import compared, make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

BT = "own=p*d - logaddexp(0, d)"


@pytest.fixture
def run():
    return compared(make_dataset())


def test_report_has_the_ranking_of_an_expert(run, capsys):
    [row, *_] = json.loads(printed(capsys, "report", "--dataset", "Study", "--json", "--expert", BT))["rows"]

    assert row["experts"] == [BT]
    for measure in ("spearman", "kendall", "accuracy_with_ties"):
        own, known = row[measure]["own"]["raw"], row[measure]["poe-bt"]["raw"]
        assert own["per_context"] == pytest.approx(known["per_context"], nan_ok=True)


def test_table_takes_the_ranking_of_an_expert_and_notes_it(run, capsys):
    table = printed(capsys, "report", "--dataset", "Study", "--expert", BT, "--ranking", "own")

    assert "own: product of experts with the log-density p*d - logaddexp(0, d)." in table


@pytest.mark.parametrize(
    ("experts", "problem"),
    [
        (["x=d**2"], "expert: d**2 — it is not concave"),
        (["poe-bt=p*d - logaddexp(0, d)"], 'expert: "poe-bt" is the name of a ranking'),
        ([BT, BT], 'expert: "own" is defined twice'),
    ],
)
def test_report_refuses_wrong_experts(run, capsys, experts, problem):
    options = [option for expert in experts for option in ("--expert", expert)]

    assert any(problem in one for one in refused(capsys, "report", "--dataset", "Study", *options))


def test_api_has_the_ranking_of_an_expert(run, client, researcher):
    client.force_login(researcher)

    response = client.get(f"/api/datasets/{run.dataset_id}/report/", {"expert": [BT]})
    wrong = client.get(f"/api/datasets/{run.dataset_id}/report/", {"expert": ["x=d**2"]})

    assert response.json()["rows"][0]["spearman"]["own"]["raw"]["contexts"] > 0
    assert wrong.status_code == 400


def test_page_offers_the_ranking_of_an_expert_and_shows_its_problems(run, client, researcher):
    client.force_login(researcher)
    address = reverse("dataset-results", args=[run.dataset_id])

    page = client.get(address, {"expert": BT, "ranking": "own"}).content.decode()
    wrong = client.get(address, {"expert": "x=d**2"}).content.decode()

    assert '<option value="own" selected>own</option>' in page
    assert "it is not concave" in wrong
