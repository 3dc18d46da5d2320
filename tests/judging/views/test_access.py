"""Who may open which page."""

import pytest
from django.urls import reverse

from judging.models import Judge
from tests.factories import answer_run, make_dataset, make_prompt, make_run, make_user

pytestmark = pytest.mark.django_db

RESEARCH_PAGES = {
    "dataset-list": None,
    "dataset": "dataset",
    "dataset-download": "dataset",
    "dataset-results": "dataset",
    "run-new": "dataset",
    "context": "context",
    "run-list": None,
    "run": "run",
    "run-progress": "run",
    "run-comparisons": "run",
    "run-csv": "run",
    "run-jsonl": "run",
    "run-results": "run",
    "run-scores": "run",
    "run-scores-download": "run",
    "run-curve": "run",
    "judge-list": None,
    "judge": "judge",
    "judge-new": None,
    "prompt-list": None,
    "prompt": "prompt",
    "prompt-new": None,
    "prompt-version": "prompt",
}
RUN_PAGES = [name for name, kind in RESEARCH_PAGES.items() if kind == "run"]
ADMIN_PAGES = ["dataset-upload", "admin:index"]


@pytest.fixture
def places():
    """kind -> id of one there is."""
    dataset = make_dataset()
    run = answer_run(make_run(dataset, owner=make_user("rita", "researcher")))
    return {
        "dataset": dataset.pk,
        "run": run.pk,
        "context": dataset.contexts.first().pk,
        "judge": Judge.objects.get(name="demo").pk,
        "prompt": make_prompt(owner=run.owner).pk,
    }


def address(name: str, places: dict[str, int]) -> str:
    kind = RESEARCH_PAGES.get(name)
    return reverse(name, args=[places[kind]] if kind else [])


@pytest.mark.parametrize("name", RESEARCH_PAGES)
def test_research_page_opens_for_the_researcher_it_belongs_to(client, places, name):
    client.login(username="rita", password="rita")

    assert client.get(address(name, places)).status_code == 200


@pytest.mark.parametrize("name", RESEARCH_PAGES)
def test_research_page_does_not_exist_for_an_annotator(client, places, name):
    client.force_login(make_user("anna", "annotator"))

    assert client.get(address(name, places)).status_code == 404


@pytest.mark.parametrize("name", [*RESEARCH_PAGES, *ADMIN_PAGES, "account", "home"])
def test_visitor_is_asked_to_sign_in(client, places, name):
    page = address(name, places)

    assert client.get(page, follow=True).redirect_chain[-1][0] == f"{reverse('login')}?next={page}"


@pytest.mark.parametrize("name", RUN_PAGES)
def test_run_of_somebody_else_does_not_exist(client, places, name):
    client.force_login(make_user("olaf", "researcher"))

    assert client.get(address(name, places)).status_code == 404


@pytest.mark.parametrize("name", RUN_PAGES)
def test_admin_sees_every_run(client, places, name):
    client.force_login(make_user("ada", "admin"))

    assert client.get(address(name, places)).status_code == 200


@pytest.mark.parametrize("name", ["run-cancel", "run-resume"])
def test_run_of_somebody_else_cannot_be_changed(client, places, name):
    client.force_login(make_user("olaf", "researcher"))

    assert client.post(reverse(name, args=[places["run"]])).status_code == 404


@pytest.mark.parametrize("name", ADMIN_PAGES)
def test_admin_page_does_not_exist_for_a_researcher(client, places, name):
    client.login(username="rita", password="rita")

    assert client.get(reverse(name), follow=True).status_code == 404


@pytest.mark.parametrize("name", ["dataset-list", "run-list", "judge", "dataset", "dataset-results", "home"])
def test_list_of_runs_leaves_out_those_of_somebody_else(client, places, name):
    client.force_login(make_user("olaf", "researcher"))

    assert f"/runs/{places['run']}/" not in client.get(address(name, places)).content.decode()


def test_health_check_needs_no_account(client):
    assert client.get("/healthz").json() == {"status": "ok"}
