"""Access to each page by role."""

from urllib.parse import unquote
from uuid import uuid4

import pytest
from django.urls import reverse

import judging.urls
import rankings.urls
from judging.models import Dataset, Judge, User, Visibility
from judging.services.studies.study_changes import create_study
from tests.campaigns import make_campaign, make_ready_campaign
from tests.factories import answer_run, make_dataset, make_prompt, make_run, make_user

pytestmark = pytest.mark.django_db

RESEARCH_PAGES = {
    "dataset-list": None,
    "dataset-upload": None,
    "dataset-sharing": "dataset",
    "dataset": "dataset",
    "dataset-download": "dataset",
    "dataset-results": "dataset",
    "dataset-human-judgments": "dataset",
    "dataset-publish": "dataset",
    "dataset-planner": "dataset",
    "dataset-steering": "dataset",
    "run-new": "dataset",
    "judgments-new": "dataset",
    "context": "context",
    "context-answers": "context",
    "study-list": None,
    "study-new": None,
    "study": "study",
    "study-curves": "study",
    "study-calibration": "study",
    "study-length": "study",
    "study-agreement": "study",
    "study-bias": "study",
    "study-coverage": "study",
    "study-runs": "study",
    "study-progress": "study",
    "study-collect": "study",
    "study-extend": "study",
    "study-edit": "study",
    "run-list": None,
    "run": "run",
    "run-progress": "run",
    "run-comparisons": "run",
    "run-answers": "run",
    "run-csv": "run",
    "run-jsonl": "run",
    "run-results": "run",
    "run-scores": "run",
    "run-scores-download": "run",
    "run-curve": "run",
    "run-stopping": "run",
    "run-robustness": "run",
    "run-anchors": "run",
    "run-style": "run",
    "run-first-probabilities": "run",
    "run-place": "run",
    "run-headline": "run",
    "run-headline-link": "run",
    "campaign-people": "campaign",
    "campaign-people-csv": "campaign",
    "campaign-people-upload": "campaign",
    "campaign-links-csv": "campaign",
    "invitation-new": "campaign",
    "consent-text": "campaign",
    "campaign-checks": "campaign",
    "campaign-disputes": "campaign",
    "judge-list": None,
    "judge": "judge",
    "judge-new": None,
    "prompt-list": None,
    "prompt": "prompt",
    "prompt-new": None,
    "prompt-version": "prompt",
}
RUN_PAGES = [name for name, kind in RESEARCH_PAGES.items() if kind == "run"]

EVERY_PAGE = {page.name: page.pattern.converters for page in (*judging.urls.urlpatterns, *rankings.urls.urlpatterns)}
OF_OWN_ACCOUNT = {"account", "account-data", "account-delete", "account-keys"}
ADMIN_PAGES = [name for name in EVERY_PAGE if name.startswith("account-") and name not in OF_OWN_ACCOUNT]
OF_VISITORS = {"login", "logout", "favicon", "healthz", "frozen-report", "password-choose", "join"}
OF_EVERY_ACCOUNT = {
    *OF_OWN_ACCOUNT,
    "home",
    "password_change",
    "token-create",
    "token-revoke",
    "single-keys",
    "campaign-list",
}
OF_ACCOUNTS = sorted(EVERY_PAGE.keys() - OF_VISITORS)
OF_ROLES = sorted(EVERY_PAGE.keys() - OF_VISITORS - OF_EVERY_ACCOUNT)
OF_FORMS_ALONE = {
    "rater-exclude",
    "run-doubtful-campaign",
    "campaign-second-round",
    "dataset-split",
    "run-with-sentence",
    "votes-restore",
    *("logout", "token-create", "token-revoke", "upload-discard"),
    *(
        "dataset-discard",
        "run-cancel",
        "run-resume",
        "campaign-discard",
        "campaign-state",
        "campaign-effort",
        "campaign-copy",
        "campaign-wanted-width",
    ),
    *("judge-change", "frozen-report-link"),
    *("study-cells", "study-create-collected", "study-start", "study-cancel", "study-resume"),
    *("study-extend-cells", "study-remove-run", "study-delete"),
    *("account-roles", "account-link", "account-unlock", "account-deactivate", "account-restore"),
    *("invitation-withdraw", "campaign-person"),
    *("check-shares", "gold-upload", "gold-draw", "training-upload"),
    "single-keys",
}
OF_DATASETS = sorted(
    name
    for name, converters in EVERY_PAGE.items()
    if converters.keys() & {"dataset_id", "context_id", "run_id", "campaign_id", "request_ids", "study_id"}
)
OF_RUNS = sorted(name for name, converters in EVERY_PAGE.items() if "run_id" in converters)


@pytest.fixture
def places():
    """kind -> id of one there is."""
    rita = make_user("rita", "researcher")
    dataset = make_dataset(owner=rita)
    run = answer_run(make_run(dataset, owner=rita))
    return {
        "dataset": dataset.pk,
        "run": run.pk,
        "context": dataset.contexts.first().pk,
        "judge": Judge.objects.get(name="demo").pk,
        "prompt": make_prompt(owner=run.owner).pk,
        "campaign": make_campaign(dataset, created_by=run.owner).pk,
        "study": create_study("Table 1", owner=run.owner, runs=[run]).pk,
        "account": make_user("olga", "annotator").pk,
    }


def address(name: str, places: dict[str, int]) -> str:
    kind = RESEARCH_PAGES.get(name)
    return reverse(name, args=[places[kind]] if kind else [])


def page_address(name: str, places: dict[str, int]) -> str:
    """Return the address of a page, with ids of rows that exist."""
    others = {"upload_name": "some", "ending": "csv", "place": 1, "key": uuid4(), "request_ids": [1]}
    others |= {"uidb64": "MQ", "token": "forged", "code": "forged"}
    others |= {"invitation_id": 1, "enrolment_id": 1, "exclusion_id": 1, "number": 1}
    known = others | {f"{kind}_id": pk for kind, pk in places.items()}
    known |= {"request_ids": [places["request"]]} if "request" in places else {}
    return reverse(name, kwargs={parameter: known[parameter] for parameter in EVERY_PAGE[name]})


def ask(client, name: str, places: dict[str, int]):
    """Return the response of a page. One that accepts only POST gets an empty form."""
    page = page_address(name, places)
    answer = client.get(page)
    return answer if answer.status_code != 405 else client.post(page)


def test_every_page_asks_a_visitor_to_sign_in(client, places):
    answers = {name: ask(client, name, places) for name in OF_ACCOUNTS}

    wanted = {name: f"{reverse('login')}?next={answer.wsgi_request.path}" for name, answer in answers.items()}
    assert {name: answer.headers.get("Location") for name, answer in answers.items()} == wanted


def test_pages_that_only_take_forms_do_nothing_by_a_link(client, places):
    client.force_login(make_user("ada", "admin", "researcher", "annotator"))

    others = EVERY_PAGE.keys() - RESEARCH_PAGES  # the test below opens these by a link
    refused = {name for name in others if client.get(page_address(name, places)).status_code == 405}

    assert refused == OF_FORMS_ALONE


def test_voting_pages_are_404_without_participation(client, places):
    client.force_login(make_user("anna", "annotator"))

    assert {name: ask(client, name, places).status_code for name in OF_ROLES} == dict.fromkeys(OF_ROLES, 404)


def test_no_page_of_a_run_exists_for_another_researcher(client, places):
    client.force_login(make_user("olaf", "researcher"))

    assert {name: ask(client, name, places).status_code for name in OF_RUNS} == dict.fromkeys(OF_RUNS, 404)


@pytest.fixture
def unseen(client, places):
    """Return kind -> id of rows that Olaf made himself, on Rita's dataset, which is private now. Olaf is signed in."""
    olaf, dataset = make_user("olaf", "researcher"), Dataset.objects.get(pk=places["dataset"])
    run, campaign = answer_run(make_run(dataset, owner=olaf)), make_campaign(dataset, name="Olaf's", created_by=olaf)
    Dataset.objects.filter(pk=dataset.pk).update(visibility=Visibility.PRIVATE)
    client.force_login(olaf)
    return places | {"run": run.pk, "campaign": campaign.pk}


def test_no_page_on_a_private_dataset_exists_for_another_researcher(client, unseen):
    assert {name: ask(client, name, unseen).status_code for name in OF_DATASETS} == dict.fromkeys(OF_DATASETS, 404)


def test_lists_leave_out_a_private_dataset_of_another_researcher(client, unseen):
    Dataset.objects.filter(pk=unseen["dataset"]).update(name="Hidden away")
    lists = ("home", "dataset-list", "run-list", "campaign-list", "campaign-new", "judge", "prompt", "prompt-new")

    hiding = {name for name in lists if "Hidden away" not in ask(client, name, unseen).content.decode()}

    assert hiding == set(lists)


@pytest.mark.parametrize("visibility", [Visibility.SHARED, Visibility.OPEN])
def test_pages_on_a_shared_or_open_dataset_open_for_another_researcher(client, unseen, visibility):
    dataset = Dataset.objects.get(pk=unseen["dataset"])
    dataset.shared_with.set(User.objects.filter(username="olaf"))
    Dataset.objects.filter(pk=dataset.pk).update(visibility=visibility)

    pages = ("dataset", "dataset-results", "context", "run", "run-results", "campaign", "run-new")

    assert {name: ask(client, name, unseen).status_code for name in pages} == dict.fromkeys(pages, 200)


def test_annotator_votes_on_a_private_dataset_of_another_researcher(client, places):
    anna = make_user("anna", "annotator", "researcher")
    make_ready_campaign(anna, dataset=Dataset.objects.get(pk=places["dataset"]), name="Anna's")
    Dataset.objects.update(visibility=Visibility.PRIVATE)
    client.force_login(anna)
    campaign = anna.campaigns.get()

    assert client.get(reverse("annotate", args=[campaign.pk])).status_code == 200
    assert client.get(campaign.get_absolute_url()).headers["Location"] == reverse("annotate", args=[campaign.pk])
    assert client.get(reverse("campaign-download", args=[campaign.pk])).status_code == 404


def test_research_pages_open_for_the_researcher_they_belong_to(client, places):
    client.login(username="rita", password="rita")

    statuses = {name: client.get(address(name, places)).status_code for name in RESEARCH_PAGES}

    assert statuses == dict.fromkeys(RESEARCH_PAGES, 200)


def test_fragment_redirects_the_whole_page_to_sign_in_and_back(client, places):
    page = f"http://testserver{address('run', places)}"

    answer = client.get(address("run-progress", places), headers={"HX-Request": "true", "HX-Current-URL": page})

    assert (answer.status_code, answer.content) == (200, b"")
    assert unquote(answer.headers["HX-Redirect"]) == f"{reverse('login')}?next={page}"


def test_admin_sees_every_run(client, places):
    client.force_login(make_user("ada", "admin"))

    statuses = {name: client.get(address(name, places)).status_code for name in RUN_PAGES}

    assert statuses == dict.fromkeys(RUN_PAGES, 200)


def test_admin_pages_do_not_exist_for_a_researcher(client, places):
    client.login(username="rita", password="rita")

    statuses = {name: ask(client, name, places).status_code for name in ADMIN_PAGES}

    assert statuses == dict.fromkeys(ADMIN_PAGES, 404)


def test_pages_leave_out_runs_of_other_users(client, places):
    client.force_login(make_user("olaf", "researcher"))

    for name in ("dataset-list", "run-list", "judge", "dataset", "dataset-results", "home"):
        assert f"/runs/{places['run']}/" not in client.get(address(name, places)).content.decode(), name


def test_health_check_needs_no_account(client):
    assert client.get("/healthz").json() == {"status": "ok"}
