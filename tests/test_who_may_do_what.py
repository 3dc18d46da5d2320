"""Who may change what: every address that writes, on pages and by API, and four kinds of people who ask."""

import json
from uuid import uuid4

import pytest
from django.db import transaction
from django.urls import URLResolver, get_resolver, resolve, reverse

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Enrolment, FrozenReport, User
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.assignments import next_pair
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.studies.study_changes import create_study
from tests.campaigns import make_campaign, make_ready_campaign, vote
from tests.factories import answer_run, make_dataset, make_judge, make_prompt, make_run, make_user
from tests.rankings.audits.explained_runs import explained_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

PEOPLE = {"owner": "researcher", "other": "researcher", "annotator": "annotator", "admin": "admin"}
"""Name -> role. The owner made all of it. The other researcher sees the dataset, the study and runs of the command
line; the annotator takes part in the campaign."""

OK = "OK"
"""The write is done, or refused for what was sent, not for who sends it."""

# The statuses are of the owner, another researcher, an annotator, and an admin.
WRITES = {
    (OK, OK, 404, OK): """
        POST /datasets/upload/
        POST /datasets/{dataset}/new-run/
        POST /datasets/{dataset}/judgments/
        POST /studies/new/
        POST /studies/new/cells/
        POST /studies/new/collected/
        POST /judges/new/
        POST /judges/{judge}/try/
        POST /prompts/new/
        POST /campaigns/new/
        POST /datasets/{dataset}/campaign-effort/
        POST /campaigns/{campaign}/copy/
        POST /campaigns/{campaign}/disputed/again/
        POST /datasets/{dataset}/juries/
        POST /runs/{explained}/explanations/1/
        POST /studies/{study}/reports/
        POST /api/datasets/{dataset}/judgments/
        POST /api/datasets/{dataset}/juries/
        POST /api/studies/{study}/reports/
        POST /runs/{explained}/cancel/
        POST /runs/{explained}/resume/
        POST /api/runs/{explained}/cancel/
        POST /api/runs/{explained}/resume/
    """,
    (OK, OK, 403, OK): """
        POST /api/datasets/
        POST /api/runs/
        POST /api/studies/
        POST /api/judges/
        POST /api/judges/{judge}/try/
        POST /api/prompts/
        POST /api/prompts/example/
        POST /api/campaigns/
        POST /api/campaigns/{campaign}/copy/
        POST /api/campaigns/{campaign}/disputes/
    """,
    (OK, 404, 404, OK): """
        POST /datasets/{dataset}/sharing/
        POST /datasets/{dataset}/split/
        POST /datasets/{dataset}/discard/
        POST /runs/{run}/cancel/
        POST /runs/{run}/with-sentence/
        POST /runs/{run}/resume/
        POST /studies/{study}/runs/collect/
        POST /studies/{study}/runs/{run}/remove/
        POST /studies/{study}/start/
        POST /studies/{study}/cancel/
        POST /studies/{study}/resume/
        POST /studies/{study}/extend/
        POST /studies/{study}/extend/cells/
        POST /studies/{study}/edit/
        POST /studies/{study}/delete/
        POST /judges/{judge}/change/
        POST /prompts/{prompt}/new-version/
        POST /campaigns/{campaign}/preview/
        POST /campaigns/{campaign}/preview/pair/
        POST /campaigns/{campaign}/edit/
        POST /campaigns/{campaign}/state/
        POST /campaigns/{campaign}/wanted-width/
        POST /campaigns/{campaign}/discard/
        POST /campaigns/{campaign}/checks/shares/
        POST /campaigns/{campaign}/checks/gold/upload/
        POST /campaigns/{campaign}/checks/training/
        POST /campaigns/{campaign}/checks/gold/draw/
        POST /campaigns/{campaign}/people/upload/
        POST /campaigns/{campaign}/people/{enrolment}/
        POST /campaigns/{campaign}/invitations/new/
        POST /campaigns/{campaign}/invitations/{invitation}/withdraw/
        POST /campaigns/{campaign}/consent-text/
        POST /datasets/{dataset}/exclude-votes/
        POST /vote-exclusions/{exclusion}/restore/
        POST /runs/{run}/abstaining/campaign/
        POST /reports/{key}/link/
        POST /api/datasets/{dataset}/split/
        POST /api/runs/{run}/cancel/
        POST /api/runs/{run}/with-sentence/
        POST /api/runs/{run}/resume/
        PATCH /api/campaigns/{campaign}/checks/
        POST /api/campaigns/{campaign}/gold-pairs/
        PUT /api/campaigns/{campaign}/training-pairs/
        POST /api/campaigns/{campaign}/consent/
        PATCH /api/campaigns/{campaign}/people/{enrolment}/
        POST /api/campaigns/{campaign}/people/upload/
        POST /api/campaigns/{campaign}/invitations/
        PATCH /api/campaigns/{campaign}/invitations/{invitation}/
        POST /api/datasets/{dataset}/vote-exclusions/
        DELETE /api/vote-exclusions/{exclusion}/
        POST /api/runs/{run}/abstaining/
        PUT DELETE /api/runs/{run}/explanations/{comparison}/
        PATCH /api/reports/{key}/
    """,
    (OK, 403, 404, OK): """
        PATCH DELETE /api/studies/{study}/
        POST /api/studies/{study}/runs/
        DELETE /api/studies/{study}/runs/{run}/
        POST /api/studies/{study}/start/
        POST /api/studies/{study}/extend/
        POST /api/studies/{study}/cancel/
        POST /api/studies/{study}/resume/
    """,
    (OK, 403, 403, OK): """
        PATCH DELETE /api/datasets/{dataset}/
        PATCH /api/judges/{judge}/
        PATCH DELETE /api/campaigns/{campaign}/
    """,
    (404, 404, OK, 404): """
        POST /campaigns/{campaign}/consent/
        POST /campaigns/{campaign}/guidelines/
        POST /campaigns/{trained}/training/
        POST /campaigns/{campaign}/annotate/vote/
        POST /campaigns/{campaign}/annotate/skip/
        POST /campaigns/{campaign}/annotate/reopen/
        POST /campaigns/{campaign}/annotate/differences/
        POST /campaigns/{campaign}/annotate/break/
        POST /campaigns/{campaign}/annotate/time/
        POST /campaigns/{campaign}/votes/{shown}/
        POST /api/own-campaigns/{campaign}/consent/
        POST /api/own-campaigns/{campaign}/training/
        POST /api/own-campaigns/{campaign}/guidelines-read/
        POST /api/own-campaigns/{campaign}/next-pair/
        POST PATCH DELETE /api/own-campaigns/{campaign}/pairs/{shown}/vote/
        POST PATCH /api/own-campaigns/{campaign}/pairs/{shown}/rating/
        POST /api/own-campaigns/{campaign}/pairs/{shown}/skip/
    """,
    (410, 410, OK, 410): """
        POST /join/{code}/
    """,
    (OK, OK, OK, OK): """
        POST /api/join/{code}/
    """,
    (404, 404, 404, OK): """
        POST /accounts/new/
        POST /accounts/{account}/roles/
        POST /accounts/{account}/link/
        POST /accounts/{account}/unlock/
        POST /accounts/{account}/deactivate/
        POST /accounts/{account}/restore/
        POST /api/accounts/
        PATCH /api/accounts/{account}/
        POST /api/accounts/{account}/link/
        POST /api/accounts/{account}/unlock/
    """,
}

OF_ONESELF = {
    *("login", "logout", "password_change", "password-choose", "token-create", "token-revoke", "single-keys"),
    *("account-keys", "account-delete", "api-token", "api-account", "api-account-password", "api-account-delete"),
    *("api-account-token", "api-account-tokens-one"),
    *("dataset-preview", "dataset-mapping", "upload-discard", "judgments-review"),
}
"""Writes on one's own account, and on files that one has just uploaded: nobody else can name them."""

BODIES = {
    "/api/datasets/{dataset}/vote-exclusions/": {"rater": "somebody", "reason": "too quick"},
    "/campaigns/{trained}/training/": {"number": 1, "choice": "first"},
    "/runs/{explained}/explanations/1/": {"mark": "named"},
}


@pytest.fixture
def places():
    """Return what stands in braces in an address -> its number or key."""
    people = {name: make_user(name, role) for name, role in PEOPLE.items()}
    owner, annotator = people["owner"], people["annotator"]
    dataset = make_dataset(owner=owner)
    run, campaign = answer_run(make_run(dataset, owner=owner)), make_ready_campaign(annotator, created_by=owner)
    trained = make_campaign(dataset, name="Trained", created_by=owner, annotators=[annotator])
    set_training_pairs(trained, [KnownPair("c0", "a", "b", "first")])
    for one in (campaign, trained):
        note_guidelines_read(one, annotator=annotator)
    vote(campaign, annotator)
    explained = explained_run()
    study = create_study("Table 1", owner=owner, runs=[explained])
    invitation = create_invitation(campaign, admission="account", created_by=owner)
    enrolment = Enrolment.objects.create(campaign=campaign, annotator=annotator, invitation=invitation)
    return {
        "dataset": dataset.pk,
        "run": run.pk,
        "comparison": run.comparisons.first().pk,
        "explained": explained.pk,
        "study": study.pk,
        "key": FrozenReport.objects.create(name="Table 1", owner=owner, study=study, html="").key,
        "judge": make_judge("endpoint", backend="openai", base_url="http://localhost:1/v1", owner=owner).pk,
        "prompt": make_prompt(owner=owner).pk,
        "campaign": campaign.pk,
        "trained": trained.pk,
        "invitation": invitation.pk,
        "code": invitation.code,
        "enrolment": enrolment.pk,
        "shown": next_pair(campaign, annotator=annotator).key,
        "exclusion": exclude_rater(dataset, rater=annotator.rater_name, reason="too quick", user=owner).pk,
        "account": make_user("olga", "annotator").pk,
    }


def listed_writes():
    """Yield the method, the address with braces, and the statuses."""
    for statuses, lines in WRITES.items():
        for line in filter(None, map(str.strip, lines.splitlines())):
            *methods, address = line.split()
            yield from ((method, address, statuses) for method in methods)


def every_address(patterns):
    for one in patterns:
        yield from every_address(one.url_patterns) if isinstance(one, URLResolver) else [one]


def sample(converter):
    return uuid4() if type(converter).__name__ == "UUIDConverter" else 1


def writing_methods(client, address):
    """Return the methods of an address that write, as it lists them in the header `Allow`."""
    place = reverse(address.name, kwargs={one: sample(kind) for one, kind in address.pattern.converters.items()})
    allowed = client.options(place).headers.get("Allow", "").split(", ")
    return {"POST", "PUT", "PATCH", "DELETE"}.intersection(allowed)


def ask(client, method, address, places):
    """Return the status of a write, which is then undone."""
    body = BODIES.get(address, {})
    sent = {"data": json.dumps(body), "content_type": "application/json"} if address.startswith("/api/") else {}
    with transaction.atomic():
        asking = getattr(client, method.lower())
        answer = asking(address.format(**places), **(sent or {"data": body}))
        transaction.set_rollback(True)
    return answer.status_code if answer.status_code in (403, 404, 410) else OK


def test_every_address_that_writes_is_listed(client, places):
    client.force_login(User.objects.get(username="admin"))
    known = {(method, resolve(address.format(**places)).url_name) for method, address, _ in listed_writes()}

    every = {
        (method, address.name)
        for address in every_address(get_resolver().url_patterns)
        if address.name not in OF_ONESELF
        for method in writing_methods(client, address)
    }

    assert known == every


@pytest.mark.parametrize("person", PEOPLE)
def test_a_write_answers_each_person_as_listed(client, places, person):
    client.force_login(User.objects.get(username=person))
    column = list(PEOPLE).index(person)

    answers = {(method, address): ask(client, method, address, places) for method, address, _ in listed_writes()}

    assert answers == {(method, address): statuses[column] for method, address, statuses in listed_writes()}
