"""Permissions at every address of the HTTP API."""

import re

import pytest
from django.urls import reverse

from evalsite import urls as site
from judging.api import urls as judging
from judging.models import Dataset, FrozenReport, Judge, Visibility
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.studies.study_changes import create_study
from rankings import api_urls as rankings
from tests.campaigns import make_annotator, make_ready_campaign, vote
from tests.factories import answer_run, make_dataset, make_prompt, make_run, make_user

pytestmark = pytest.mark.django_db

PATTERNS = [*site.urlpatterns, *judging.urlpatterns, *rankings.urlpatterns]
EVERY_ADDRESS = {
    address.name: address.pattern.converters
    for address in PATTERNS
    if (getattr(address, "name", None) or "").startswith("api-")
}
OF_VISITORS = {"api-token", "api-schema", "api-docs"}
OF_ACCOUNTS = sorted(EVERY_ADDRESS.keys() - OF_VISITORS)
OF_DATA = [name for name in OF_ACCOUNTS if not name.startswith("api-account")]
OF_ADMINS = sorted(name for name in OF_ACCOUNTS if name.startswith("api-accounts"))
OF_DATASETS = re.compile("api-(dataset|run|study|campaign|own|exclusion)")
OF_RUNS = [name for name in OF_ACCOUNTS if name.startswith("api-run") and EVERY_ADDRESS[name]]


@pytest.fixture
def places():
    """Return the prefix of an address's name -> id of its row. One vote is stored."""
    dataset = make_dataset()
    run = answer_run(make_run(dataset, owner=make_user("rita", "researcher")))
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ben, dataset=dataset)
    key = vote(campaign, ben).assignment.key
    judge, prompt = Judge.objects.get(name="demo"), make_prompt(owner=run.owner)
    return {
        "dataset": dataset.pk,
        "run": run.pk,
        "judge": judge.pk,
        "prompt": prompt.pk,
        "campaign": campaign.pk,
        "invitation": create_invitation(campaign, admission="account", created_by=run.owner).pk,
        "own": campaign.pk,
        "key": key,
        "study": create_study("Table 1", owner=run.owner, runs=[run]).pk,
        "accounts": run.owner.pk,
        "join": "forged",
        "account": "",
        "beginning": "forged",
        "enrolment": 1,
        "exclusion": exclude_rater(dataset, rater=ben.rater_name, reason="too quick").pk,
        "frozen": FrozenReport.objects.create(name="Table 1", owner=run.owner, html="").key,
    }


def ask(client, name, places):
    """Return the response of an address to the first method that it accepts. A body is empty."""
    address = address_of(name, places)
    answers = (
        getattr(client, method)(address, {}, format="json") for method in ("get", "post", "put", "delete", "patch")
    )
    return next(answer for answer in answers if answer.status_code != 405)


def address_of(name, places):
    return reverse(name, kwargs={one: places.get(one, places[name.split("-")[1]]) for one in EVERY_ADDRESS[name]})


def test_every_address_needs_a_token_or_session(anonymous, places):
    answers = {name: ask(anonymous, name, places).status_code for name in OF_ACCOUNTS}

    assert answers == dict.fromkeys(OF_ACCOUNTS, 401)


def test_no_address_describes_itself_but_in_the_openapi_document(other_researcher, places):
    answers = {name: other_researcher.options(address_of(name, places)).status_code for name in OF_ACCOUNTS}

    assert answers == dict.fromkeys(OF_ACCOUNTS, 405) | dict.fromkeys(OF_ADMINS, 404)


def test_no_address_shows_an_annotator_data_runs_or_votes_of_others(annotator, places):
    answers = {name: ask(annotator, name, places) for name in OF_DATA}

    lists = {name: answer.json()["results"] for name, answer in answers.items() if answer.status_code == 200}
    assert lists == {
        f"api-{noun}-list": [] for noun in ("dataset", "run", "study", "judge", "prompt", "campaign", "vote", "own")
    }
    refused = {name: answer.status_code for name, answer in answers.items() if name not in lists}
    writing = ("api-campaign-copy", "api-judge-try", "api-prompt-new-example")
    assert refused == dict.fromkeys(refused, 404) | dict.fromkeys(writing, 403)


def test_no_address_shows_a_private_dataset_to_another_researcher(other_researcher, places):
    dataset = Dataset.objects.get(pk=places["dataset"])
    own = answer_run(make_run(dataset, owner=other_researcher.user))
    Dataset.objects.update(visibility=Visibility.PRIVATE)
    unseen = places | {"run": own.pk}

    answers = {name: ask(other_researcher, name, unseen) for name in OF_DATA}

    on_datasets = [name for name in OF_DATA if OF_DATASETS.match(name) and EVERY_ADDRESS[name]]
    assert {name: answers[name].status_code for name in on_datasets} == dict.fromkeys(on_datasets, 404)
    lists = ("api-dataset-list", "api-run-list", "api-study-list", "api-campaign-list", "api-vote-list", "api-own-list")
    assert {name: answers[name].json()["results"] for name in lists} == {name: [] for name in lists}


def test_no_address_shows_a_researcher_another_users_run(other_researcher, places):
    answers = {name: ask(other_researcher, name, places).status_code for name in OF_RUNS}

    assert answers == dict.fromkeys(OF_RUNS, 404)


def test_no_address_of_accounts_exists_for_other_roles(other_researcher, annotator, places):
    clients = (other_researcher, annotator)
    answers = {(who, name): ask(who, name, places).status_code for who in clients for name in OF_ADMINS}

    assert answers == dict.fromkeys(answers, 404)
