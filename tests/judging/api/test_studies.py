"""Studies by the HTTP API: making, following, changing and deleting them."""

import pytest

from judging.models import Study
from judging.services.studies.study_changes import create_study
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset():
    make_judge()
    return make_dataset()


def created(client, **fields):
    response = client.post("/api/studies/", {"name": "Table 1", **fields}, format="json")
    assert response.status_code == 201, response.json()
    return response.json()


def post(client, study, action, **fields):
    return client.post(f"/api/studies/{study['id']}/{action}/", fields, format="json")


def test_runs_are_added_and_removed(researcher, other_researcher, dataset):
    first, second = make_run(dataset), make_run(dataset)
    hidden = make_run(dataset, owner=other_researcher.user)
    study = created(researcher, runs=[first.pk])

    added = post(researcher, study, "runs", runs=[second.pk, first.pk])
    refused = post(researcher, study, "runs", runs=[hidden.pk])
    removed = researcher.delete(f"/api/studies/{study['id']}/runs/{first.pk}/")
    again = researcher.delete(f"/api/studies/{study['id']}/runs/{first.pk}/")

    assert added.json()["runs"] == [first.pk, second.pk]
    assert (refused.status_code, refused.json()["problems"]) == (400, [f"runs: there is no run {hidden.pk}"])
    assert removed.json()["runs"] == [second.pk]
    assert again.status_code == 400


def test_change_renames_and_replaces_groups_and_baseline(researcher, dataset):
    run = make_run(dataset)
    study = created(researcher, runs=[run.pk])
    changes = {"name": "Table 2", "groups": ["Hard=a"], "baseline": run.pk, "description": "new"}

    changed = researcher.patch(f"/api/studies/{study['id']}/", changes, format="json").json()

    assert {name: changed[name] for name in changes} == changes


def test_refused_change_changes_nothing(researcher, dataset):
    study = created(researcher)

    response = researcher.patch(f"/api/studies/{study['id']}/", {"name": "Table 2", "groups": ["x"]}, format="json")

    assert response.status_code == 400
    assert Study.objects.get().name == "Table 1"


def test_list_has_the_studies_that_a_person_may_see_and_counts_hidden_runs(researcher, other_researcher, dataset):
    shared = make_run(dataset)
    own = create_study("Own", owner=researcher.user, runs=[shared, make_run(dataset, owner=other_researcher.user)])
    create_study("Other", owner=other_researcher.user, runs=[make_run(dataset, owner=other_researcher.user)])

    [row] = researcher.get("/api/studies/").json()["results"]

    assert (row["id"], row["runs"], row["hidden_runs"]) == (own.pk, [shared.pk], 1)
