"""Comparisons of runs over HTTP: the JSON of the command."""

import pytest

from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import hide
from tests.rankings.report.report_figures import differences_json, groups_json
from tests.rankings.studies import make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


@pytest.fixture
def runs():
    dataset = voted_dataset(contexts=4)
    return judged(dataset, "careful"), judged(dataset, "hasty")


def test_two_runs_differ_as_the_command_says(client, runs):
    shown = client.get(f"/api/runs/{runs[0].pk}/compare/{runs[1].pk}/").json()

    assert shown == differences_json(*runs)


def test_run_of_somebody_else_cannot_be_compared(client, runs):
    hide(runs[1])

    assert client.get(f"/api/runs/{runs[0].pk}/compare/{runs[1].pk}/").status_code == 404
    assert client.get(f"/api/runs/{runs[1].pk}/compare/{runs[0].pk}/").status_code == 404


def test_run_compared_with_itself_is_refused(client, runs):
    answer = client.get(f"/api/runs/{runs[0].pk}/compare/{runs[0].pk}/")

    assert (answer.status_code, answer.json()["problems"]) == (
        400,
        [f"run: {runs[0].pk} is named twice; name two runs"],
    )


def test_groups_are_those_of_the_command(client, runs):
    assert client.get(f"/api/datasets/{runs[0].dataset_id}/groups/").json() == groups_json(runs)


def test_groups_are_of_the_runs_that_are_named(client, runs):
    named = client.get(f"/api/datasets/{runs[0].dataset_id}/groups/", {"run": [run.pk for run in runs]})
    only_one = client.get(f"/api/datasets/{runs[0].dataset_id}/groups/", {"run": runs[0].pk})

    assert named.json() == groups_json(runs)
    assert (only_one.status_code, only_one.json()["problems"]) == (
        400,
        ["run: give 2 to 60 runs to compare, not 1"],
    )


def test_groups_have_the_runs_that_one_may_see(client, runs):
    hide(runs[1])

    assert client.get(f"/api/datasets/{runs[0].dataset_id}/groups/").status_code == 400


def test_groups_of_a_dataset_with_several_attributes_need_one(client):
    scores = {"fluency": 1, "coherence": 2}
    candidates = [{"candidate": key, "text": key, "scores": scores} for key in "ab"]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates}])

    answer = client.get(f"/api/datasets/{dataset.pk}/groups/")

    assert (answer.status_code, answer.json()["problems"]) == (400, ["attribute: name one of fluency, coherence"])
