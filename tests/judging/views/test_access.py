"""Access to pages that no table of addresses shows: by fragments, through an open dataset, in lists."""

from urllib.parse import unquote

import pytest
from django.urls import reverse

from judging.models import Dataset, Visibility
from tests.campaigns import make_campaign, make_ready_campaign
from tests.factories import answer_run, make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    """A run of Rita on a dataset of hers."""
    rita = make_user("rita", "researcher")
    return answer_run(make_run(make_dataset(owner=rita), owner=rita))


def test_pages_on_an_open_dataset_open_for_another_researcher(client, run):
    olaf, dataset = make_user("olaf", "researcher"), run.dataset
    own, campaign = answer_run(make_run(dataset, owner=olaf)), make_campaign(dataset, created_by=olaf)
    client.force_login(olaf)
    Dataset.objects.update(visibility=Visibility.OPEN)

    pages = {
        "dataset": dataset.pk,
        "dataset-results": dataset.pk,
        "context": dataset.contexts.first().pk,
        "run": own.pk,
        "run-results": own.pk,
        "campaign": campaign.pk,
        "run-new": dataset.pk,
    }

    assert {client.get(reverse(name, args=[row])).status_code for name, row in pages.items()} == {200}


def test_annotator_votes_on_a_private_dataset_of_another_researcher(client, run):
    anna = make_user("anna", "annotator", "researcher")
    make_ready_campaign(anna, dataset=run.dataset, name="Anna's")
    Dataset.objects.update(visibility=Visibility.PRIVATE)
    client.force_login(anna)
    campaign = anna.campaigns.get()

    assert client.get(reverse("annotate", args=[campaign.pk])).status_code == 200
    assert client.get(campaign.get_absolute_url()).headers["Location"] == reverse("annotate", args=[campaign.pk])
    assert client.get(reverse("campaign-download", args=[campaign.pk])).status_code == 404


def test_fragment_redirects_the_whole_page_to_sign_in_and_back(client, run):
    page = f"http://testserver{reverse('run', args=[run.pk])}"
    sent = {"HX-Request": "true", "HX-Current-URL": page}

    answer = client.get(reverse("run-progress", args=[run.pk]), headers=sent)

    assert (answer.status_code, answer.content) == (200, b"")
    assert unquote(answer.headers["HX-Redirect"]) == f"{reverse('account_login')}?next={page}"


def test_pages_leave_out_runs_of_other_users(client, run):
    client.force_login(make_user("olaf", "researcher"))
    judge, dataset = run.judge_id, run.dataset_id

    pages = {"dataset-list": [], "run-list": [], "judge": [judge], "dataset": [dataset], "dataset-results": [dataset]}
    for name, args in (pages | {"home": []}).items():
        assert f"/runs/{run.pk}/" not in client.get(reverse(name, args=args)).content.decode(), name


def test_health_check_needs_no_account(client):
    assert client.get("/healthz").json() == {"status": "ok"}
