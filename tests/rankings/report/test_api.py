"""Figures over HTTP: the same as everywhere."""

import pytest

from rankings.curves.curve_report import CurveChoice, curve_report
from rankings.report.report_rows import report_rows, scores_of
from rankings.report.schema import RowSerializer
from tests.factories import make_user
from tests.rankings.studies import compared, make_dataset, scored

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return compared(make_dataset())


def test_report_of_a_run_is_that_of_the_command(run, client, researcher):
    assert client.get(f"/api/runs/{run.pk}/report/").json() == {"rows": report_rows(run.dataset)}


def test_report_rows_are_what_the_schema_describes(run):
    scored(run.dataset, "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,\n")

    rows = report_rows(run.dataset)

    of_some_runs = {"hold_out", "sampled", "own_metrics"}
    assert set(rows[0]) == set(RowSerializer().fields) - of_some_runs
    described = RowSerializer(data=rows, many=True)
    assert described.is_valid(), described.errors


def test_report_of_a_dataset_has_the_runs_that_one_may_see(run, client, researcher):
    hidden = compared(run.dataset, judge="hidden")
    hidden.owner = make_user("rob", "researcher")
    hidden.save()

    rows = client.get(f"/api/datasets/{run.dataset_id}/report/").json()["rows"]

    assert {row["run"] for row in rows} == {run.pk}


def test_report_of_a_dataset_has_no_runs_of_another(run, client, researcher):
    elsewhere = compared(make_dataset(name="Another"))

    of_all = client.get(f"/api/datasets/{run.dataset_id}/report/").json()["rows"]
    of_one = client.get(f"/api/datasets/{run.dataset_id}/report/", {"run": [elsewhere.pk]}).json()["rows"]

    assert ({row["run"] for row in of_all}, of_one) == ({run.pk}, [])


def test_report_of_a_dataset_has_the_runs_asked_for(run, client, researcher):
    other = compared(run.dataset, judge="other")

    rows = client.get(f"/api/datasets/{run.dataset_id}/report/", {"run": [other.pk]}).json()["rows"]

    assert {row["run"] for row in rows} == {other.pk}


def test_scores_are_those_of_the_command(run, client, researcher):
    shown = client.get(f"/api/runs/{run.pk}/scores/", {"ranking": "poe-bt", "debias": "true"}).json()

    assert shown == {"scores": scores_of(run, ranking="poe-bt", debias=True)}


def test_scores_need_a_ranking(run, client, researcher):
    answer = client.get(f"/api/runs/{run.pk}/scores/")

    assert answer.status_code == 400
    assert answer.json() == {"detail": "1 problem", "problems": ["ranking: This field is required."]}


def test_scores_of_a_metric_refuse_a_ranking_of_comparisons(client, researcher):
    run = scored(make_dataset(), "context,attribute,candidate,score\nc0,overall,a,5\n")

    answer = client.get(f"/api/runs/{run.pk}/scores/", {"ranking": "poe-bt"})

    assert (answer.status_code, answer.json()["problems"]) == (
        400,
        [f'ranking: run {run.pk} has no ranking "poe-bt"; there are: score'],
    )


def test_curve_is_that_of_the_command(run, client, researcher):
    chosen = {"ranking": ["win-ratio", "poe-bt"], "selection": ["random"], "draws": 3, "seed": 5}

    shown = client.get(f"/api/runs/{run.pk}/curve/", chosen).json()

    assert shown == curve_report(run, CurveChoice(("win-ratio", "poe-bt"), ("random",), draws=3, seed=5))
