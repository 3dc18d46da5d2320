"""Studies by the HTTP API: planning, starting, extending, collecting, following and deleting them."""

import pytest

from judging.models import Run, Study
from judging.services.studies.study_changes import create_study
from tests.factories import answer_run, make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db
PLAN = {"datasets": ["Summaries"], "judges": ["tiny"], "prompts": ["comparative-1", "comparative-2"]}


@pytest.fixture
def dataset():
    make_judge()
    return make_dataset()


@pytest.fixture
def queued(monkeypatch):
    """The runs that were given to the workers."""
    runs: list[int] = []
    monkeypatch.setattr("judging.tasks.start_run", runs.append)
    return runs


def created(client, **fields):
    response = client.post("/api/studies/", {"name": "Table 1", **fields}, format="json")
    assert response.status_code == 201, response.json()
    return response.json()


def post(client, study, action, **fields):
    return client.post(f"/api/studies/{study['id']}/{action}/", fields, format="json")


def test_study_is_created_with_its_plan_and_starts_nothing(researcher, dataset):
    study = created(researcher, plan=PLAN | {"seeds": [3]}, groups=["Hard=a,b"])

    assert (study["owner"], study["runs"], study["groups"], study["baseline"]) == ("rita", [], ["Hard=a,b"], None)
    assert study["plan"] == PLAN | {"attributes": ["coherence"], "selections": ["full"], "seeds": [3], "contexts": None}
    assert not Run.objects.exists()


def test_study_with_an_unknown_judge_is_refused_and_not_stored(researcher, dataset):
    body = {"name": "Table 1", "plan": PLAN | {"judges": ["tini"]}}

    response = researcher.post("/api/studies/", body, format="json")

    assert (response.status_code, response.json()["problems"]) == (
        400,
        ['judge: there is no "tini" (did you mean "tiny"?)'],
    )
    assert not Study.objects.exists()


def test_unknown_field_of_a_plan_is_refused(researcher, dataset):
    response = researcher.post("/api/studies/", {"name": "a", "plan": PLAN | {"sedes": [1]}}, format="json")

    assert response.status_code == 400
    assert "sedes: unknown" in response.json()["problems"][0]


def test_cells_name_new_reused_and_impossible_combinations(researcher, dataset):
    run = answer_run(make_run(dataset))
    study = created(researcher, plan=PLAN | {"prompts": ["comparative-1", "scoring-1"], "seeds": [0, 1]})

    cells = researcher.get(f"/api/studies/{study['id']}/cells/").json()["cells"]

    assert [(cell["prompt"], cell["seed"], cell["state"], cell["run"], cell["questions"]) for cell in cells] == [
        ("comparative-1", 0, "reused", run.pk, 12),
        ("comparative-1", 1, "impossible", None, 0),
        ("scoring-1", 0, "new", None, 6),
        ("scoring-1", 1, "impossible", None, 0),
    ]
    assert "has no effect" in cells[1]["problems"][0]


def test_start_queues_new_runs_and_adds_existing_ones(researcher, dataset, queued):
    existing = answer_run(make_run(dataset))
    study = created(researcher, plan=PLAN)

    started = post(researcher, study, "start").json()

    assert (started["new"], started["reused"], started["impossible"]) == (queued, [existing.pk], [])
    assert Run.objects.get(pk=queued[0]).owner == researcher.user
    assert researcher.get(f"/api/studies/{study['id']}/").json()["runs"] == [existing.pk, *queued]


def test_study_without_a_plan_cannot_be_started(researcher):
    response = post(researcher, created(researcher), "start")

    assert (response.status_code, response.json()["problems"]) == (
        400,
        ["plan: this study has none; choose its datasets, judges and prompts first"],
    )


def test_extend_with_start_starts_only_the_new_runs(researcher, dataset, queued):
    make_judge("large")
    study = created(researcher, plan=PLAN)
    post(researcher, study, "start")

    extended = post(researcher, study, "extend", judges=["large"])
    started = post(researcher, study, "extend", prompts=["scoring-1"], start=True)

    assert extended.status_code == 201
    assert extended.json()["plan"]["judges"] == ["tiny", "large"]
    assert len(started.json()["new"]) == 4
    assert len(queued) == 2 + 4


def test_cells_come_with_what_the_new_runs_take(researcher, dataset):
    study = created(researcher, plan=PLAN)

    found = researcher.get(f"/api/studies/{study['id']}/cells/").json()

    unknown = {"value": None, "undefined": "this judge has finished no run of this kind on this dataset"}
    [row] = found["estimate"]
    assert (row["judge"], row["runs"], row["questions"]) == ("tiny", 2, 24)
    assert (row["seconds"], row["tokens"]) == (unknown, unknown)
    assert row["sentence"].endswith("Run a pilot on a few contexts to know.")
    assert found["warnings"] == []


def test_progress_has_every_run_and_their_sum(researcher, dataset):
    done, pending = answer_run(make_run(dataset)), make_run(dataset)
    study = created(researcher, runs=[done.pk, pending.pk])

    progress = researcher.get(f"/api/studies/{study['id']}/progress/").json()

    assert (progress["planned"], progress["asked"], progress["active"], progress["stopped"]) == (24, 12, 1, 0)
    assert [(run["run"], run["status"], run["p_first"], run["partial"]) for run in progress["runs"]] == [
        (done.pk, "done", 1.0, False),
        (pending.pk, "pending", None, True),
    ]


def test_cancel_and_resume_act_on_the_runs_of_the_study(researcher, dataset, queued):
    study = created(researcher, plan=PLAN)
    post(researcher, study, "start")
    other = make_run(dataset)

    cancelled = post(researcher, study, "cancel").json()
    resumed = post(researcher, study, "resume", errors=True).json()

    assert ([run["status"] for run in cancelled["runs"]], cancelled["stopped"]) == (["cancelled"] * 2, 2)
    assert [run["status"] for run in resumed["runs"]] == ["pending"] * 2
    assert queued[2:] == queued[:2]
    assert Run.objects.get(pk=other.pk).status == "pending"


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


def test_change_renames_and_replaces_plan_groups_and_baseline(researcher, dataset):
    run = make_run(dataset)
    study = created(researcher, runs=[run.pk])
    changes = {"name": "Table 2", "groups": ["Hard=a"], "plan": PLAN, "baseline": run.pk, "description": "new"}

    changed = researcher.patch(f"/api/studies/{study['id']}/", changes, format="json").json()

    assert {name: changed[name] for name in ("name", "groups", "baseline", "description")} == {
        name: changes[name] for name in ("name", "groups", "baseline", "description")
    }
    assert changed["plan"]["judges"] == ["tiny"]


def test_refused_change_changes_nothing(researcher, dataset):
    study = created(researcher)

    response = researcher.patch(f"/api/studies/{study['id']}/", {"name": "Table 2", "groups": ["x"]}, format="json")

    assert response.status_code == 400
    assert Study.objects.get().name == "Table 1"


def test_delete_keeps_the_runs(researcher, dataset):
    study = created(researcher, runs=[make_run(dataset).pk])

    assert researcher.delete(f"/api/studies/{study['id']}/").status_code == 204
    assert (Study.objects.count(), Run.objects.count()) == (0, 1)


def test_study_of_another_person_can_be_read(researcher, other_researcher, dataset):
    study = created(other_researcher, runs=[make_run(dataset).pk], plan=PLAN)

    assert researcher.get(f"/api/studies/{study['id']}/").json()["name"] == "Table 1"


def test_list_has_the_studies_that_a_person_may_see_and_counts_hidden_runs(researcher, other_researcher, dataset):
    shared = make_run(dataset)
    own = create_study("Own", owner=researcher.user, runs=[shared, make_run(dataset, owner=other_researcher.user)])
    create_study("Other", owner=other_researcher.user, runs=[make_run(dataset, owner=other_researcher.user)])

    [row] = researcher.get("/api/studies/").json()["results"]

    assert (row["id"], row["runs"], row["hidden_runs"]) == (own.pk, [shared.pk], 1)


def test_plan_has_the_settings_of_runs(researcher, dataset, queued):
    settings = {"samples": 3, "temperature": 0.5, "thinking": "on", "metrics": "metrics-1", "without_context": ["c1"]}

    study = created(researcher, plan=PLAN | settings)
    post(researcher, study, "start")

    run = Run.objects.get(prompt_name="comparative-1")
    assert {name: study["plan"][name] for name in settings} == settings
    assert (run.samples, run.temperature, run.criteria_name) == (3, 0.5, "metrics-1")
    assert (run.thinking is not None, run.exclusion.contexts) == (True, ("c1",))


def test_plan_with_an_impossible_setting_is_refused(researcher, dataset):
    settings = {"samples": 0, "temperature": -1, "thinking": "maybe"}

    response = researcher.post("/api/studies/", {"name": "Table 1", "plan": PLAN | settings}, format="json")

    assert response.status_code == 400
    assert all(name in str(response.json()) for name in settings)
    assert not Study.objects.exists()
